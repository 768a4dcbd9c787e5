#pragma once
/// A wheel on a road by the spring-sledge: sliding, rolling, and how far rolling is from ideal, in closed form
/// (docs/compliant/rolling.md).

#include <cstdint>
#include <string_view>
#include <vector>

#include "ricochet/base/error.hpp"

namespace ricochet::compliant {

struct Wheel {
  double radius = 1, mass = 1, inertia = 0.5;  ///< R [m], m [kg], J about the axle [kg m²]
  double load = 9.81;                          ///< N [N], constant
  double stiffness = 1e5;                      ///< c_x [N/m]
  double mu = 0.5;                             ///< μ, 0 to ∞
  double velocity = 0, spin = 0;               ///< v [m/s], ω [rad/s]; positive spin rolls forwards
  double force = 0, torque = 0;                ///< F [N], T [N m]: constant drive
  double deflection = 0;                       ///< ξ at the start [m]
};

enum class RollingPhase : std::uint8_t { stick, slip };
[[nodiscard]] std::string_view name(RollingPhase phase);

/// An instant. (RW4) holds between any two.
struct WheelState {
  double t = 0;  ///< [s]
  RollingPhase phase = RollingPhase::stick;
  double v = 0, omega = 0;         ///< [m/s], [rad/s]
  double x = 0, angle = 0;         ///< way since the start [m], [rad]
  double xi = 0;                   ///< ξ [m]
  double friction_force = 0;       ///< f on the wheel [N]
  double gap = 0;                  ///< V = v − Rω [m/s], the departure from ideal rolling
  double kinetic = 0, spring = 0;  ///< [J]
  double friction = 0;             ///< lost so far [J]
  double drive = 0;                ///< work of F and T so far [J]
};

/// The whole way from 0 to `duration`, as a few phases in closed form.
struct Rolling {
  Wheel wheel;
  double duration = 0;                ///< [s]
  std::vector<WheelState> phases;     ///< each phase at its beginning
  double ideal_velocity = 0;          ///< of ideal rolling at the end, (RW5) [m/s]
  double largest_gap_after_grip = 0;  ///< of |V| from the last change to sticking on; 0 if there is none [m/s]
  bool grips = false;                 ///< ends sticking

  /// At 0 ≤ t ≤ duration.
  [[nodiscard]] Expected<WheelState> at(double t) const;
};

[[nodiscard]] Expected<Rolling> roll(const Wheel& wheel, double duration);

}  // namespace ricochet::compliant
