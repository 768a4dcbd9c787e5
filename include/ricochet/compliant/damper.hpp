#pragma once
/// How the normal spring loses energy, and the coefficient with which a central impact returns just e,
/// docs/laws/spring-sledge.md (L13, L14).

#include <cmath>
#include <limits>

#include "ricochet/base/bracketed_secant.hpp"
#include "ricochet/base/linear.hpp"
#include "ricochet/compliant/spring_sledge.hpp"

namespace ricochet::compliant {

/// Root of a function that rises through zero between lo and hi, to rounding.
template <class T, class F>
RICOCHET_HD T rising_root(const F& f, T lo, T hi) {
  return bracketed_secant<T>(f, lo, f(lo), hi, f(hi), std::numeric_limits<T>::epsilon()).middle();
}

/// −ln e of a central impact on spring and linear damper with damping ratio ζ (L13).
template <class T>
RICOCHET_HD T linear_loss(T zeta) {
  using std::abs;
  using std::acos;
  using std::log1p;
  using std::sqrt;
  const T gap = (T(1) - zeta) * (T(1) + zeta);
  // arccos ζ / √(1 − ζ²) and its continuation, 1 − gap'/3 around ζ = 1 where both vanish.
  if (abs(gap) < T(1e-4)) {
    // With x = √(1−ζ²): arcsin x / x = 1 + x²/6 + 3x⁴/40 + 15x⁶/336 + ..., which holds for x² < 0 too.
    T term = T(1), sum = T(1);
    for (int k = 1; k < 12; ++k) {
      term *= gap * T(2 * k - 1) / T(2 * k);
      sum += term / T(2 * k + 1);
    }
    return T(2) * zeta * sum;
  }
  if (gap > T(0)) return T(2) * zeta * acos(zeta) / sqrt(gap);
  const T root = sqrt(-gap);
  return T(2) * zeta * log1p(zeta - T(1) + root) / root;
}

/// d = 2ζ for a central impact that returns e, 0 < e ≤ 1.
template <class T>
RICOCHET_HD T linear_coefficient(T e) {
  using std::exp;
  using std::log;
  if (!(e < T(1))) return T(0);
  const T wanted = -log(e);
  // ζ arccos ζ/√(1−ζ²) lies above ζ, and above ln 2ζ.
  return T(2) *
         rising_root([&](T zeta) { return linear_loss(zeta) - wanted; }, T(0), wanted / T(2) + exp(wanted / T(2)));
}

/// (u − ln(1 + u))/u².
template <class T>
RICOCHET_HD T log_remainder(T u) {
  using std::abs;
  using std::log1p;
  if (abs(u) > T(0.25)) return (u - log1p(u)) / (u * u);
  T power = T(1), sum = T(0);
  for (int k = 2; k < 60; ++k) {
    sum += power / T(k);
    power *= -u;
    if (abs(power) < std::numeric_limits<T>::epsilon() / T(8)) break;
  }
  return sum;
}

/// α|V_n⁻| for a central impact that returns e, 0 < e ≤ 1 (L14).
template <class T>
RICOCHET_HD T hunt_crossley_coefficient(T e) {
  if (!(e < T(1))) return T(0);
  const auto excess = [&](T U) { return e * e * log_remainder(-e * U) - log_remainder(U); };
  // Falls short at 0, exceeds all bounds at 1/e.
  constexpr T eps = std::numeric_limits<T>::epsilon();
  return rising_root(excess, T(0), (T(1) - eps) / e);
}

}  // namespace ricochet::compliant
