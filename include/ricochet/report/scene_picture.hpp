#pragma once
/// A scene before and after the impact, as pictures.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/report/solids_picture.hpp"
#include "ricochet/scene/scene.hpp"

namespace ricochet {

/// Viewed along the direction in which the scene is thinnest, with z up if possible. `after` is absent if the scene
/// does not settle; `impulses` are those of the contacts.
struct ScenePictures {
  Drawing before;
  std::optional<Drawing> after;
};
[[nodiscard]] ScenePictures picture_scene(const Scene& scene, const std::optional<std::vector<RigidBody>>& after,
                                          const std::vector<Vec3>& impulses);

/// Both side by side, as SVG.
[[nodiscard]] std::string draw_scene(const Scene& scene, const std::optional<std::vector<RigidBody>>& after,
                                     const std::vector<Vec3>& impulses, std::string_view verdict);

}  // namespace ricochet
