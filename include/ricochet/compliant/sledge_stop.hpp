#pragma once
/// How a phase of the spring-sledge contact ends, and how a run, in a plane or in space.

#include <cstdint>

namespace ricochet::compliant {

/// What ends a phase.
enum class PhaseEnd : std::uint8_t {
  none,
  friction,  ///< the force has reached the edge of the cone, or the sledge has stopped
  turn,      ///< the bodies approach no more: unloading begins
  release,   ///< the normal force is zero
  reload,    ///< the force is back at its peak: the spring is on its loading line again
};

enum class Stop : std::uint8_t {
  separated,   ///< the normal force fell to zero
  never,       ///< a contact with an immovable direction wedges permanently
  rings,       ///< its springs oscillate through more phases than the limit
  gave_up,     ///< a search for the next event, or a step, did not converge
  step_limit,  ///< more steps of integration than the limit
};

}  // namespace ricochet::compliant
