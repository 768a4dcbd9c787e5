/// Derivatives of Routh's law: its kernel in dual numbers, in which no iteration is differentiated.

#include <array>
#include <cmath>
#include <limits>

#include "local_derivatives.hpp"
#include "ricochet/law/routh_kernel.hpp"

namespace ricochet::derivatives {

namespace {

/// The directions that the kernel is differentiated in: W (or M) without W_nn, V without V_n, and e. W_nn and V_n
/// follow from the homogeneity of P (DV8, DV9), μ by (DV11), and μ_s only decides whether the contact holds.
constexpr std::array<int, 8> in_space{1, 2, 3, 4, 5, of_V + 1, of_V + 2, of_parameters};
/// Of a planar contact those within its plane; what lies beside it has closed forms.
constexpr std::array<int, 4> in_a_plane{1, 3, of_V + 1, of_parameters};

constexpr int by_mu = of_parameters + 1, by_mu_s = of_parameters + 2;

/// Slip along axis 2, and a W that does not couple axis 3 to the others: to rounding, which is left out.
bool planar(const Local<double>& c) {
  constexpr double rounding = 1e-14;
  const Mat3& W = c.W;
  return c.V(1) != 0 && W(2, 2) > 0 && std::abs(W(0, 2)) <= rounding * std::sqrt(W(0, 0) * W(2, 2)) &&
         std::abs(W(1, 2)) <= rounding * std::sqrt(W(1, 1) * W(2, 2));
}

template <int N>
using Run = routh::Integrator<Dual<N>, NullObserver>;

/// An answer that is not one, or that rounding has spoilt: next to a repelling direction, or where V_n hardly rises, it
/// is amplified.
template <int N>
Expected<void> check(const Solution<Dual<N>>& solution) {
  if (solution.termination == Termination::not_converged || solution.termination == Termination::no_solution)
    return fail(ErrorCode::not_converged, "", "", "the derivatives of the integration through the impact");
  if (!(solution.rounding.v * std::numeric_limits<double>::epsilon() < 1e-9))
    return fail(ErrorCode::not_converged, "", "", "rounding leaves no accuracy for the derivatives of this answer");
  return {};
}

/// From the directions of the run to all columns.
template <int N>
void take(const std::array<int, N>& columns, const Routh& law, const Local<double>& local,
          const Solution<Dual<N>>& solution, const routh::ModeMargins<Dual<N>>& margins, LocalDerivatives& out) {
  const auto write = [&](const Dual<N>& y, auto&& row) {
    if constexpr (N < static_cast<int>(in_space.size())) row.template head<of_parameters>().setZero();
    for (std::size_t j = 0; j < N; ++j) row(columns[j]) = y.d[j];
  };
  const bool stretches = law.mu > 0 && law.mu < std::numeric_limits<double>::infinity();
  out.columns = of_parameters + 3;
  out.kink = margins.kink;
  if (law.mu == 0) out.unset = 2;  // the direction of a vanishing friction changes on the way
  for (int i = 0; i < 3; ++i) {
    out.P(i) = solution.P(i).v;
    write(solution.P(i), out.J.row(i));
    complete(out.J.row(i), out.P(i), local, out.by);
    out.J(i, by_mu) = stretches ? (by_stretching(out.J.row(i), local, out.by) + (i > 0 ? out.P(i) : 0)) / law.mu : 0;
    out.J(i, by_mu_s) = 0;
  }
  for (int i = 0; i < margins.count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    LocalChange& change = out.change[static_cast<std::size_t>(out.changes++)];
    change.what = margins.what[at];
    change.distance = margins.value[at].v;
    auto& gradient = change.gradient;
    write(margins.value[at], gradient);
    complete(gradient, 0, local, out.by);
    gradient(by_mu) = stretches ? by_stretching(gradient, local, out.by) / law.mu : 0;
    gradient(by_mu_s) = 0;
    if (margins.what[at] != routh::whether_friction_holds || law.mu_s < 0) continue;
    // (μ_s − n)/(μ_s + n), where what is needed, n, does not depend on μ.
    const double m = margins.value[at].v, need = law.mu_s * (1 - m) / (1 + m), sum = law.mu_s + need;
    gradient(by_mu) = 0;
    gradient(by_mu_s) = 2 * need / (sum * sum);
  }
}

/// P_3 of a planar contact by W_13, W_23 and V_3, docs/derivatives.md (DV29). `stop` is P where slip stopped.
void beside_the_plane(const Routh& law, const Local<double>& c, Mode mode, const Vec3& stop, LocalDerivatives& out) {
  const Mat3& W = c.W;
  const Vec3& P = out.P;
  const double along = c.V(1) > 0 ? 1 : -1;
  const auto write = [&](double by_W_13, double by_W_23, double by_V_3) {
    out.J(2, 2) = by_W_13;
    out.J(2, 4) = by_W_23;
    out.J(2, of_V + 2) = by_V_3;
  };
  if (mode == Mode::slip) {
    const double share = 1 / (1 + law.mu);  // zero at μ = ∞
    const double alpha = share, beta = share > 0 ? law.mu * share : 1;
    if (beta == 0) return write(0, 0, 0);
    const double g = alpha * W(0, 1) * along - beta * W(1, 1), speed = std::abs(c.V(1));
    using D = Dual<2>;  // by the direction at first and by its rate
    const routh::SlipDrift<D> drift{speed, g,    -g - beta * W(2, 2), D::variable(0, 0), D::variable(0, 1),
                                    D(0),  D(0), Vec2T<D>::Zero()};
    const D turned = drift.turned(std::abs(P(1)) / beta);
    write(-beta * alpha * turned.d[1], beta * beta * along * turned.d[1], -beta * turned.d[0] / speed);
    return;
  }
  // Where slip has stopped nothing moves across the plane.
  const Vec3& at = mode == Mode::slip_stick ? P : stop;
  const double mobility = W(2, 2);
  double by_W_13 = -at(0) / mobility, by_W_23 = -at(1) / mobility;
  if (mode == Mode::slip_reversal) {
    // Slip resumes along −v̂, turned to where it does not turn any more.
    const double resistance = -along * W(0, 1) - law.mu * W(1, 1) + law.mu * mobility, length = P(0) - stop(0);
    by_W_13 -= law.mu * length / resistance;
    by_W_23 -= along * law.mu * law.mu * length / resistance;
  }
  write(by_W_13, by_W_23, -1 / mobility);
}

Expected<void> differentiate_planar(const Routh& law, const Local<double>& local, LocalDerivatives& out) {
  out.by = By::W;
  constexpr int N = in_a_plane.size();
  using D = Dual<N>;
  Local<D> dual;
  dual.W.setZero();
  dual.W(0, 0) = D(local.W(0, 0));
  dual.W(0, 1) = dual.W(1, 0) = D::variable(local.W(0, 1), 0);
  dual.W(1, 1) = D::variable(local.W(1, 1), 1);
  dual.W(2, 2) = D(local.W(2, 2));
  dual.V = Vec3T<D>(D(local.V(0)), D::variable(local.V(1), 2), D(0));
  routh::Numbers<D> numbers(law);
  numbers.e = D::variable(law.e, 3);
  NullObserver observer;
  Run<N> run(numbers, dual, observer);
  run.stay_in_plane();
  const Solution<D> solution = run.run();
  if (const Expected<void> fine = check<N>(solution); !fine) return fine;
  take<N>(in_a_plane, law, local, solution, run.margins(), out);
  beside_the_plane(law, local, solution.mode, values_of(run.stopped_at()), out);
  return {};
}

}  // namespace

Expected<void> differentiate(const Routh& law, const Local<double>& local, const Outcome&, LocalDerivatives& out) {
  if (planar(local)) return differentiate_planar(law, local, out);
  constexpr int N = in_space.size();
  using D = Dual<N>;
  Local<D> dual;
  const Seeds seeds(local, out.by);
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      const Dual<of_V> entry = seeds.W<of_V>(i, j);
      D& w = dual.W(i, j) = D(entry.v);
      for (std::size_t k = 0; k + 1 < of_V; ++k) w.d[k] = entry.d[k + 1];
      dual.W(j, i) = w;
    }
  }
  dual.V = Vec3T<D>(D(local.V(0)), D::variable(local.V(1), 5), D::variable(local.V(2), 6));
  routh::Numbers<D> numbers(law);
  numbers.e = D::variable(law.e, 7);
  NullObserver observer;
  Run<N> run(numbers, dual, observer);
  const Solution<D> solution = run.run();
  if (const Expected<void> fine = check<N>(solution); !fine) return fine;
  take<N>(in_space, law, local, solution, run.margins(), out);
  return {};
}

}  // namespace ricochet::derivatives
