#pragma once
/// When friction against a slip that friction itself changes has one answer only, docs/laws/whittaker.md (WH3).

#include <cmath>

#include "ricochet/base/linear.hpp"

namespace ricochet {

/// Homogeneous form of the friction coefficient: on the cone P = λ(α, −β v̂), α = 1/(1+μ), β = μ/(1+μ). μ = ∞ is the
/// ordinary point α = 0, β = 1.
template <class T>
struct ConeWeights {
  T alpha, beta;
};

/// Whether for this W, whatever V and e, Whittaker's law has exactly one answer and Smith's curve does not turn back:
///   α (w_nn W_tt − w wᵀ) − ½ β ‖b‖ (I + b̂ b̂ᵀ) positive definite, β ‖w‖ < α w_nn,                       (WH3)
/// where b is adj(W_tt) w turned by a right angle. Where it is a matter of rounding: no.
template <class T>
[[nodiscard]] RICOCHET_HD bool has_one_answer(const Mat3T<T>& W, const ConeWeights<T>& cone) {
  using std::sqrt;
  const T n = W(0, 0), w1 = W(1, 0), w2 = W(2, 0), t11 = W(1, 1), t12 = W(1, 2), t22 = W(2, 2);
  const T b1 = t12 * w1 - t11 * w2, b2 = t22 * w1 - t12 * w2, size = sqrt(b1 * b1 + b2 * b2);
  const T share = size > T(0) ? cone.beta / (T(2) * size) : T(0);
  const T spare = cone.beta * size / T(2) + T(1e-9) * cone.alpha * n * (t11 + t22);
  const T s11 = cone.alpha * (n * t11 - w1 * w1) - share * b1 * b1 - spare;
  const T s12 = cone.alpha * (n * t12 - w1 * w2) - share * b1 * b2;
  const T s22 = cone.alpha * (n * t22 - w2 * w2) - share * b2 * b2 - spare;
  const T normal = cone.alpha * n;
  return s11 > T(0) && s11 * s22 > s12 * s12 &&
         cone.beta * cone.beta * (w1 * w1 + w2 * w2) < T(0.999) * normal * normal;
}

}  // namespace ricochet
