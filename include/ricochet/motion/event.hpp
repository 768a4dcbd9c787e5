#pragma once
/// What happens in a motion, and where its energy goes (docs/simulation.md).

#include <cstdint>
#include <string_view>

#include "ricochet/base/linear.hpp"

namespace ricochet::motion {

enum class EventKind : std::uint8_t {
  impact,
  stick,     ///< slip has ended, and the point of contact stays
  slip,      ///< slip begins
  roll,      ///< slip has ended, and the point of contact moves over the body
  lift_off,  ///< a lasting contact ends without an impact
  rest,      ///< bouncing has come to its end: the contact lasts from here
};
/// "impact", "lift-off" and so on.
[[nodiscard]] std::string_view name(EventKind kind);

struct Event {
  double time = 0;  ///< [s]
  EventKind kind = EventKind::impact;
  std::size_t body_a = 0, body_b = 0;
  Vec3 point = Vec3::Zero();   ///< world [m]
  Vec3 n = Vec3::UnitZ();      ///< from a to b
  Vec3 P = Vec3::Zero();       ///< on b [N s]; zero where there is no impact
  double energy_change = 0;    ///< [J]
  double approach = 0;         ///< −n·V before an impact [m/s]
  double slip = 0;             ///< speed of slip before [m/s]
  std::uint32_t together = 1;  ///< contacts that were resolved at this instant
  Vec3 V = Vec3::Zero();       ///< of b relative to a before an impact [m/s]; zero for compliant contact
};

/// kinetic + potential + elastic + lost = what there was at the start + work of applied forces.
struct EnergyLedger {
  double kinetic = 0, potential = 0;  ///< now; potential energy of gravity, zero at the world's origin [J]
  double elastic = 0;                 ///< now, in the springs of compliant contacts [J]
  double start = 0;                   ///< kinetic and potential energy at the start [J]
  double lost_to_impact = 0;          ///< sum of −ΔE over all impacts [J]
  double lost_to_friction = 0;        ///< work of sliding friction, by quadrature [J]
  double applied_work = 0;            ///< of the applied forces, and of fixed bodies that move [J]

  /// What does not close [J].
  [[nodiscard]] double imbalance() const {
    return kinetic + potential + elastic + lost_to_impact + lost_to_friction - start - applied_work;
  }
};

}  // namespace ricochet::motion
