#pragma once
/// A scene before and after the impact, as pictures.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bodies_scene.hpp"
#include "ricochet/report/solids_picture.hpp"

namespace ricochet::app {

/// Seen across the direction in which the scene is thinnest, z up where it can be. `after` is absent where nothing
/// settles; `impulses` are those of the contacts.
struct ScenePictures {
  Drawing before;
  std::optional<Drawing> after;
};
[[nodiscard]] ScenePictures picture_scene(const BodiesScene& scene, const std::optional<std::vector<RigidBody>>& after,
                                          const std::vector<Vec3>& impulses);

/// Both side by side, as SVG.
[[nodiscard]] std::string draw_scene(const BodiesScene& scene, const std::optional<std::vector<RigidBody>>& after,
                                     const std::vector<Vec3>& impulses, std::string_view verdict);

}  // namespace ricochet::app
