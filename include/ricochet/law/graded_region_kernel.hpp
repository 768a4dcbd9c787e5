#pragma once
/// Coordinates of the permissible region as smooth functions of the contact, docs/laws/graded-region.md.

#include <cmath>
#include <limits>

#include "ricochet/law/graded_region.hpp"
#include "ricochet/law/solution.hpp"

namespace ricochet {

/// The parameters as numbers of type T: doubles, or variables of their own where they are differentiated by.
template <class T>
struct GradedRegionNumbers {
  T e, e_v, e_vv, e_i, e_ii, e_r, e_ir, e_c, e_m, mu, smooth, tau, tau_v, tau_c, tau_ic, tau_m, chi_c, chi_ic, chi_rc,
      chi_m;

  RICOCHET_HD explicit GradedRegionNumbers(const GradedRegion& law)
      : e(law.e),
        e_v(law.e_v),
        e_vv(law.e_vv),
        e_i(law.e_i),
        e_ii(law.e_ii),
        e_r(law.e_r),
        e_ir(law.e_ir),
        e_c(law.e_c),
        e_m(law.e_m),
        mu(law.mu),
        smooth(law.smooth),
        tau(law.tau),
        tau_v(law.tau_v),
        tau_c(law.tau_c),
        tau_ic(law.tau_ic),
        tau_m(law.tau_m),
        chi_c(law.chi_c),
        chi_ic(law.chi_ic),
        chi_rc(law.chi_rc),
        chi_m(law.chi_m) {}
};

namespace graded_region {

template <class T>
RICOCHET_HD T dot(const Vec2T<T>& a, const Vec2T<T>& b) {
  return a(0) * b(0) + a(1) * b(1);
}

/// λ of (GR5), from the limits f and u that are not negative. Powers of ratios to the largest, which do not overflow.
template <class T>
RICOCHET_HD T allowed_share(const T& f, const T& u, const T& smooth) {
  using std::pow;
  T largest = T(1);
  if (f > largest) largest = f;
  if (u > largest) largest = u;
  if (!(largest < T(std::numeric_limits<double>::infinity()))) return T(0);
  if (!(smooth > T(0))) return T(1) / largest;
  const T m = T(1) / smooth;
  const auto power = [&](const T& x) {
    if (!(x > T(0))) return T(0);
    return x == largest ? T(1) : T(pow(x / largest, m));
  };
  return T(pow(power(T(1)) + power(f) + power(u), -smooth)) / largest;
}

/// x ↦ (I + W_tt/W_nn)⁻¹ x = x − R x, from the entries of W_tt/W_nn.
template <class T>
struct WithoutMobility {
  T a, b, c;
  RICOCHET_HD WithoutMobility(const T& W_22, const T& W_23, const T& W_33) {
    const T det = (T(1) + W_22) * (T(1) + W_33) - W_23 * W_23;
    a = (T(1) + W_33) / det;
    b = -W_23 / det;
    c = (T(1) + W_22) / det;
  }
  RICOCHET_HD Vec2T<T> operator()(const Vec2T<T>& x) const {
    return Vec2T<T>(a * x(0) + b * x(1), b * x(0) + c * x(1));
  }
};

/// What the coordinates depend on, (GR1).
template <class T>
struct Features {
  T v, k, s;  ///< speed, cosine of incidence, graded speed
  Vec2T<T> i, c, gamma, varpi;
  T W_22, W_23, W_33;  ///< over W_nn
  T ii, gg, ig;
  T m;  ///< mobility along slip and coupling, less that of a solid sphere

  /// `spin` is the difference of the angular velocities in local axes [rad/s].
  RICOCHET_HD Features(const Mat3T<T>& W, const Vec3T<T>& V, const Vec3T<T>& spin) {
    using std::sqrt;
    using V2 = Vec2T<T>;
    // Squares of velocities over their largest part, which neither overflow nor vanish.
    T largest = T(0);
    for (int a = 0; a < 3; ++a) {
      const T size = V(a) < T(0) ? -V(a) : V(a);
      if (size > largest) largest = size;
    }
    const Vec3T<T> part(V(0) / largest, V(1) / largest, V(2) / largest);
    const T length = sqrt(part(0) * part(0) + part(1) * part(1) + part(2) * part(2));
    const T W_nn = W(0, 0);
    v = largest * length;
    k = -part(0) / length;
    i = V2(part(1) / length, part(2) / length);
    c = V2(W(0, 1) / W_nn, W(0, 2) / W_nn);
    W_22 = W(1, 1) / W_nn;
    W_23 = W(1, 2) / W_nn;
    W_33 = W(2, 2) / W_nn;
    const T couple = T(1) / sqrt(T(1) + dot<T>(c, c));
    gamma = V2(c(0) * couple, c(1) * couple);
    varpi = rolling(spin);
    s = T(2) * (v - T(1)) / (v + T(1));
    ii = dot<T>(i, i);
    gg = dot<T>(gamma, gamma);
    ig = dot<T>(i, gamma);
    const WithoutMobility<T> without(W_22, W_23, W_33);
    const T resisted = dot<T>(i, without(i)) + dot<T>(gamma, without(gamma));
    m = ((T(1) - T(sphere)) * (ii + gg) - resisted) / (ii + gg + T(faint));
  }

  static constexpr double sphere = 7.0 / 9;  ///< R of a solid sphere
  static constexpr double faint = 0.1;       ///< where the squares of i and γ are less, m fades

  /// To be filled.
  Features() = default;

