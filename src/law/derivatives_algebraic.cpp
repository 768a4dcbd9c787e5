/// Derivatives of the laws with an explicit formula: the formula in dual numbers.

#include <cmath>
#include <limits>

#include "local_derivatives.hpp"
#include "ricochet/law/graded_region_kernel.hpp"

namespace ricochet::derivatives {
namespace {

constexpr double endless = std::numeric_limits<double>::infinity();
constexpr const char* no_slip = "no slip before the impact: its direction, by which the law goes, is not defined";

/// t, against the slip, as a function of V: (t₂, t₃) = −V_t/s. The slip must not be zero.
template <int N>
struct SlipAxes {
  Dual<N> s;
  Vec2T<Dual<N>> t;
  explicit SlipAxes(const DualContact<N>& c) {
    s = sqrt(c.V(1) * c.V(1) + c.V(2) * c.V(2));
    t = Vec2T<Dual<N>>(-c.V(1) / s, -c.V(2) / s);
  }
};

/// P_II = −M V, with dP_II = −M (dV + dW P_II).
template <int N>
Vec3T<Dual<N>> sticking_impulse(const Local<double>& c) {
  const Vec3 P = -(c.M * c.V);
  Vec3T<Dual<N>> out;
  for (int i = 0; i < 3; ++i) {
    Dual<N>& p = out(i) = Dual<N>(P(i));
    std::size_t k = of_W;
    for (int a = 0; a < 3; ++a)
      for (int b = a; b < 3; ++b) p.d[k++] = -(c.M(i, a) * P(b) + (a != b ? c.M(i, b) * P(a) : 0));
    for (int j = 0; j < 3; ++j) p.d[k++] = -c.M(i, j);
  }
  return out;
}

}  // namespace

Expected<void> differentiate(const Frictionless& law, const Local<double>& local, const Outcome&,
                             LocalDerivatives& out) {
  constexpr int N = of_parameters + 1;
  using D = Dual<N>;
  const DualContact<N> c(local, false);
  const D e = parameter<N>(law.e, 0);
  out.take<N>(Vec3T<D>(-(D(1) + e) * c.V(0) / c.W(0, 0), D(0), D(0)));
  return {};
}

Expected<void> differentiate(const ChatterjeeRuina& law, const Local<double>& local, const Outcome&,
                             LocalDerivatives& out) {
  constexpr int N = of_parameters + 4;
  using D = Dual<N>;
  const D e = parameter<N>(law.e, 0), mu = parameter<N>(law.mu, 1), e_t = parameter<N>(law.e_t, 2);
  const D smooth = parameter<N>(law.smooth, 3);
  const bool unlimited = law.mu == endless;
  const D P_I = -D::variable(local.V(0), of_V) / D::variable(local.W(0, 0), of_W);
  const Vec3T<D> P_II = sticking_impulse<N>(local);
  const D P_IIt = sqrt(P_II(1) * P_II(1) + P_II(2) * P_II(2));
  const D reach = (D(1) + e) * P_I;
  const D leaving = unlimited ? P_I - P_II(0) : P_IIt - mu * (P_II(0) - P_I);
  const D kappa_stick = D(1) + e_t;
  D kappa = kappa_stick;
  if (leaving.v > 0) {
    const D kappa_slip = (unlimited ? reach : mu * reach) / leaving;
    const bool slips = kappa_slip < kappa_stick;
    if (slips) kappa = kappa_slip;
    if (law.smooth > 0 && kappa.v > 0) {
      const D ratio = kappa / (slips ? kappa_stick : kappa_slip);
      const D power = pow(ratio, D(1) / smooth);
      // ∂/∂smooth of (1 + r^{1/s})^{−s} as well.
      kappa *= pow(D(1) + power, -smooth);
    } else {
      out.add("stick and slip", contrast(kappa_stick, kappa_slip));
    }
  } else if (law.smooth == 0 && !unlimited) {
    // The ray never leaves the cone.
    out.add("stick and slip", D(-1));
  }
  // In the form of the kernel, a sum of terms that are not negative, where μ is large.
  Vec3T<D> P = P_II * kappa;
  P(0) += reach - kappa * P_I;
  out.take<N>(P);
  return {};
}

Expected<void> differentiate(const Bilinear& law, const Local<double>& local, const Outcome&, LocalDerivatives& out) {
  constexpr int N = of_parameters + 3;
  using D = Dual<N>;
  const DualContact<N> c(local);
  const D e = parameter<N>(law.e, 0), mu = parameter<N>(law.mu, 1), e_t = parameter<N>(law.e_t, 2);
  const D P_n = -(D(1) + e) * c.M(0, 0) * c.V(0);
  if (local.V(1) == 0) {
    if (law.mu > 0) out.kink = no_slip;
    out.unset = 2;
    out.take<N>(Vec3T<D>(P_n, D(0), D(0)));
    return {};
  }
  const SlipAxes<N> slip(c);
  const Vec2T<D>& t = slip.t;
  const D M_tt = c.M(1, 1) * t(0) * t(0) + c.M(1, 2) * t(0) * t(1) * 2 + c.M(2, 2) * t(1) * t(1);
  const D sticking = (D(1) + e_t) * M_tt * slip.s;
  D P_t = sticking;
  if (law.mu != endless) {
    const D limit = mu * P_n;
    if (limit < sticking) P_t = limit;
    out.add("stick and slip", contrast(limit, sticking));
  }
  out.take<N>(Vec3T<D>(P_n, P_t * t(0), P_t * t(1)));
  return {};
}

Expected<void> differentiate(const Brach& law, const Local<double>& local, const Outcome&, LocalDerivatives& out) {
  constexpr int N = of_parameters + 4;
  using D = Dual<N>;
  const DualContact<N> c(local, false);
  const D e = parameter<N>(law.e, 0), r_2 = parameter<N>(law.mu_2, 1), r_3 = parameter<N>(law.mu_3, 2);
  if (local.V(1) == 0) {
    if (law.mu_2 != 0 || law.mu_3 != 0) out.kink = no_slip;
    const D response = c.W(0, 0) + c.W(0, 1) * r_2 + c.W(0, 2) * r_3;
    const D P_n = -(D(1) + e) * c.V(0) / response;
    out.take<N>(Vec3T<D>(P_n, P_n * r_2, P_n * r_3));
    return {};
  }
  const SlipAxes<N> slip(c);
  const Vec2T<D> ratio(r_2 * slip.t(0) - r_3 * slip.t(1), r_2 * slip.t(1) + r_3 * slip.t(0));
  const D response = c.W(0, 0) + c.W(0, 1) * ratio(0) + c.W(0, 2) * ratio(1);
  const D P_n = -(D(1) + e) * c.V(0) / response;
  out.add("ratios with which no push ends the approach", response / c.W(0, 0));
  out.take<N>(Vec3T<D>(P_n, P_n * ratio(0), P_n * ratio(1)));
  return {};
}

Expected<void> differentiate(const GradedRegion& law, const Local<double>& local, const Vec3& spin,
                             LocalDerivatives& out) {
  constexpr int numbers = 19, N = of_parameters + numbers + 3;
  using D = Dual<N>;
  const DualContact<N> c(local, false);
  GradedRegionNumbers<D> p(law);
  int k = 0;
  for (D* one : {&p.e, &p.e_v, &p.e_vv, &p.e_i, &p.e_ii, &p.e_r, &p.e_ir, &p.e_c, &p.mu, &p.smooth, &p.tau, &p.tau_v,
                 &p.tau_c, &p.tau_ic, &p.tau_m, &p.chi_c, &p.chi_ic, &p.chi_rc, &p.chi_m})
    *one = parameter<N>(one->v, k++);
  Vec3T<D> turns;
  for (int j = 0; j < 3; ++j) turns(j) = parameter<N>(spin(j), k++);
  const graded_region::Answer<D> answer = graded_region::answer<D>(p, c.W, c.V, turns);
  constexpr unsigned by_e = 1, by_mu = 1U << 8, by_smooth = 1U << 9;
  if (law.mu == 0 || law.mu == endless) out.unset |= by_mu;
  // What energy forbids altogether at e = 1 it allows a little of below.
  if (law.e == 1 && !(answer.share.v > 0)) out.unset |= by_e;
  if (law.smooth == 0) {
    out.unset |= by_smooth;
    if (law.mu > 0) {
      out.add("the limit of friction", contrast(answer.f, D(1)));
      out.add("the limit of energy", contrast(answer.u, D(1)));
      if (answer.f.v > 1 && answer.u.v > 1) out.add("the limits of friction and energy", contrast(answer.f, answer.u));
    }
  }
  out.take<N>(answer.P);
  return {};
}

}  // namespace ricochet::derivatives
