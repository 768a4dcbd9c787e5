#pragma once
/// The slip along one arc of directions, in the variable y in which it is regular (R6 to R9), docs/laws/routh.md:
/// y = ln(sin θ / sin(A − θ)), where θ is half the angle from the repelling end and 2A the whole arc. y runs from −∞ to
/// ∞; direction, slip speed and impulse are analytic in it.

#include <cmath>

#include "ricochet/law/routh/invariant_directions.hpp"
#include "ricochet/law/routh/slip_frame.hpp"

namespace ricochet::routh {

template <class T>
class SlipCurve {
 public:
  RICOCHET_HD SlipCurve(const SlipFlow<T>& flow, const Arc<T>& arc) : flow_(&flow) {
    using std::cos;
    using std::sin;
    const T A = arc.sense * (arc.ahead - arc.behind) / T(2);
    const T theta = arc.sense * (arc.phi - arc.behind) / T(2);
    sense = arc.sense;
    inside_ = theta > T(0) && theta < A;
    const T middle = (arc.ahead + arc.behind) / T(2);
    cosA_ = cos(A);
    sinA = sin(A);
    cosM_ = cos(middle);
    sinM_ = sin(middle);
    cosBehind_ = cos(arc.behind);
    sinBehind_ = sin(arc.behind);
    cos_ahead = cos(arc.ahead);
    sin_ahead = sin(arc.ahead);
    gap = T(2) * A;
    behind_ = arc.behind;
    const T w1 = flow.alpha * flow.frame.w1, w2 = flow.alpha * flow.frame.w2;
    K0_ = T(2) * (w2 * cosM_ - w1 * sinM_) - T(4) * flow.B * sinM_ * cosM_ * cosA_;
    if constexpr (is_dual<T>) K0_ -= T(4) * flow.C() * (cosM_ * cosM_ - sinM_ * sinM_) * cosA_;
    start_ = theta;
  }

  T sense;                 ///< of the turn
  T gap;                   ///< 2A
  T sinA;                  ///< sin A
  T cos_ahead, sin_ahead;  ///< the attracting direction

  /// False where the slip starts on an invariant direction to rounding: then it does not turn.
  [[nodiscard]] RICOCHET_HD bool starts_inside() const { return inside_; }
  [[nodiscard]] RICOCHET_HD bool exists() const { return inside_ && sinA > T(0); }
  /// θ of the direction that the arc was made for; a slip that starts next to the repelling direction amplifies its
  /// rounding error by 1/θ.
  [[nodiscard]] RICOCHET_HD T start() const { return start_; }

  /// y of the direction φ.
  [[nodiscard]] RICOCHET_HD T y_of(T phi) const {
    using std::log;
    using std::sin;
    const T theta = sense * (phi - behind_) / T(2);
    return log(sin(theta) / sin(gap / T(2) - theta));
  }
  /// φ at y.
  [[nodiscard]] RICOCHET_HD T phi_of(T y) const { return behind_ + sense * (gap - gap_rest(y)); }

  /// The angle still to go, from y: tan(A − θ) = sin A / (E + cos A).
  [[nodiscard]] RICOCHET_HD T gap_rest(T y) const {
    using std::atan2;
    using std::exp;
    const T q = exp(-y);
    return T(2) * atan2(q * sinA, T(1) + q * cosA_);
  }

  /// The flow at one point.
  struct Sample {
    T cs, sn, rate, g, k;  ///< direction, dτ/dy, (ln s)', dV_n/dλ
  };

  [[nodiscard]] RICOCHET_HD Sample sample(T y) const {
    using std::abs;
    using std::exp;
    return sample(y, exp(-abs(y)));
  }

  /// The same with e^{−|y|} known.
  [[nodiscard]] RICOCHET_HD Sample sample(T y, T decay) const {
    // e^{i(φ − φ_behind)} = (1 + E e^{iA})²/|1 + E e^{iA}|², E = e^y, written in 1/E where E is large.
    const T zr = y > T(0) ? decay + cosA_ : T(1) + decay * cosA_;
    const T zi = sense * (y > T(0) ? sinA : decay * sinA);
    const T scale = T(1) / (zr * zr + zi * zi);
    const T dr = (zr * zr - zi * zi) * scale;
    const T di = T(2) * zr * zi * scale;
    Sample p;
    p.cs = cosBehind_ * dr - sinBehind_ * di;
    p.sn = sinBehind_ * dr + cosBehind_ * di;
    p.rate = T(2) / (sinA * K(p.cs, p.sn));
    const auto rates = flow_->rates(p.cs, p.sn);
    p.g = rates.g;
    p.k = rates.k;
    return p;
  }

  /// h over the two factors of it that vanish at the ends of the arc (R7).
  [[nodiscard]] RICOCHET_HD T K(T cs, T sn) const {
    if constexpr (is_dual<T>)
      return sense *
             (K0_ - T(2) * flow_->B * (sn * cosM_ + cs * sinM_) - T(4) * flow_->C() * (cs * cosM_ - sn * sinM_));
    return sense * (K0_ - T(2) * flow_->B * (sn * cosM_ + cs * sinM_));
  }
  /// K is a difference: the size of its terms over its value at this rate.
  [[nodiscard]] RICOCHET_HD T cancellation(T rate) const {
    using std::abs;
    return (abs(K0_) + T(2) * flow_->B) * rate * sinA / T(2);
  }
  /// |dK/dφ| / K at the attracting end, whose K is given.
  [[nodiscard]] RICOCHET_HD T relative_slope_ahead(T K_ahead) const {
    using std::abs;
    return T(2) * flow_->B * abs(cos_ahead * cosM_ - sin_ahead * sinM_) / K_ahead;
  }

 private:
  const SlipFlow<T>* flow_;
  T behind_, start_, K0_, cosA_, cosM_, sinM_, cosBehind_, sinBehind_;
  bool inside_;
};

}  // namespace ricochet::routh
