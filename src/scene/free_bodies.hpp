#pragma once
/// Rigid bodies as a mechanism: q = (position, quaternion), u = (v, ω) in world axes of each that is not fixed.

#include <memory>
#include <vector>

#include "ricochet/scene/robot_scene.hpp"

namespace ricochet {

/// Bodies that `check` accepts.
[[nodiscard]] std::unique_ptr<Machine> make_free_bodies(std::vector<SceneBody> bodies);

}  // namespace ricochet
