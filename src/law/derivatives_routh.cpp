/// Derivatives of Routh's law: its kernel in dual numbers, in which no iteration is differentiated.

#include <array>
#include <limits>

#include "local_derivatives.hpp"
#include "ricochet/law/routh_kernel.hpp"

namespace ricochet::derivatives {

namespace {

/// The directions that the kernel is differentiated in: W without W_nn, V without V_n, and e. W_nn and V_n follow from
/// the homogeneity of P (DV8, DV9), μ by (DV11), and μ_s only decides whether the contact holds.
constexpr std::array<int, 8> routh_columns{1, 2, 3, 4, 5, of_V + 1, of_V + 2, of_parameters};
constexpr int routh_directions = routh_columns.size();

}  // namespace

Expected<void> differentiate(const Routh& law, const Local<double>& local, const Outcome&, LocalDerivatives& out) {
  constexpr int N = routh_directions;
  using D = Dual<N>;
  Local<D> dual;
  dual.W(0, 0) = D(local.W(0, 0));
  dual.W(0, 1) = dual.W(1, 0) = D::variable(local.W(0, 1), 0);
  dual.W(0, 2) = dual.W(2, 0) = D::variable(local.W(0, 2), 1);
  dual.W(1, 1) = D::variable(local.W(1, 1), 2);
  dual.W(1, 2) = dual.W(2, 1) = D::variable(local.W(1, 2), 3);
  dual.W(2, 2) = D::variable(local.W(2, 2), 4);
  dual.V = Vec3T<D>(D(local.V(0)), D::variable(local.V(1), 5), D::variable(local.V(2), 6));
  routh::Numbers<D> numbers(law);
  numbers.e = D::variable(law.e, 7);
  NullObserver observer;
  routh::Integrator<D, NullObserver> integrator(numbers, dual, observer);
  const Solution<D> solution = integrator.run();
  if (solution.termination == Termination::not_converged || solution.termination == Termination::no_solution)
    return fail(ErrorCode::not_converged, "", "", "the derivatives of the integration through the impact");
  // Next to a repelling direction, or where V_n hardly rises, rounding is amplified.
  if (!(solution.rounding.v * std::numeric_limits<double>::epsilon() < 1e-9))
    return fail(ErrorCode::not_converged, "", "", "rounding leaves no accuracy for the derivatives of this answer");
  out.columns = of_parameters + 3;
  out.kink = integrator.margins().kink;
  for (int i = 0; i < 3; ++i) {
    out.P(i) = solution.P(i).v;
    for (int j = 0; j < N; ++j)
      out.J(i, routh_columns[static_cast<std::size_t>(j)]) = solution.P(i).d[static_cast<std::size_t>(j)];
    complete(out.J.row(i), out.P(i), local);
  }
  constexpr int by_mu = of_parameters + 1, by_mu_s = of_parameters + 2;
  const bool stretches = law.mu > 0 && law.mu < std::numeric_limits<double>::infinity();
  if (law.mu == 0) out.unset = 2;  // the direction of a vanishing friction changes on the way
  for (int i = 0; i < 3; ++i) {
    out.J(i, by_mu) = stretches ? (by_stretching(out.J.row(i), local) + (i > 0 ? out.P(i) : 0)) / law.mu : 0;
    out.J(i, by_mu_s) = 0;
  }
  const routh::ModeMargins<D>& margins = integrator.margins();
  for (int i = 0; i < margins.count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    LocalChange& change = out.change[static_cast<std::size_t>(out.changes++)];
    change.what = margins.what[at];
    change.distance = margins.value[at].v;
    auto& gradient = change.gradient;
    for (int j = 0; j < N; ++j)
      gradient(routh_columns[static_cast<std::size_t>(j)]) = margins.value[at].d[static_cast<std::size_t>(j)];
    complete(gradient, 0, local);
    gradient(by_mu) = stretches ? by_stretching(gradient, local) / law.mu : 0;
    gradient(by_mu_s) = 0;
    if (margins.what[at] != routh::whether_friction_holds || law.mu_s < 0) continue;
    // (μ_s − n)/(μ_s + n), where what is needed, n, does not depend on μ.
    const double m = margins.value[at].v, need = law.mu_s * (1 - m) / (1 + m), sum = law.mu_s + need;
    gradient(by_mu) = 0;
    gradient(by_mu_s) = 2 * need / (sum * sum);
  }
  return {};
}

}  // namespace ricochet::derivatives
