#pragma once
/// The spring-sledge contact in space as a problem, and its state, docs/laws/spring-sledge.md.

#include "ricochet/base/linear.hpp"
#include "ricochet/compliant/sledge_stop.hpp"
#include "ricochet/compliant/spring_sledge.hpp"

namespace ricochet::compliant {

/// Dimensionless (L3), n first: approach speed 1, W_nn = 1.
template <class T>
struct SpatialSledge {
  Mat3T<T> A = Mat3T<T>::Identity();  ///< W / W_nn
  Vec2T<T> v_t = Vec2T<T>::Zero();    ///< V_t⁻ / |V_n⁻|
  T kappa = T(1);
  T mu = T(0);
  T e = T(1);
  Damper damper = Damper::hysteretic;
};

template <class T>
struct SpatialState {
  T time = T(0);
  T N = T(0);
  T depth = T(0);                  ///< compression of the normal spring beside a viscous damper; zero without one
  Vec2T<T> xi = Vec2T<T>::Zero();  ///< deflection of the tangential spring
  Vec3T<T> v = Vec3T<T>::Zero();
  Vec3T<T> P = Vec3T<T>::Zero();
  T friction_loss = T(0), normal_loss = T(0);
  Vec2T<T> eta = Vec2T<T>::Zero();  ///< direction in which the sledge slides; zero while it sticks
  bool sticks = true, loading = true;
  int phase = 0;
};

template <class T>
struct SpatialOutcome {
  SpatialState<T> state;
  Stop stop = Stop::separated;
  bool jammed = false;  ///< somewhere friction drove the bodies deeper: dv_n/dJ < 0
  int phases = 0;
  int evaluations = 0;
};

}  // namespace ricochet::compliant
