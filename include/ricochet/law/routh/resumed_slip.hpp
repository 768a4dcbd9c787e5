#pragma once
/// Slip that starts from rest because friction cannot hold the contact (R13), docs/laws/routh.md.

#include <cmath>
#include <limits>

#include "ricochet/law/routh/slip_frame.hpp"

namespace ricochet::routh {

template <class T>
struct ResumedSlip {
  Vec2T<T> direction;  ///< v̂, constant from here on
  T g;                 ///< rate of the slip speed per normal impulse
  int evaluations;
};

/// (μ W_tt + g) v̂ = w with |v̂| = 1 has one root g > 0 where μ is less than sticking needs; 1/|v| is concave and
/// increasing in g, so that Newton's iteration from the left cannot overshoot.
template <class T>
[[nodiscard]] RICOCHET_HD ResumedSlip<T> resumed_slip_value(const SlipFrame<T>& f, T mu) {
  using std::sqrt;
  constexpr T eps = std::numeric_limits<T>::epsilon();
  int evaluations = 0;
  T g = T(0);
  Vec2T<T> v(T(0), T(0));
  for (int i = 0; i < 100; ++i) {
    ++evaluations;
    const T d1 = mu * f.a + g, d2 = mu * f.b + g;
    v(0) = f.w1 > T(0) ? f.w1 / d1 : T(0);
    v(1) = f.w2 > T(0) ? f.w2 / d2 : T(0);
    const T length = v.norm();
    if (!(length < std::numeric_limits<T>::infinity())) {  // d = 0 at g = 0: start from a lower bound of the root
      const T w = sqrt(f.w1 * f.w1 + f.w2 * f.w2);
      g = w > mu * f.b ? w - mu * f.b : eps * w;
      continue;
    }
    const T slope = (v(0) != T(0) ? v(0) * v(0) / d1 : T(0)) + (v(1) != T(0) ? v(1) * v(1) / d2 : T(0));
    const T step = (length - T(1)) * length * length / slope;
    g += step;
    if (!(step > T(2) * eps * g)) break;
  }
  return {v / v.norm(), g, evaluations};
}

/// The same with derivatives: r = w − (μ W_tt + g) v̂ vanishes at the root of the values, and one step of Newton's in g
/// and the angle ψ of v̂ gives the rest (DV4).
template <int N>
[[nodiscard]] ResumedSlip<Dual<N>> resumed_slip_dual(const SlipFrame<Dual<N>>& f, const Dual<N>& mu,
                                                     const ResumedSlip<double>& root) {
  using D = Dual<N>;
  const double cs = root.direction(0), sn = root.direction(1);
  const D r1 = f.w1 - (mu * f.a + D(root.g)) * cs - mu * f.off * sn;
  const D r2 = f.w2 - (mu * f.b + D(root.g)) * sn - mu * f.off * cs;
  // dr = −v̂ dg − (μ W_tt + g) v̂' dψ, v̂' = (−sn, cs).
  const double t1 = -(mu.v * f.a.v + root.g) * sn, t2 = (mu.v * f.b.v + root.g) * cs;
  const double determinant = cs * t2 - sn * t1;
  D g(root.g), turn(0.0);
  for (std::size_t i = 0; i < N; ++i) {
    g.d[i] = (t2 * r1.d[i] - t1 * r2.d[i]) / determinant;
    turn.d[i] = (cs * r2.d[i] - sn * r1.d[i]) / determinant;
  }
  return {Vec2T<D>(D(cs) - turn * sn, D(sn) + turn * cs), g, root.evaluations};
}

template <class T>
[[nodiscard]] RICOCHET_HD ResumedSlip<T> resumed_slip(const SlipFrame<T>& f, T mu) {
  if constexpr (is_dual<T>) {
    return resumed_slip_dual(f, mu, resumed_slip_value<double>(values_of_frame(f), mu.v));
  } else {
    return resumed_slip_value<T>(f, mu);
  }
}

}  // namespace ricochet::routh
