#pragma once
/// A sledge that slides in space, docs/laws/spring-sledge.md (L16): the flow of direction, force, impulses and losses
/// over the independent variable s with dτ = N ds, in which the force falls exponentially instead of ending.

#include <array>
#include <cmath>
#include <cstddef>

#include "ricochet/compliant/normal_spring.hpp"
#include "ricochet/compliant/spatial_state.hpp"

namespace ricochet::compliant {

template <class T>
class SlipFlow {
 public:
  /// Direction of slip, ln q, impulses and time since the phase began, work lost to friction and damper.
  enum : std::size_t { angle, log_state, P_n, P_1, P_2, time, friction, damper, size };
  using State = std::array<T, size>;

  /// What follows from a state.
  struct Motion {
    Vec3T<T> v;
    Vec2T<T> eta;  ///< direction of the sledge
    T q, N;
    T lift;   ///< dv_n/dP_n
    T rate;   ///< dN/dτ
    T speed;  ///< of the sledge
  };

  /// From the state `from`, in which the normal spring is `spring`.
  RICOCHET_HD SlipFlow(const SpatialSledge<T>& problem, const NormalSpring<T>& spring, const SpatialState<T>& from)
      : p_(problem), spring_(spring), from_(from) {}

  [[nodiscard]] RICOCHET_HD Motion at(const State& x) const {
    using std::cos;
    using std::exp;
    using std::sin;
    Motion m;
    m.eta = Vec2T<T>(cos(x[angle]), sin(x[angle]));
    // Impulses are those since the start of the phase: the ones before are in its velocity already.
    m.v = from_.v + p_.A * Vec3T<T>(x[P_n], x[P_1], x[P_2]);
    m.lift = p_.A(0, 0) - p_.mu * (p_.A(0, 1) * m.eta(0) + p_.A(0, 2) * m.eta(1));
    m.q = exp(x[log_state]);
    m.N = spring_.force(m.q, m.v(0));
    m.rate = spring_.force_rate(m.q, m.v(0), m.N * m.lift);
    m.speed = m.v(1) * m.eta(0) + m.v(2) * m.eta(1) - p_.mu / p_.kappa * m.rate;
    return m;
  }

  RICOCHET_HD void slope(const State& x, State& d) const {
    const Motion m = at(x);
    const T N = m.N, push = N * N;
    d[angle] = p_.mu > T(0) ? p_.kappa / p_.mu * (m.v(2) * m.eta(0) - m.v(1) * m.eta(1)) : T(0);
    d[log_state] = spring_.log_rate(m.v(0), N * m.lift);
    d[P_n] = push;
    d[P_1] = -p_.mu * m.eta(0) * push;
    d[P_2] = -p_.mu * m.eta(1) * push;
    d[time] = N;
    d[friction] = p_.mu * push * m.speed;
    d[damper] = N * spring_.dissipation(m.q, m.v(0));
  }

  /// ∂(slope of the angle)/∂angle, the only stiff entry of the Jacobian.
  [[nodiscard]] RICOCHET_HD T stiffness(const Motion& m) const {
    return p_.mu > T(0) ? -p_.kappa / p_.mu * (m.v(1) * m.eta(0) + m.v(2) * m.eta(1)) : T(0);
  }

  /// What errors of each component are measured by.
  [[nodiscard]] RICOCHET_HD State scale(const State& x, const Motion& m) const {
    using std::abs;
    State out;
    const T impulse = T(1) + from_.P(0) + x[P_n];
    for (std::size_t i = 0; i < size; ++i) out[i] = impulse;
    out[angle] = out[log_state] = T(1);
    out[P_1] = out[P_2] = (T(1) + (p_.mu < T(1) ? p_.mu : T(1))) * impulse;
    out[time] = T(1) + from_.time + x[time];
    out[friction] = impulse * (T(1) + abs(m.v(1)) + abs(m.v(2)));
    return out;
  }

  [[nodiscard]] RICOCHET_HD SpatialState<T> state(const State& x) const {
    const Motion m = at(x);
    SpatialState<T> s = from_;
    s.time += x[time];
    s.N = m.N;
    s.depth = spring_.depth(m.q, m.v(0));
    s.eta = m.eta;
    s.xi = p_.mu > T(0) ? Vec2T<T>(p_.mu * m.N / p_.kappa * m.eta) : Vec2T<T>(Vec2T<T>::Zero());
    s.v = m.v;
    s.P += Vec3T<T>(x[P_n], x[P_1], x[P_2]);
    s.friction_loss += x[friction];
    s.normal_loss += x[damper];
    return s;
  }

  /// The last impulse J, in the time `rest`, after which there is no force.
  [[nodiscard]] RICOCHET_HD SpatialState<T> ended(const State& x, const Motion& m, T J, T rest) const {
    SpatialState<T> s = state(x);
    s.time += rest;
    const Vec3T<T> P(J, -p_.mu * m.eta(0) * J, -p_.mu * m.eta(1) * J);
    s.P += P;
    s.v += p_.A * P;
    s.friction_loss += p_.mu * J * m.speed;
    // A linear damper dissipates to the end; what Hunt and Crossley's spring still holds, `left_behind` counts.
    if (spring_.linear()) s.normal_loss += rest * spring_.dissipation(m.q, m.v(0));
    s.N = T(0);
    s.xi.setZero();
    return s;
  }

 private:
  SpatialSledge<T> p_;
  NormalSpring<T> spring_;
  SpatialState<T> from_;
};

}  // namespace ricochet::compliant
