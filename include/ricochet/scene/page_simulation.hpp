#pragma once
/// Which scenes the explorer's page simulates by itself, where it has no library but this one (docs/explorer.md).

#include <cstddef>

#include "ricochet/scene/motion_scene.hpp"

namespace ricochet {

constexpr std::size_t most_page_bodies = 50;

/// No robots, at most so many bodies, and between those that can meet only distances that need no FCL: shapes and
/// planes, balls and balls, balls and boxes. Paths are "robot[1]", "body", "body[3]".
[[nodiscard]] Expected<void> check_for_page(const MotionScene& scene);

}  // namespace ricochet
