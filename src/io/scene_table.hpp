#pragma once
/// A scene from its document, whichever format that came from.

#include "io/toml.hpp"
#include "ricochet/io/fault.hpp"
#include "ricochet/scene/scene.hpp"

namespace ricochet {

[[nodiscard]] Read<Scene> read_scene_table(const toml::table& root);

}  // namespace ricochet
