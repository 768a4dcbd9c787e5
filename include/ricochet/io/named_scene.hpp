#pragma once
/// Scenes of many contacts by name: files of scenes/, and generated ones with a size.

#include <optional>
#include <string_view>
#include <vector>

#include "ricochet/scene/scene.hpp"

namespace ricochet {

struct NamedScene {
  std::string_view name, about;
  bool counted = false;  ///< takes a number after a colon
};
[[nodiscard]] const std::vector<NamedScene>& named_scenes();

/// A scene by name, "cradle" or "cradle:7"; nothing if the name is unknown, an error if its number is
/// invalid.
[[nodiscard]] std::optional<Expected<Scene>> named_scene(std::string_view given);

}  // namespace ricochet
