#pragma once
/// A sledge that slides in space, as it would go on if the direction of slip stayed: in a plane, in closed form,
/// docs/laws/spring-sledge.md (L9, L11, L21).

#include <cmath>
#include <limits>

#include "ricochet/compliant/spatial_state.hpp"

namespace ricochet::compliant {

/// Where a step begins.
template <class T>
struct SlipStart {
  T Q;            ///< N²
  Vec3T<T> v;     ///< velocity of the contact point
  Vec2T<T> eta;   ///< direction of slip, of unit length
  T k_n;          ///< stiffness of the normal spring
  T peak = T(0);  ///< force at which unloading began
};

template <class T>
struct SlipPlane {
  SlipStart<T> from;
  T b1, b2, c11, c12, c22;  ///< W along and across the slip
  T along, across;          ///< tangential velocity
  T lift;                   ///< dv_n/dJ
  T drag1, drag2;           ///< dv_t/dJ, along and across
  T swing = T(0);           ///< normal velocity at the end
  T end;                    ///< J left, or infinity
  T other = T(0);           ///< g of (L21)
  bool straight = true;     ///< J itself is the variable of steps, not that of (L21)

  SlipPlane() = default;
  RICOCHET_HD SlipPlane(const SpatialSledge<T>& p, const SlipStart<T>& start) : from(start) {
    using std::sqrt;
    const T e1 = from.eta(0), e2 = from.eta(1);
    b1 = p.A(0, 1) * e1 + p.A(0, 2) * e2;
    b2 = p.A(0, 2) * e1 - p.A(0, 1) * e2;
    const T p1 = p.A(1, 1) * e1 + p.A(1, 2) * e2, p2 = p.A(1, 2) * e1 + p.A(2, 2) * e2;
    c11 = p1 * e1 + p2 * e2;
    c12 = p2 * e1 - p1 * e2;
    c22 = (p.A(1, 1) * e2 - p.A(1, 2) * e1) * e2 + (p.A(2, 2) * e1 - p.A(1, 2) * e2) * e1;
    along = from.v(1) * e1 + from.v(2) * e2;
    across = from.v(2) * e1 - from.v(1) * e2;
    lift = p.A(0, 0) - p.mu * b1;
    drag1 = b1 - p.mu * c11;
    drag2 = b2 - p.mu * c12;
    end = std::numeric_limits<T>::infinity();
    const T v = from.v(0), square = v * v + lift * from.Q / from.k_n;
    if (!(square > T(0))) return;
    swing = sqrt(square);
    if (v > T(0)) {
      end = from.Q / from.k_n / (swing + v);
      other = lift * from.Q / from.k_n / ((swing + v) * (swing + v));
    } else if (lift > T(0)) {
      end = (swing - v) / lift;
      other = (swing - v) * (swing - v) * from.k_n / (lift * from.Q);
    }
    // From no force on J itself is the variable; otherwise the one in which (L16) is regular, where there is an end.
    straight = !(from.Q > T(0)) || !(end < std::numeric_limits<T>::infinity());
  }

  /// Length of a step that gathers the impulse J.
  [[nodiscard]] RICOCHET_HD T length_to(T J) const {
    using std::log;
    // 1 − J/end = (1 + g)/(e^{2x} + g)
    return straight ? J : log((T(1) + other * (J / end)) / (T(1) - J / end)) / T(2);
  }

  /// Time to the end from the start.
  [[nodiscard]] RICOCHET_HD T time_left() const { return time_left(from.Q, other); }
  /// The same from where N² and g are these (L11).
  [[nodiscard]] RICOCHET_HD T time_left(T Q, T g) const {
    using std::abs;
    using std::atan;
    using std::log1p;
    using std::sqrt;
    const T root = sqrt(abs(g)), stiff = sqrt(from.k_n * abs(lift));
    if (stiff > T(0) && root > T(0))
      return T(2) / stiff * (g > T(0) ? atan(root) : log1p(T(2) * root / (T(1) - root)) / T(2));
    return sqrt(Q) / (from.k_n * swing);
  }
  /// Time to where the impulse is J and N² is Q, with lift < 0: N' + ωN grows as e^{ωτ}.
  [[nodiscard]] RICOCHET_HD T time_jammed(T J, T Q) const {
    using std::log1p;
    using std::sqrt;
    const T N = sqrt(from.Q), omega = sqrt(-(from.k_n * lift)), rate = -(from.k_n * from.v(0));
    const T grown = (Q - from.Q) / (N + sqrt(Q));
    if (!(omega > T(0))) return grown / rate;
    return log1p((omega * omega * J + omega * grown) / (rate + omega * N)) / omega;
  }
};

}  // namespace ricochet::compliant
