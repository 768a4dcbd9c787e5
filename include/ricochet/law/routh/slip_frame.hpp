#pragma once
/// The frame in which slip is integrated, docs/laws/routh.md: principal axes of W_tt, the smaller mobility first,
/// reflected so that the coupling w between normal and tangential motion has no negative component. In it
///   W_tt = diag(a, b),  0 ≤ a ≤ b,   w = (w₁, w₂) ≥ 0.
/// The frame is that of the values: where they carry derivatives, W_tt keeps an off-diagonal entry of value zero, for
/// principal axes are not differentiable where a = b, and the answer is.

#include "ricochet/base/dual.hpp"
#include "ricochet/base/jacobi.hpp"
#include "ricochet/base/linear.hpp"

namespace ricochet::routh {

template <class T>
struct SlipFrame {
  T a = T(0), b = T(0), w1 = T(0), w2 = T(0), w_nn = T(0);
  Vec2T<T> axis1 = Vec2T<T>::Zero(), axis2 = Vec2T<T>::Zero();  ///< in local axes 2 and 3

  T off = T(0);  ///< of value zero

  RICOCHET_HD explicit SlipFrame(const Mat3T<T>& W) {
    if constexpr (is_dual<T>) {
      take(W);
    } else {
      find(W);
    }
  }

  /// A tangential vector of the local axes, in this frame.
  [[nodiscard]] RICOCHET_HD Vec2T<T> from_local(const Vec2T<T>& v) const { return {axis1.dot(v), axis2.dot(v)}; }
  /// A normal component and a tangential vector of this frame, in local axes.
  [[nodiscard]] RICOCHET_HD Vec3T<T> to_local(T normal, const Vec2T<T>& v) const {
    const Vec2T<T> t = axis1 * v(0) + axis2 * v(1);
    return Vec3T<T>(normal, t(0), t(1));
  }
  /// W_tt⁻¹ w, what holds the contact per normal impulse; `floor` of b counts as immovable.
  [[nodiscard]] RICOCHET_HD Vec2T<T> hold(T floor) const {
    if constexpr (is_dual<T>) {
      const T determinant = a * b - off * off;
      return {(b * w1 - off * w2) / determinant, (a * w2 - off * w1) / determinant};
    } else {
      return {a > floor * b ? w1 / a : T(0), b > T(0) ? w2 / b : T(0)};
    }
  }

 private:
  RICOCHET_HD void take(const Mat3T<T>& W) {
    const SlipFrame<ValueScalar<T>> frame(values_of(W));
    for (int i = 0; i < 2; ++i) {
      axis1(i) = T(frame.axis1(i));
      axis2(i) = T(frame.axis2(i));
    }
    const Mat2T<T> W_tt = W.template block<2, 2>(1, 1);
    const Vec2T<T> w_local(W(1, 0), W(2, 0));
    a = axis1.dot(W_tt * axis1);
    b = axis2.dot(W_tt * axis2);
    off = axis1.dot(W_tt * axis2);
    w1 = axis1.dot(w_local);
    w2 = axis2.dot(w_local);
    w_nn = W(0, 0);
    // The values are those of the frame, to the last bit.
    a.v = frame.a;
    b.v = frame.b;
    off.v = 0;
    w1.v = frame.w1;
    w2.v = frame.w2;
  }

  RICOCHET_HD void find(const Mat3T<T>& W) {
    const T A11 = W(1, 1), A22 = W(2, 2), A12 = W(1, 2);
    T cs = T(1), sn = T(0);
    a = A11;
    b = A22;
    if (A12 != T(0)) {
      const JacobiRotation<T> rotation = jacobi_rotation<T>(A11, A22, A12);
      cs = rotation.cs;
      sn = rotation.sn;
      a = A11 - rotation.t * A12;
      b = A22 + rotation.t * A12;
    }
    axis1 = Vec2T<T>(cs, -sn);
    axis2 = Vec2T<T>(sn, cs);
    if (a > b) {
      const T larger = a;
      a = b;
      b = larger;
      const Vec2T<T> axis = axis1;
      axis1 = axis2;
      axis2 = axis;
    }
    if (a < T(0)) a = T(0);  // rounding of a singular W
    const Vec2T<T> w_local(W(1, 0), W(2, 0));
    w1 = axis1.dot(w_local);
    w2 = axis2.dot(w_local);
    if (w1 < T(0)) {
      w1 = -w1;
      axis1 = -axis1;
    }
    if (w2 < T(0)) {
      w2 = -w2;
      axis2 = -axis2;
    }
    w_nn = W(0, 0);
  }
};

/// The frame of the values alone, its axes left out.
template <class T>
[[nodiscard]] SlipFrame<ValueScalar<T>> values_of_frame(const SlipFrame<T>& f) {
  SlipFrame<ValueScalar<T>> frame(Mat3T<ValueScalar<T>>::Identity());
  frame.a = value_of(f.a);
  frame.b = value_of(f.b);
  frame.w1 = value_of(f.w1);
  frame.w2 = value_of(f.w2);
  frame.w_nn = value_of(f.w_nn);
  return frame;
}

/// What sliding in the direction v̂ = (cos φ, sin φ) does to the velocity. Along the cone dP = (α n − β v̂) dλ with
/// α = 1/(1+μ), β = μ/(1+μ), so that μ = ∞ is an ordinary point.
template <class T>
struct SlipFlow {
  SlipFrame<T> frame;
  T alpha, beta;
  T B;  ///< β (b − a): how far the mobilities differ

  struct Rates {
    T g;  ///< of the slip speed, v̂·dV_t/dλ
    T k;  ///< of the normal velocity, dV_n/dλ
  };

  RICOCHET_HD SlipFlow(const SlipFrame<T>& slip_frame, T alpha_, T beta_)
      : frame(slip_frame), alpha(alpha_), beta(beta_), B(beta_ * (slip_frame.b - slip_frame.a)) {}

  [[nodiscard]] RICOCHET_HD Rates rates(T cs, T sn) const {
    const T coupling = frame.w1 * cs + frame.w2 * sn;
    T resistance = frame.a * cs * cs + frame.b * sn * sn;
    if constexpr (is_dual<T>) resistance += T(2) * frame.off * cs * sn;
    return {alpha * coupling - beta * resistance, alpha * frame.w_nn - beta * coupling};
  }
  /// h = s dφ/dλ, the rate at which the direction turns (R4).
  [[nodiscard]] RICOCHET_HD T turn(T cs, T sn) const {
    const T h = alpha * (frame.w2 * cs - frame.w1 * sn) - B * sn * cs;
    if constexpr (is_dual<T>) return h - C() * (cs * cs - sn * sn);
    return h;
  }
  /// dh/dφ.
  [[nodiscard]] RICOCHET_HD T turn_slope(T cs, T sn) const {
    const T slope = -alpha * (frame.w1 * cs + frame.w2 * sn) - B * (cs * cs - sn * sn);
    if constexpr (is_dual<T>) return slope + T(4) * C() * sn * cs;
    return slope;
  }
  /// β times the off-diagonal entry: of value zero.
  [[nodiscard]] RICOCHET_HD T C() const { return beta * frame.off; }
};

}  // namespace ricochet::routh
