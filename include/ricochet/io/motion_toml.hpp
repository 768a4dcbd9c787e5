#pragma once
/// A scene for motion as TOML, docs/command-line.md.

#include <string_view>

#include "ricochet/io/fault.hpp"
#include "ricochet/io/mesh_reader.hpp"
#include "ricochet/scene/motion_scene.hpp"

namespace ricochet {

/// Whether a TOML document is a scene for motion, told by its keys: [[body]] or [[robot]] tables, and neither
/// [[contact]] tables nor the normal and point of one collision.
[[nodiscard]] bool is_motion_scene(std::string_view text);

/// Validated as a whole: `make_world` accepts the result, once `assume_missing` has filled in what it does not say.
[[nodiscard]] Read<MotionScene> read_motion_scene(std::string_view text, const MeshReader& mesh = {});

}  // namespace ricochet
