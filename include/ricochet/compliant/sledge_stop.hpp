#pragma once
/// How a run of the spring-sledge contact ends, in a plane or in space.

#include <cstdint>

namespace ricochet::compliant {

enum class Stop : std::uint8_t {
  separated,   ///< the normal force fell to zero
  never,       ///< a contact with an immovable direction wedges permanently
  rings,       ///< its springs oscillate through more phases than the limit
  gave_up,     ///< a search for the next event, or a step, did not converge
  step_limit,  ///< more steps of integration than the limit
};

}  // namespace ricochet::compliant
