#pragma once
/// How z'' = −λ z goes on from z and z', and how that differs between two λ: what a change of a sticking contact does
/// to its modes, docs/derivatives.md (DV22).

#include <cmath>

#include "ricochet/base/linear.hpp"

namespace ricochet::compliant {

/// With z and z' at the start, after t: z = C z₀ + S z'₀, and its integral is S z₀ + B z'₀.
template <class T>
struct Swing {
  T C, S, B;  ///< cos ωt, sin(ωt)/ω, (1 − cos ωt)/ω², with ω² = λ
};

template <class T>
[[nodiscard]] RICOCHET_HD Swing<T> swing(T lambda, T t) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  if (!(lambda > T(0))) return {T(1), t, t * t / T(2)};
  const T w = sqrt(lambda), half = sin(w * t / T(2));
  return {cos(w * t), sin(w * t) / w, T(2) * half * half / lambda};
}

/// (f(λ₁) − f(λ₂))/(λ₁ − λ₂) of all three, to rounding also where the two meet.
template <class T>
[[nodiscard]] RICOCHET_HD Swing<T> swing_difference(T lambda1, T lambda2, T t) {
  using std::abs;
  using std::cos;
  using std::sin;
  using std::sqrt;
  const T large = lambda1 > lambda2 ? lambda1 : lambda2, small = lambda1 > lambda2 ? lambda2 : lambda1;
  if (large * t * t < T(1)) {
    // Series in λt², with the differences of its powers: h_k = Σ x₁^i x₂^{k−i}.
    const T x1 = large * t * t, x2 = small * t * t;
    T h = T(1), power = T(1), factor = T(1);
    Swing<T> sum{T(0), T(0), T(0)};
    for (int k = 1; k < 14; ++k) {
      factor /= T(-(2 * k - 1) * (2 * k));
      const T term = factor * h;
      sum.C += term;
      sum.S += term / T(2 * k + 1);
      sum.B += term / T((2 * k + 1) * (2 * k + 2));
      power *= x2;
      h = x1 * h + power;
    }
    return {sum.C * t * t, sum.S * t * t * t, sum.B * t * t * t * t};
  }
  if (small < large / T(2)) {
    const Swing<T> a = swing(large, t), b = swing(small, t);
    const T gap = large - small;
    return {(a.C - b.C) / gap, (a.S - b.S) / gap, (a.B - b.B) / gap};
  }
  // With the mean m and half the difference d of the two frequencies, whose quotients have a limit at d = 0.
  const T w1 = sqrt(large), w2 = sqrt(small), m = (w1 + w2) / T(2), d = (large - small) / (T(4) * m);
  const T cm = cos(m * t), sm = sin(m * t) / m, cd = cos(d * t), sd = d * t > T(1e-9L) ? sin(d * t) / d : t;
  return {-sm * sd / T(2), (cm * sd - sm * cd) / (T(2) * w1 * w2),
          (cm * cd - T(1) + (large + small) / T(4) * sm * sd) / (large * small)};
}

}  // namespace ricochet::compliant
