/// Derivatives of the laws with an explicit formula: the formula in dual numbers.

#include <array>
#include <cmath>
#include <limits>

#include "local_derivatives.hpp"
#include "ricochet/law/graded_region_kernel.hpp"

namespace ricochet::derivatives {
namespace {

constexpr double endless = std::numeric_limits<double>::infinity();
constexpr const char* no_slip = "no slip before the impact: its direction, by which the law goes, is not defined";

/// P_II = −M V, with dP_II = −M dV − dM V.
template <int N>
Vec3T<Dual<N>> sticking_impulse(const Seeds& seeds, const Vec3& P) {
  const Local<double>& c = seeds.c;
  Vec3T<Dual<N>> out;
  for (int i = 0; i < 3; ++i) {
    Dual<N>& p = out(i) = Dual<N>(P(i));
    seeds.add_M(-1, Vec3::Unit(i), c.V, p);
    seeds.add_V(-1, c.M.col(i), p);
  }
  return out;
}

}  // namespace

/// Where the transition is sharp, `smooth` is not a variable.
template <bool smoothed>
static void differentiate_on_the_line(const ChatterjeeRuina& law, const Local<double>& local, LocalDerivatives& out) {
  constexpr int N = of_parameters + (smoothed ? 4 : 3);
  using D = Dual<N>;
  const D e = parameter<N>(law.e, 0), mu = parameter<N>(law.mu, 1), e_t = parameter<N>(law.e_t, 2);
  const bool unlimited = law.mu == endless;
  const Seeds seeds(local, out.by);
  const double W_nn = local.W(0, 0);
  D P_I(-local.V(0) / W_nn);
  seeds.add_W(-P_I.v / W_nn, Vec3::UnitX(), Vec3::UnitX(), P_I);
  seeds.add_V(-1 / W_nn, Vec3::UnitX(), P_I);
  const Vec3T<D> P_II = sticking_impulse<N>(seeds, -(local.M * local.V));
  D P_IIt(std::sqrt(P_II(1).v * P_II(1).v + P_II(2).v * P_II(2).v));
  for (int i = 1; P_IIt.v > 0 && i < 3; ++i) add_times(P_II(i).v / P_IIt.v, P_II(i), P_IIt);
  const D reach = (D(1) + e) * P_I;
  const D leaving = unlimited ? P_I - P_II(0) : P_IIt - mu * (P_II(0) - P_I);
  const D kappa_stick = D(1) + e_t;
  D kappa = kappa_stick;
  if (leaving.v > 0) {
    const D kappa_slip = (unlimited ? reach : mu * reach) / leaving;
    const bool slips = kappa_slip < kappa_stick;
    if (slips) kappa = kappa_slip;
    bool sharp = true;
    if constexpr (smoothed) sharp = !(kappa.v > 0);
    if constexpr (smoothed) {
      if (!sharp) {
        const D smooth = parameter<N>(law.smooth, 3);
        const D ratio = kappa / (slips ? kappa_stick : kappa_slip);
        const D power = pow(ratio, D(1) / smooth);
        // ∂/∂smooth of (1 + r^{1/s})^{−s} as well.
        kappa *= pow(D(1) + power, -smooth);
      }
    }
    if (sharp) {
      out.add("stick and slip", contrast(kappa_stick, kappa_slip));
    }
  } else if (!smoothed && !unlimited) {
    // The ray never leaves the cone.
    out.add("stick and slip", D(-1));
  }
  // In the form of the kernel, a sum of terms that are not negative, where μ is large.
  Vec3T<D> P = P_II * kappa;
  P(0) += reach - kappa * P_I;
  out.change_of_V = local.W.col(0) * ((1 + law.e - kappa.v) * P_I.v) - kappa.v * local.V;
  out.take<N>(P);
}

Expected<void> differentiate(const ChatterjeeRuina& law, const Local<double>& local, const Outcome&,
                             LocalDerivatives& out) {
  if (law.smooth > 0) {
    differentiate_on_the_line<true>(law, local, out);
    return {};
  }
  differentiate_on_the_line<false>(law, local, out);
  const int by_smooth = out.columns++;
  out.J.col(by_smooth).setZero();
  for (int i = 0; i < out.changes; ++i) out.change[static_cast<std::size_t>(i)].gradient(by_smooth) = 0;
  return {};
}

Expected<void> differentiate(const Bilinear& law, const Local<double>& local, const Outcome&, LocalDerivatives& out) {
  constexpr int N = of_parameters + 3;
  using D = Dual<N>;
  const D e = parameter<N>(law.e, 0), mu = parameter<N>(law.mu, 1), e_t = parameter<N>(law.e_t, 2);
  const Seeds seeds(local, out.by);
  const D P_n = -(D(1) + e) * seeds.M<N>(0, 0) * seeds.V<N>(0);
  if (local.V(1) == 0) {
    if (law.mu > 0) out.kink = no_slip;
    out.unset = 2;
    out.take<N>(Vec3T<D>(P_n, D(0), D(0)));
    return {};
  }
  // t, against the slip, is an axis of the contact; V_3 turns it by −V_3/s.
  const double s = std::abs(local.V(1)), t = local.V(1) > 0 ? -1 : 1;
  constexpr std::size_t by_V_3 = of_V + 2;
  D M_tt = seeds.M<N>(1, 1), slip = D::variable(local.V(1), of_V + 1) * -t;
  M_tt.d[by_V_3] = -2 * local.M(1, 2) * t / s;
  const D sticking = (D(1) + e_t) * M_tt * slip;
  D P_t = sticking;
  if (law.mu != endless) {
    const D limit = mu * P_n;
    if (limit < sticking) P_t = limit;
    out.add("stick and slip", contrast(limit, sticking));
  }
  D P_b(0);
  P_b.d[by_V_3] = -P_t.v / s;
  out.take<N>(Vec3T<D>(P_n, P_t * t, P_b));
  return {};
}

/// P = P_n (1, ρ), with ρ the given ratios in the axes of the slip: column by column.
Expected<void> differentiate(const Brach& law, const Local<double>& local, const Outcome&, LocalDerivatives& out) {
  out.by = By::W;
  const bool slips = local.V(1) != 0;
  if (!slips && (law.mu_2 != 0 || law.mu_3 != 0)) out.kink = no_slip;
  const double t = local.V(1) > 0 ? -1 : 1;
  const Vec2 rho(t * law.mu_2, t * law.mu_3), w(local.W(0, 1), local.W(0, 2));
  const double response = local.W(0, 0) + w.dot(rho), share = response / local.W(0, 0);
  const double P_n = -(1 + law.e) * local.V(0) / response;
  out.columns = of_parameters + 4;
  out.P = Vec3(P_n, P_n * rho(0), P_n * rho(1));
  LocalChange* change = nullptr;
  if (slips) {
    change = &out.change[static_cast<std::size_t>(out.changes++)];
    change->what = "ratios with which no push ends the approach";
    change->distance = share;
  }
  // A change of the response and of ρ; `direct` is what changes P_n besides.
  const auto write = [&](int k, double by_response, double direct = 0, double rho_2 = 0, double rho_3 = 0) {
    const double by = direct - P_n / response * by_response;
    out.J(0, k) = by;
    out.J(1, k) = by * rho(0) + P_n * rho_2;
    out.J(2, k) = by * rho(1) + P_n * rho_3;
    if (change != nullptr) change->gradient(k) = (by_response - (k == 0 ? share : 0)) / local.W(0, 0);
  };
  write(0, 1);
  write(1, rho(0));
  write(2, rho(1));
  for (int k = 3; k < 6; ++k) write(k, 0);
  write(of_V, 0, P_n / local.V(0));
  write(of_V + 1, 0);
  // V_3 turns the slip, and ρ with it.
  const double turn = slips ? -1 / std::abs(local.V(1)) : 0;
  write(of_V + 2, turn * (w(1) * law.mu_2 - w(0) * law.mu_3), 0, -turn * law.mu_3, turn * law.mu_2);
  write(of_parameters, 0, P_n / (1 + law.e));
  write(of_parameters + 1, t * w(0), 0, t, 0);
  write(of_parameters + 2, t * w(1), 0, 0, t);
  write(of_parameters + 3, 0);
  return {};
}

namespace {

/// Columns of the derivatives of graded-region: W without W_nn, which follows from (DV9), V, the five numbers that the
/// answer depends on by themselves, and the three sums through which it depends on all others and on the spin.
constexpr int graded_V = of_V - 1, graded_e = of_parameters - 1, graded_mu = graded_e + 1, graded_smooth = graded_e + 2;
constexpr int graded_tau_m = graded_e + 3, graded_chi_m = graded_e + 4, graded_sums = graded_e + 5;
constexpr int graded_columns = graded_sums + 3;

/// (GR1) with its derivatives in closed form: each feature depends on few of the columns.
template <int N>
graded_region::Features<Dual<N>> graded_features(const Local<double>& local, const Vec3& spin) {
  using D = Dual<N>;
  const Mat3& W = local.W;
  const graded_region::Features<double> at(W, local.V, spin);
  graded_region::Features<D> x;
  // By V: v has the gradient V/v =: r, a component of r has (e − r_j r)/v.
  const Vec3 r(-at.k, at.i(0), at.i(1));
  const auto at_V = [](int a) { return std::size_t{graded_V} + static_cast<std::size_t>(a); };
  const auto component = [&](int j, double value, double sign) {
    D y(value);
    for (int a = 0; a < 3; ++a) y.d[at_V(a)] = sign * ((a == j ? 1 : 0) - r(j) * r(a)) / at.v;
    return y;
  };
  x.v = D(at.v);
  x.s = D(at.s);
  const double slope = 4 / ((at.v + 1) * (at.v + 1));
  for (int a = 0; a < 3; ++a) {
    x.v.d[at_V(a)] = r(a);
    x.s.d[at_V(a)] = slope * r(a);
  }
  x.k = component(0, at.k, -1);
  x.i = Vec2T<D>(component(1, at.i(0), 1), component(2, at.i(1), 1));
  // By W: entries over W_nn, of which 12 and 13 are c, and γ = c/√(1 + c·c).
  const double per = 1 / W(0, 0);
  const auto entry = [&](double value, std::size_t k) {
    D y(value);
    y.d[k] = per;
    return y;
  };
  x.c = Vec2T<D>(entry(at.c(0), 0), entry(at.c(1), 1));
  x.W_22 = entry(at.W_22, 2);
  x.W_23 = entry(at.W_23, 3);
  x.W_33 = entry(at.W_33, 4);
  const Vec2& g = at.gamma;
  const double couple = 1 / std::sqrt(1 + at.c.squaredNorm()), size = per * couple;
  for (int a = 0; a < 2; ++a) {
    D y(g(a));
    for (int b = 0; b < 2; ++b) y.d[static_cast<std::size_t>(b)] = size * ((a == b ? 1 : 0) - g(a) * g(b));
    x.gamma(a) = y;
  }
  x.varpi = Vec2T<D>(D(at.varpi(0)), D(at.varpi(1)));
  x.ii = D(at.ii);
  x.gg = D(at.gg);
  x.ig = D(at.ig);
  // R changes by (I − R) d(W_tt/W_nn) (I − R).
  const graded_region::WithoutMobility<double> without(at.W_22, at.W_23, at.W_33);
  const Vec2 i_rest = without(at.i), g_rest = without(g);
  const double share = 1 / (at.ii + at.gg + graded_region::Features<double>::faint);
  const double rest = 1 - graded_region::Features<double>::sphere;
  const Vec2 by_i = 2 * share * ((rest - at.m) * at.i - i_rest), by_g = 2 * share * ((rest - at.m) * g - g_rest);
  x.m = D(at.m);
  for (std::size_t k = 0; k < graded_e; ++k) {
    const auto d = [&](const Vec2T<D>& y) { return Vec2(y(0).d[k], y(1).d[k]); };
    const auto through_R = [&](const Vec2& y) {
      return y(0) * y(0) * x.W_22.d[k] + 2 * y(0) * y(1) * x.W_23.d[k] + y(1) * y(1) * x.W_33.d[k];
    };
    x.m.d[k] = by_i.dot(d(x.i)) + by_g.dot(d(x.gamma)) + share * (through_R(i_rest) + through_R(g_rest));
    x.ii.d[k] = 2 * at.i.dot(d(x.i));
    x.gg.d[k] = 2 * g.dot(d(x.gamma));
    x.ig.d[k] = g.dot(d(x.i)) + at.i.dot(d(x.gamma));
  }
  return x;
}

/// From those columns to one for every parameter, in the order of the table of laws, and three by the spin.
class GradedParameters {
 public:
  using D = Dual<graded_columns>;
  static constexpr int count = 23;

