#pragma once
/// What is left of a slip curve near its end, to first order in the angle x to the attracting direction, where s(x) and
/// its integrals are s (c₀ + c₁ x) (R10), docs/laws/routh.md.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ricochet/law/routh/slip_curve.hpp"

namespace ricochet::routh {

template <class T>
struct CurveEnd {
  enum class Kind : std::uint8_t {
    open,      ///< too far from the end: integrate on
    straight,  ///< the slip no longer turns, or is gone before it does
    known,     ///< the slip ends after the amounts below
  };
  Kind kind = Kind::open;
  bool arrived = false;           ///< straight along the attracting direction
  T rest = T(0);                  ///< ∫ dλ to the end of the slip
  Vec2T<T> q = Vec2T<T>::Zero();  ///< ∫ v̂ dλ
  T D = T(0);                     ///< ∫ s dλ
  T rise = T(0);                  ///< of V_n
  T lag = T(0);                   ///< V_n⁺ rest − ∫ V_n dλ
  T k = T(0);                     ///< dV_n/dλ at the end

  /// At the place y with slip speed s, which is `share` of the one at the start of the impact.
  RICOCHET_HD CurveEnd(const SlipFlow<T>& flow, const SlipCurve<T>& curve, T y, T s, T share) {
    using std::sqrt;
    constexpr T eps = std::numeric_limits<T>::epsilon();
    const SlipFrame<T>& f = flow.frame;
    const T cs = curve.cos_ahead, sn = curve.sin_ahead;
    const T x = curve.gap_rest(y);
    const T negligible = std::max<T>(eps / T(16), T(1e-19L));
    if (x < negligible) {
      kind = Kind::straight;
      arrived = true;
      return;
    }
    // How far x carries, against the distance to the next invariant direction: K, of which (R10) takes the value at
    // x = 0, changes by this share of itself.
    const T K = curve.K(cs, sn);
    const T carry = x * (T(1) + curve.relative_slope_ahead(K) + sqrt(T(2) * flow.B / K));
    if (!(std::min<T>(carry * carry, T(1)) * share < negligible)) return;
    if (!(carry * carry <= T(1e-3L))) {  // the slip is gone before the direction settles
      if (curve.sample(y).g < T(0)) kind = Kind::straight;
      return;
    }
    const auto rates = flow.rates(cs, sn);
    const T g0 = rates.g;
    k = rates.k;
    if (!(g0 < T(0))) return;
    kind = Kind::known;
    T g1 = curve.sense * flow.B * sn * cs;
    if constexpr (is_dual<T>) g1 += curve.sense * flow.C() * (cs * cs - sn * sn);
    const T pull = curve.sinA * K / T(2);
    const T k1 = curve.sense * flow.beta * (f.w2 * cs - f.w1 * sn);
    const T c0 = T(-1) / g0, c1 = g1 * c0 / (pull - g0);
    rest = s * (c0 + c1 * x);
    const T swerve = s * x / (pull - g0);
    const T d0 = c0 / T(2), d1 = T(2) * g1 * d0 / (pull - T(2) * g0);
    D = s * s * (d0 + d1 * x);
    const T e0 = -k / g0, e1 = (g1 * e0 + k1) / (pull - g0);
    rise = s * (e0 + e1 * x);
    lag = e0 * D + e1 * s * s * x / (pull - T(2) * g0);
    q = Vec2T<T>(cs, sn) * rest - curve.sense * swerve * Vec2T<T>(-sn, cs);
  }
};

}  // namespace ricochet::routh
