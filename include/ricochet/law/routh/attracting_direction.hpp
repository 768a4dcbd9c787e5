#pragma once
/// The direction towards which slip turns: the next zero of h(φ) ahead (R5), docs/laws/routh.md. With w₁, w₂ ≥ 0 and
/// the mobility larger along axis 2 one attracting direction lies in the first quadrant, one repelling direction in the
/// third and, where w lies inside an astroid, one of each in the second. By the angle ψ from the horizontal axis of a
/// quadrant
///   I   (φ = ψ)      h =  w₂ cos ψ − w₁ sin ψ − B sin ψ cos ψ
///   II  (φ = π − ψ)  h = −w₂ cos ψ − w₁ sin ψ + B sin ψ cos ψ,  highest at tan ψ = (w₂/w₁)^⅓
/// With t = tan ψ/2 the zeros are those of a quartic without a square, and no angle is needed. Where a component of w
/// vanishes they lie on an axis or have a closed form, and must not be confused with each other.

#include <cmath>
#include <limits>

#include "ricochet/base/bracketed_newton.hpp"
#include "ricochet/law/routh/slip_frame.hpp"

namespace ricochet::routh {

template <class T>
class AttractingDirections {
 public:
  /// w₁, w₂ ≥ 0 are α times the coupling, B ≥ 0 is β times the difference of the mobilities.
  RICOCHET_HD AttractingDirections(T w1, T w2, T B) : w1_(w1), w2_(w2), B_(B) {
    const T x = w1 / B, y = w2 / B, room = T(1) - x * x - y * y;
    second_ = w1 == T(0) || w2 == T(0) ? w1 + w2 < B : room > T(0) && room * room * room > T(27) * x * x * y * y;
  }

  /// Whether there are two, one of them in the second quadrant.
  [[nodiscard]] RICOCHET_HD bool second() const { return second_; }
  /// Evaluations of h so far.
  [[nodiscard]] RICOCHET_HD int evaluations() const { return evaluations_; }

  /// The one in the first quadrant.
  [[nodiscard]] RICOCHET_HD Vec2T<T> in_first_quadrant() {
    using std::sqrt;
    if (w2_ == T(0)) return {T(1), T(0)};
    if (B_ == T(0)) return Vec2T<T>(w1_, w2_) / Vec2T<T>(w1_, w2_).norm();
    if (w1_ == T(0)) return w2_ < B_ ? Vec2T<T>(leg(w2_), w2_ / B_) : Vec2T<T>(T(0), T(1));
    // tan ψ is between w₂/(w₁ + B) and w₂/w₁.
    return direction(root(w2_, -w1_, -B_, T(1), T(0), half_tangent(w2_ / (w1_ + B_))));
  }
  /// The one in the second quadrant, where it is.
  [[nodiscard]] RICOCHET_HD Vec2T<T> in_second_quadrant() {
    using std::cbrt;
    if (w2_ == T(0)) return {T(-1), T(0)};
    if (w1_ == T(0)) return {-leg(w2_), w2_ / B_};
    const T crest = half_tangent(cbrt(w2_ / w1_));
    const Vec2T<T> v = direction(root(-w2_, -w1_, B_, T(0), crest, crest / T(2)));
    return {-v(0), v(1)};
  }

  /// The one ahead of the direction (cs, sn), at which h is given and not zero.
  [[nodiscard]] RICOCHET_HD Vec2T<T> ahead(T cs, T sn, T h) {
    if (!second_) return in_first_quadrant();
    // Above zero in the second quadrant: between its two zeros. Below: on either side of them.
    const bool past_crest = sn < T(0) || (cs < T(0) && sn * sn * sn * w1_ < -cs * cs * cs * w2_);
    const bool to_second = h > T(0) ? cs <= T(0) && sn >= T(0) : past_crest;
    return to_second ? in_second_quadrant() : in_first_quadrant();
  }

 private:
  /// √(1 − (w/B)²).
  [[nodiscard]] RICOCHET_HD T leg(T w) const {
    using std::sqrt;
    return sqrt((T(1) - w / B_) * (T(1) + w / B_));
  }
  /// tan ψ/2 from tan ψ.
  RICOCHET_HD static T half_tangent(T tangent) {
    using std::sqrt;
    return tangent < T(1e9) ? T(tangent / (T(1) + sqrt(T(1) + tangent * tangent))) : T(1);
  }
  RICOCHET_HD static Vec2T<T> direction(T t) {
    const T D = T(1) + t * t;
    return {(T(1) - t) * (T(1) + t) / D, T(2) * t / D};
  }

  /// Zero of p cos ψ + q sin ψ + r sin ψ cos ψ, as t = tan ψ/2, from places with values below and above zero.
  RICOCHET_HD T root(T p, T q, T r, T below, T above, T start) {
    using std::sqrt;
    const auto value = [=](T t) {
      const T square = t * t;
      return ValueAndSlope<T>{p * (T(1) - square * square) + T(2) * t * ((q + r) + (q - r) * square),
                              T(2) * (q + r) + square * (T(6) * (q - r) - T(4) * p * t)};
    };
    const auto found = bracketed_newton<T>(value, below, above, start, sqrt(std::numeric_limits<T>::epsilon()));
    evaluations_ += found.evaluations + 1;
    // The bracket may have held the last step back, next to an axis.
    const auto last = value(found.next);
    const T step = last.f / last.f1, most = T(1e-6L) + sqrt(std::numeric_limits<T>::epsilon());
    return step < most && step > -most ? found.next - step : found.next;
  }

  T w1_, w2_, B_;
  bool second_;
  int evaluations_ = 0;
};

}  // namespace ricochet::routh
