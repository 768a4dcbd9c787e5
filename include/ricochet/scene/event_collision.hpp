#pragma once
/// The contact of an impact in a motion, as a collision by itself: what the law of the pair was asked.

#include <vector>

#include "ricochet/motion/event.hpp"
#include "ricochet/motion/simulation.hpp"
#include "ricochet/motion/world.hpp"
#include "ricochet/scene/collision.hpp"

namespace ricochet {

/// `after` are the poses of all bodies just after the impact. By the two bodies with their velocities before, where
/// this contact was struck alone and neither hangs on a joint; else by W, in which joints hold, and V. Mechanisms are
/// refused.
[[nodiscard]] Expected<Collision> event_collision(const motion::World& world, const motion::Event& event,
                                                  const std::vector<motion::Pose>& after);

}  // namespace ricochet
