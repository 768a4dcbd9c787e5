#pragma once
/// Robots of a scene as mechanisms of a world: docs/simulation.md (MO29).

#include <string>
#include <vector>

#include "ricochet/scene/motion_scene.hpp"

namespace ricochet {

/// Appends links, mechanisms, ties and a floor where a robot file by itself has nothing to fall on; `materials` grows
/// with the bodies. Paths of errors are "robot[1]".
[[nodiscard]] Expected<void> add_robots(const MotionScene& scene, motion::World& world,
                                        std::vector<std::string>& materials, std::vector<std::string>* notes);

}  // namespace ricochet
