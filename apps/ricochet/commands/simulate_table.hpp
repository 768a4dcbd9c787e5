#pragma once
/// A simulated motion as text for display.

#include <string>
#include <vector>

#include "ricochet/io/motion_json.hpp"

namespace ricochet::app {

/// Title, numbers of bodies, law and notes.
[[nodiscard]] std::string scene_head(const MotionScene& scene, const motion::World& world,
                                     const std::vector<std::string>& notes);

[[nodiscard]] std::string simulate_table(const MotionScene& scene, const motion::World& world,
                                         const MotionSummary& summary, const std::vector<std::string>& notes);

}  // namespace ricochet::app
