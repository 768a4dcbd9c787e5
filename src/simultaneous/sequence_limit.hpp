#pragma once
/// The end of an infinite sequence: whether the limit of a repeating pattern is one that the true collisions lead to,
/// and the step to it. docs/simultaneous.md, "Infinite sequences".

#include <optional>
#include <span>
#include <vector>

#include "ricochet/simultaneous/approach_queue.hpp"
#include "ricochet/simultaneous/settling.hpp"
#include "ricochet/simultaneous/ties.hpp"
#include "sequence_state.hpp"

namespace ricochet {

/// The sequence at the moment when a limit is offered.
struct LimitContext {
  const ApproachQueue& queue;
  const std::vector<std::uint32_t>& connected_set;  ///< of each contact
  std::span<const Vec3> G;                          ///< impulses so far
  const TieGrid& grid;
  double tolerance = 0;  ///< approach that counts as none [m/s]
};

/// Applies all that is left of the pattern, if what results is an end: impulses in their cones, no energy from nothing,
/// nothing left that approaches; and if the pattern lasts until then. Returns the contacts whose velocities changed, or
/// nothing, with the state as it was.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> step_to_limit(SequenceState& state, const Settling& pattern,
                                                                      const LimitContext& context);

}  // namespace ricochet
