#pragma once
/// Directions in which slip does not turn, the zeros of h(φ) (R5), docs/laws/routh.md. With w₁, w₂ ≥ 0 and the mobility
/// larger along axis 2 there is one attractor in the first quadrant, one repeller in the third and, where w lies inside
/// an astroid, a repeller and an attractor in the second. h in each quadrant, by the angle ψ from its horizontal axis:
///   I   (φ = ψ)      w₂ cos ψ − w₁ sin ψ − B sin ψ cos ψ
///   II  (φ = π − ψ) −w₂ cos ψ − w₁ sin ψ + B sin ψ cos ψ,  highest at tan ψ = (w₂/w₁)^⅓
///   III (φ = π + ψ) −w₂ cos ψ + w₁ sin ψ − B sin ψ cos ψ
/// Where a component of w vanishes the zeros lie on an axis or have a closed form, and must not be confused with each
/// other.

#include <cmath>
#include <limits>

#include "ricochet/base/constants.hpp"
#include "ricochet/base/linear.hpp"

namespace ricochet::routh {

/// The stretch of directions between two invariant ones through which slip turns.
template <class T>
struct Arc {
  T behind, ahead;  ///< the repelling and the attracting end
  T phi;            ///< the present direction, between them
  T sense;          ///< of the turn: +1 or −1
};

template <class T>
class InvariantDirections {
 public:
  /// w₁, w₂ ≥ 0 are α times the coupling, B ≥ 0 is β times the difference of the mobilities.
  RICOCHET_HD InvariantDirections(T w1, T w2, T B) : w1_(w1), w2_(w2), B_(B), half_(ricochet::pi<T>() / T(2)) {
    using std::atan2;
    using std::cbrt;
    using std::cos;
    using std::sin;
    const T r1 = cbrt(w1_), r2 = cbrt(w2_);
    crest_ = w1_ > T(0) || w2_ > T(0) ? T(atan2(r2, r1)) : half_ / T(2);
    const T top = B_ * sin(crest_) * cos(crest_) - w2_ * cos(crest_) - w1_ * sin(crest_);
    second_pair_ = w1_ == T(0) || w2_ == T(0) ? w1_ + w2_ < B_ : top > T(0);
  }

  /// Whether there are four directions, a pair of them in the second quadrant.
  [[nodiscard]] RICOCHET_HD bool second_pair() const { return second_pair_; }
  /// Evaluations of h so far.
  [[nodiscard]] RICOCHET_HD int evaluations() const { return evaluations_; }

  [[nodiscard]] RICOCHET_HD T first_attractor() {
    using std::asin;
    using std::atan2;
    if (B_ == T(0)) return T(atan2(w2_, w1_));
    if (w2_ == T(0)) return T(0);
    if (w1_ == T(0)) return w2_ < B_ ? T(asin(w2_ / B_)) : half_;
    return root(w2_, -w1_, -B_, T(0), half_);
  }
  [[nodiscard]] RICOCHET_HD T first_repeller() {
    using std::acos;
    using std::atan2;
    const T straight = ricochet::pi<T>();
    if (B_ == T(0)) return T(atan2(w2_, w1_)) + straight;
    if (w2_ == T(0)) return straight + (w1_ < B_ ? T(acos(w1_ / B_)) : T(0));
    if (w1_ == T(0)) return straight + half_;
    return straight + root(-w2_, w1_, -B_, T(0), half_);
  }
  [[nodiscard]] RICOCHET_HD T second_repeller() {
    using std::acos;
    if (w2_ == T(0)) return ricochet::pi<T>() - T(acos(w1_ / B_));
    if (w1_ == T(0)) return half_;
    return ricochet::pi<T>() - root(-w2_, -w1_, B_, crest_, half_);
  }
  [[nodiscard]] RICOCHET_HD T second_attractor() {
    using std::asin;
    if (w2_ == T(0)) return ricochet::pi<T>();
    if (w1_ == T(0)) return ricochet::pi<T>() - T(asin(w2_ / B_));
    return ricochet::pi<T>() - root(-w2_, -w1_, B_, T(0), crest_);
  }

  /// The arc that contains the direction (cs, sn), at which h is given and not zero.
  [[nodiscard]] RICOCHET_HD Arc<T> around(T cs, T sn, T h) {
    using std::atan2;
    const T straight = ricochet::pi<T>();
    Arc<T> arc;
    arc.phi = atan2(sn, cs);  // from −π to π
    if (h > T(0)) {
      arc.sense = T(1);
      if (second_pair_ && arc.phi >= half_) {  // above zero in the second quadrant: between its two zeros
        arc.behind = second_repeller();
        arc.ahead = second_attractor();
      } else {
        arc.ahead = first_attractor();
        arc.behind = first_repeller() - T(2) * straight;
        if (arc.phi > arc.ahead) arc.phi -= T(2) * straight;
      }
    } else {
      arc.sense = T(-1);
      if (arc.phi < T(0)) arc.phi += T(2) * straight;
      if (second_pair_ && arc.phi > straight - crest_) {
        arc.behind = first_repeller();
        arc.ahead = second_attractor();
      } else {
        arc.behind = second_pair_ ? second_repeller() : first_repeller();
        arc.ahead = first_attractor();
      }
    }
    return arc;
  }

 private:
  /// Zero of p cos ψ + q sin ψ + r sin ψ cos ψ between lo and hi, at whose ends it has opposite signs. ψ is counted
  /// from the nearest axis, so that a zero next to it is not lost in the rounding of π.
  RICOCHET_HD T root(T p, T q, T r, T lo, T hi) {
    using std::abs;
    using std::cos;
    using std::sin;
    constexpr T eps = std::numeric_limits<T>::epsilon();
    const auto value = [&](T cs, T sn) { return p * cs + q * sn + r * sn * cs; };
    const bool rising = value(cos(lo), sin(lo)) < T(0);
    T x = (lo + hi) / T(2);
    for (int i = 0; i < 200; ++i) {
      ++evaluations_;
      const T cs = cos(x), sn = sin(x);
      const T f = value(cs, sn);
      if ((f < T(0)) == rising) {
        lo = x;
      } else {
        hi = x;
      }
      T next = x - f / (q * cs - p * sn + r * (cs * cs - sn * sn));
      if (!(next >= lo && next <= hi)) next = (lo + hi) / T(2);
      const T moved = abs(next - x);
      x = next;
      if (moved <= T(2) * eps * x || f == T(0)) break;
    }
    return x;
  }

  T w1_, w2_, B_, half_, crest_;
  bool second_pair_;
  int evaluations_ = 0;
};

}  // namespace ricochet::routh