  GradedParameters(const GradedRegion& law, const Local<double>& local, const graded_region::Features<D>& x,
                   const Vec3& spin)
      : local_(local) {
    const double s = x.s.v, ii = x.ii.v, gg = x.gg.v, ig = x.ig.v;
    const Vec2 i = values_of(x.i), gamma = values_of(x.gamma), varpi = values_of(x.varpi);
    by_e_ = {s, s * s, ii, ii * ii, varpi.squaredNorm(), i.dot(varpi), gg, x.m.v};
    by_tau_ = {1, s, gg, ig};
    by_chi_ = {gg, ig, varpi.dot(gamma)};
    using S = Dual<3>;
    const Vec2T<S> turn = graded_region::Features<S>::rolling(
        Vec3T<S>(S::variable(spin(0), 0), S::variable(spin(1), 1), S::variable(spin(2), 2)));
    for (std::size_t j = 0; j < 3; ++j) {
      const Vec2 rolled(turn(0).d[j], turn(1).d[j]);
      logit_by_spin_[j] = 2 * law.e_r * varpi.dot(rolled) + law.e_ir * i.dot(rolled);
      chi_by_spin_[j] = law.chi_rc * gamma.dot(rolled);
    }
  }

  template <class Row>
  void write(const D& y, double degree_times_value, Row&& row) const {
    const auto by = [&](int k) { return y.d[static_cast<std::size_t>(k)]; };
    const double logit = by(graded_sums), tau = by(graded_sums + 1), chi = by(graded_sums + 2);
    for (int k = 0; k < graded_e; ++k) row(k + 1) = by(k);
    complete_matrix(row, degree_times_value, local_);
    int k = of_parameters;
    row(k++) = by(graded_e);
    for (const double feature : by_e_) row(k++) = logit * feature;
    row(k++) = by(graded_mu);
    row(k++) = by(graded_smooth);
    for (const double feature : by_tau_) row(k++) = tau * feature;
    row(k++) = by(graded_tau_m);
    for (const double feature : by_chi_) row(k++) = chi * feature;
    row(k++) = by(graded_chi_m);
    for (std::size_t j = 0; j < 3; ++j) row(k++) = logit * logit_by_spin_[j] + chi * chi_by_spin_[j];
  }

