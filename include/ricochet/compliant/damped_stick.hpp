#pragma once
/// A sledge that sticks while the normal spring works on a viscous damper, in space, docs/laws/spring-sledge.md (L13 to
/// L15). Without a damper the modes solve this (stick_modes.hpp).

#include <array>
#include <cmath>
#include <cstddef>

#include "ricochet/compliant/normal_spring.hpp"
#include "ricochet/compliant/spatial_state.hpp"

namespace ricochet::compliant {

template <class T>
class DampedStick {
 public:
  /// Deflection ξ, q, impulses since the phase began, work of the damper.
  enum : std::size_t { xi_1, xi_2, spring, P_n, P_1, P_2, damper, size };
  using State = std::array<T, size>;

  RICOCHET_HD DampedStick(const SpatialSledge<T>& problem, const NormalSpring<T>& normal, const SpatialState<T>& from)
      : p_(problem), normal_(normal), from_(from) {}

  RICOCHET_HD void slope(const State& x, State& d) const {
    const Vec3T<T> v = from_.v + p_.A * Vec3T<T>(x[P_n], x[P_1], x[P_2]);
    const Vec3T<T> F(normal_.force(x[spring], v(0)), -p_.kappa * x[xi_1], -p_.kappa * x[xi_2]);
    d[xi_1] = v(1);
    d[xi_2] = v(2);
    d[spring] = normal_.state_rate(v(0), p_.A.row(0).dot(F));
    d[P_n] = F(0);
    d[P_1] = F(1);
    d[P_2] = F(2);
    d[damper] = normal_.dissipation(x[spring], v(0));
  }

  [[nodiscard]] RICOCHET_HD T v_n(const State& x) const {
    return from_.v(0) + p_.A.row(0).dot(Vec3T<T>(x[P_n], x[P_1], x[P_2]));
  }

  /// Room in the friction cone; the normal force where friction has no limit.
  [[nodiscard]] RICOCHET_HD T margin(const State& x) const {
    using std::sqrt;
    const T N = normal_.force(x[spring], v_n(x));
    if (p_.mu == std::numeric_limits<T>::infinity()) return N;
    return p_.mu * N - p_.kappa * sqrt(x[xi_1] * x[xi_1] + x[xi_2] * x[xi_2]);
  }

  /// What errors of each component are measured by.
  [[nodiscard]] RICOCHET_HD State scale(const State& x) const {
    using std::sqrt;
    const T impulse = T(1) + from_.P(0) + x[P_n];
    State out;
    for (std::size_t i = 0; i < size; ++i) out[i] = impulse;
    out[xi_1] = out[xi_2] = impulse / sqrt(T(1) + p_.kappa);
    return out;
  }

  [[nodiscard]] RICOCHET_HD SpatialState<T> state(const State& x, T t) const {
    SpatialState<T> s = from_;
    s.time += t;
    s.xi = Vec2T<T>(x[xi_1], x[xi_2]);
    s.P += Vec3T<T>(x[P_n], x[P_1], x[P_2]);
    s.v = from_.v + p_.A * Vec3T<T>(x[P_n], x[P_1], x[P_2]);
    s.N = normal_.force(x[spring], s.v(0));
    s.depth = normal_.depth(x[spring], s.v(0));
    s.normal_loss += x[damper];
    return s;
  }

 private:
  SpatialSledge<T> p_;
  NormalSpring<T> normal_;
  SpatialState<T> from_;
};

}  // namespace ricochet::compliant