  /// ω × n over 20 rad/s, bounded; n is the first axis.
  [[nodiscard]] RICOCHET_HD static Vec2T<T> rolling(const Vec3T<T>& spin) {
    using std::sqrt;
    constexpr double reference = 20;
    const Vec2T<T> roll(spin(2) / T(reference), -spin(1) / T(reference));
    const T rolls = T(1) / sqrt(T(1) + dot<T>(roll, roll));
    return Vec2T<T>(roll(0) * rolls, roll(1) * rolls);
  }
};

/// The sums of graded parameters: P depends on these parameters through them alone.
template <class T>
struct Sums {
  T logit, tau, chi;

  template <class S>
  RICOCHET_HD Sums(const GradedRegionNumbers<S>& p, const Features<T>& x)
      : logit(p.e_v * x.s + p.e_vv * x.s * x.s + p.e_i * x.ii + p.e_ii * x.ii * x.ii +
              p.e_r * dot<T>(x.varpi, x.varpi) + p.e_ir * dot<T>(x.i, x.varpi) + p.e_c * x.gg + p.e_m * x.m),
        tau(p.tau + p.tau_v * x.s + p.tau_c * x.gg + p.tau_ic * x.ig),
        chi(p.chi_c * x.gg + p.chi_ic * x.ig + p.chi_rc * dot<T>(x.varpi, x.gamma)) {}
};

/// What (GR1) to (GR5) come to.
template <class T>
struct Answer {
  Vec3T<T> P;
  T f, u, share;  ///< the limits of friction and energy, and λ
};

/// Of the numbers only e, μ, smooth, τ_m and χ_m.
template <class T, class Numbers>
RICOCHET_HD Answer<T> answer(const Numbers& p, const Features<T>& x, const Sums<T>& sums, const T& W_nn) {
  using std::exp;
  using std::sqrt;
  using V2 = Vec2T<T>;
  const T &k = x.k, &W_22 = x.W_22, &W_23 = x.W_23, &W_33 = x.W_33;
  const V2 &i = x.i, &c = x.c, &gamma = x.gamma;
  const WithoutMobility<T> without(W_22, W_23, W_33);
  const auto R = [&](const V2& y) {
    const V2 rest = without(y);
    return V2(y(0) - rest(0), y(1) - rest(1));
  };

  // Of the two forms of ê and 1 − ê, those whose exponential is at most 1.
  const bool rises = sums.logit > T(0);
  const T E = rises ? T(exp(-sums.logit)) : T(exp(sums.logit));
  const T of_e = rises ? p.e : T(p.e * E), of_rest = rises ? T((T(1) - p.e) * E) : T(T(1) - p.e);
  const T sum = of_e + of_rest;
  const T e = of_e / sum, rest = of_rest / sum;

  const V2 y(i(0) + k * c(0), i(1) + k * c(1));
  const V2 R_y = R(y), R_gamma = R(gamma);
  const T reach = (T(1) + e) * k;
  V2 g;
  for (int a = 0; a < 2; ++a)
    g(a) = -(sums.tau * y(a) + p.tau_m * R_y(a)) + reach * (sums.chi * gamma(a) + p.chi_m * R_gamma(a));

  const T square = dot<T>(g, g), gc = dot<T>(g, c);
  const bool unlimited = p.mu == T(std::numeric_limits<double>::infinity());
  T f = unlimited ? gc : gc + (square > T(0) ? T(sqrt(square)) : T(0)) / p.mu;
  f = f > T(0) ? T(f / reach) : T(0);
  const T a = W_22 * g(0) * g(0) + T(2) * W_23 * g(0) * g(1) + W_33 * g(1) * g(1) - gc * gc;
  const T b = dot<T>(g, y), E_0 = rest * (T(1) + e) * k * k;
  const T under = b * b + (a > T(0) ? a * E_0 : T(0));
  T u = T(0);
  if (b > T(0)) {
    u = (b + sqrt(under)) / E_0;
  } else if (a > T(0)) {
    u = a / (sqrt(under) - b);
  }
  Answer<T> out;
  out.f = f;
  out.u = u;
  out.share = square > T(0) ? allowed_share<T>(f, u, p.smooth) : T(1);
  const T unit = x.v / W_nn;
  T P_n = reach;
  if (gc > T(0) && out.share > T(0)) {
    // Towards the cone of a large μ, P_n is a small difference. With λ f ≤ 1 it is a sum of nonnegative terms.
    const T left = T(1) - out.share * f;
    P_n = reach * (left > T(0) ? left : T(0)) + (unlimited ? T(0) : T(out.share * sqrt(square) / p.mu));
  } else if (out.share > T(0)) {
    P_n -= out.share * gc;
  }
  out.P = Vec3T<T>(unit * P_n, unit * out.share * g(0), unit * out.share * g(1));
  return out;
}

/// `spin` is the difference of the angular velocities in local axes [rad/s].
template <class T>
RICOCHET_HD Answer<T> answer(const GradedRegionNumbers<T>& p, const Mat3T<T>& W, const Vec3T<T>& V,
                             const Vec3T<T>& spin) {
  const Features<T> x(W, V, spin);
  return answer<T>(p, x, Sums<T>(p, x), W(0, 0));
}

}  // namespace graded_region

template <class T>
RICOCHET_HD Solution<T> solve(const GradedRegion& law, const Local<T>& c, const Vec3T<T>& spin) {
  const graded_region::Answer<T> a = graded_region::answer<T>(GradedRegionNumbers<T>(law), c.W, c.V, spin);
  return straight<T>(c, a.P, a.f > T(1) && a.f > a.u ? Mode::slip : Mode::stick);
}
/// Without rolling.
template <class T>
RICOCHET_HD Solution<T> solve(const GradedRegion& law, const Local<T>& c) {
  return solve<T>(law, c, Vec3T<T>(T(0), T(0), T(0)));
}

}  // namespace ricochet