 private:
  const Local<double>& local_;
  std::array<double, 8> by_e_;
  std::array<double, 4> by_tau_;
  std::array<double, 3> by_chi_, logit_by_spin_, chi_by_spin_;
};

}  // namespace

Expected<void> differentiate(const GradedRegion& law, const Local<double>& local, const Vec3& spin,
                             LocalDerivatives& out) {
  out.by = By::W;
  constexpr int N = graded_columns;
  using D = Dual<N>;
  const graded_region::Features<D> x = graded_features<N>(local, spin);
  graded_region::Sums<D> sums(GradedRegionNumbers<double>(law), x);
  sums.logit.d[graded_sums] = sums.tau.d[graded_sums + 1] = sums.chi.d[graded_sums + 2] = 1;
  struct {
    D e, mu, smooth, tau_m, chi_m;
  } const own{D::variable(law.e, graded_e), D::variable(law.mu, graded_mu), D::variable(law.smooth, graded_smooth),
              D::variable(law.tau_m, graded_tau_m), D::variable(law.chi_m, graded_chi_m)};
  const graded_region::Answer<D> answer = graded_region::answer<D>(own, x, sums, D(local.W(0, 0)));
  const GradedParameters parameters(law, local, x, spin);
  const auto add = [&](const char* what, const D& margin) {
    LocalChange& change = out.change[static_cast<std::size_t>(out.changes++)];
    change.what = what;
    change.distance = margin.v;
    parameters.write(margin, 0, change.gradient);
  };
  constexpr unsigned by_e = 1, by_mu = 1U << 9, by_smooth = 1U << 10;
  if (law.mu == 0 || law.mu == endless) out.unset |= by_mu;
  // What energy forbids altogether at e = 1 it allows a little of below.
  if (law.e == 1 && !(answer.share.v > 0)) out.unset |= by_e;
  if (law.smooth == 0) {
    out.unset |= by_smooth;
    if (law.mu > 0) {
      add("the limit of friction", contrast(answer.f, D(1)));
      add("the limit of energy", contrast(answer.u, D(1)));
      if (answer.f.v > 1 && answer.u.v > 1) add("the limits of friction and energy", contrast(answer.f, answer.u));
    }
  }
  out.columns = of_parameters + GradedParameters::count;
  for (int i = 0; i < 3; ++i) {
    out.P(i) = answer.P(i).v;
    parameters.write(answer.P(i), out.P(i), out.J.row(i));
  }
  // At e = 1 energy allows of a small tangential impulse a share that depends on its direction alone, and without any
  // impulse this share is not known.
  if (law.e == 1 && local.V(1) == 0) {
    const double slip = 1e-7 * std::abs(local.V(0));
    for (const Vec2& t : {Vec2(1, 0), Vec2(0, 1), Vec2(0.6, 0.8)}) {
      Local<double> moved = local;
      moved.V.tail<2>() += slip * t;
      const Vec2 change = (solve(law, moved, spin).P - out.P).tail<2>() / slip;
      const Vec2 expected = out.J.block<2, 2>(1, of_V + 1) * t;
      if ((change - expected).norm() > 5e-6 * expected.norm() + 1e-9 * out.P.norm() / std::abs(local.V(0)))
        out.kink = "no slip at e = 1: what energy allows of a tangential impulse depends on its direction";
    }
  }
  return {};
}

}  // namespace ricochet::derivatives
