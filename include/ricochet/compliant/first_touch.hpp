#pragma once
/// The first instant of a contact in space, in series (L5, L17): both forces start from zero, where neither their ratio
/// nor the direction of slip can be computed from them.

#include <cmath>

#include "ricochet/compliant/normal_spring.hpp"
#include "ricochet/compliant/spatial_state.hpp"

namespace ricochet::compliant {

/// Just past first touch.
template <class T>
struct FirstTouch {
  SpatialState<T> state;
  T q = T(0);      ///< state of the normal spring
  T angle = T(0);  ///< direction of slip
};

/// A time so short that series of three terms hold, where `rate` is that of what moves fastest except the damper.
template <class T>
[[nodiscard]] RICOCHET_HD T first_instant(const SpatialSledge<T>& p, const NormalSpring<T>& spring, T rate) {
  using std::sqrt;
  return T(1e-5L) / sqrt(T(1) + spring.coefficient() * spring.first_slope() + (T(1) + rate) * (p.A(1, 1) + p.A(2, 2)));
}

/// Deflection over time in the first instant of sticking. Where there is hardly any slip or friction, coupling drives
/// it over the cone within that instant, and the contact slides from the start to rounding.
template <class T>
[[nodiscard]] RICOCHET_HD Vec2T<T> first_deflection(const SpatialSledge<T>& p, const NormalSpring<T>& spring) {
  const T t = first_instant(p, spring, p.kappa);
  const Vec3T<T> push = p.A * Vec3T<T>(spring.first_slope(), -p.kappa * p.v_t(0), -p.kappa * p.v_t(1));
  return p.v_t + t * t / T(6) * Vec2T<T>(push(1), push(2));
}

/// The sledge slides at once; `along` is its displacement over time.
template <class T>
[[nodiscard]] RICOCHET_HD FirstTouch<T> first_slip(const SpatialSledge<T>& p, const NormalSpring<T>& spring,
                                                   const SpatialState<T>& start, const Vec2T<T>& along) {
  using std::atan2;
  FirstTouch<T> out{start};
  const T slope = spring.first_slope();
  out.angle = along.norm() > T(0) ? atan2(along(1), along(0)) : T(0);
  const T t = first_instant(p, spring, p.mu);
  const T s0 = along.norm(), c = s0 > T(0) ? along(0) / s0 : T(1), n = s0 > T(0) ? along(1) / s0 : T(0);
  if (p.mu > T(0)) {
    const Vec2T<T> r = slope * Vec2T<T>(p.A(1, 0) - p.mu * (p.A(1, 1) * c + p.A(1, 2) * n),
                                        p.A(2, 0) - p.mu * (p.A(2, 1) * c + p.A(2, 2) * n));
    // ρ/(2 + ρ) of (L17), where ρ may be beyond all bounds.
    const T share = p.kappa * s0 / (p.kappa * s0 + T(2) * p.mu * slope);
    out.angle += share * (r(1) * c - r(0) * n) / (T(2) * s0) * t * t;
  }
  const T J = slope * t * t / T(2);
  SpatialState<T>& s = out.state;
  s.time = t;
  s.N = slope * t;
  out.q = spring.hunt_crossley() ? t : s.N;
  const Vec3T<T> P(J, -p.mu * c * J, -p.mu * n * J);
  s.P = P;
  s.v = start.v + p.A * P;
  if (p.mu > T(0)) s.xi = p.mu * s.N / p.kappa * Vec2T<T>(c, n);
  s.friction_loss = p.mu * J * (s0 - p.mu * slope / p.kappa);
  s.normal_loss = T(0);
  if (spring.hunt_crossley()) s.normal_loss = spring.coefficient() * t * t / T(2);
  return out;
}

/// The sledge sticks on Hunt and Crossley's spring, whose force and room in the cone are both zero at first touch.
template <class T>
[[nodiscard]] RICOCHET_HD FirstTouch<T> first_stick(const SpatialSledge<T>& p, const NormalSpring<T>& spring,
                                                    const SpatialState<T>& start, const Vec2T<T>& along) {
  FirstTouch<T> out{start};
  const T slope = spring.first_slope(), t = first_instant(p, spring, p.kappa), half = t * t / T(2);
  SpatialState<T>& s = out.state;
  s.time = t;
  out.q = s.depth = t;
  s.N = slope * t;
  s.xi = along * t;
  s.P = half * Vec3T<T>(slope, -p.kappa * p.v_t(0), -p.kappa * p.v_t(1));
  s.v = start.v + p.A * s.P;
  s.normal_loss = spring.coefficient() * half;
  return out;
}

}  // namespace ricochet::compliant
