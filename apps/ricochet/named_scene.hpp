#pragma once
/// Scenes of many contacts that go by a name: files of scenes/, and some that are made for a number.

#include <optional>
#include <string_view>
#include <vector>

#include "bodies_scene.hpp"

namespace ricochet::app {

struct NamedScene {
  std::string_view name, about;
  bool counted = false;  ///< takes a number behind a colon
};
[[nodiscard]] const std::vector<NamedScene>& named_scenes();

/// A scene by name, "cradle" or "cradle:7"; nothing when no such name is known, an error when its number is
/// bad.
[[nodiscard]] std::optional<Expected<BodiesScene>> named_scene(std::string_view given);

}  // namespace ricochet::app
