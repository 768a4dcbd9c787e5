#pragma once
/// A scene as JSON, with the keys of its TOML (docs/command-line.md): {"title", "body": […], "contact": […], "hinge":
/// […], "law": {…}}. Infinity is the string "inf".

#include <string>
#include <string_view>

#include "ricochet/io/fault.hpp"
#include "ricochet/scene/scene.hpp"

namespace ricochet {

/// Errors have paths but no lines.
[[nodiscard]] Read<Scene> read_scene_json(std::string_view text);

/// A document that `read_scene_json` takes for the same scene, bit for bit.
[[nodiscard]] std::string write_json(const Scene& scene);

}  // namespace ricochet
