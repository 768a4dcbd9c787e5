#pragma once
/// A scene before and after the impact, side by side, as SVG.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bodies_scene.hpp"

namespace ricochet::app {

/// Seen across the direction in which the scene is thinnest, z up where it can be. `after` is absent where nothing
/// settles; `impulses` are those of the contacts.
[[nodiscard]] std::string draw_scene(const BodiesScene& scene, const std::optional<std::vector<RigidBody>>& after,
                                     const std::vector<Vec3>& impulses, std::string_view verdict);

}  // namespace ricochet::app
