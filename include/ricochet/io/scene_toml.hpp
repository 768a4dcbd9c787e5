#pragma once
/// A scene of bodies, contacts and hinges as TOML, docs/command-line.md.

#include <string>
#include <string_view>
#include <variant>

#include "ricochet/io/collision_toml.hpp"
#include "ricochet/io/mesh_reader.hpp"
#include "ricochet/scene/robot_scene.hpp"
#include "ricochet/scene/scene.hpp"

namespace ricochet {

/// The largest scene that is read [bytes].
constexpr std::size_t scene_limit = std::size_t{1} << 28U;

/// Validated as a whole: the result can be assembled. A scene with robots is refused.
[[nodiscard]] Read<Scene> read_scene(std::string_view text);

/// With robots or without, contacts stated or to be found. Robot files are not opened, those of meshes by `mesh`.
[[nodiscard]] Read<RobotScene> read_robot_scene(std::string_view text, const MeshReader& mesh = {});

/// A RobotScene where there is a robot.
[[nodiscard]] Read<std::variant<Scene, RobotScene>> read_any_scene(std::string_view text, const MeshReader& mesh = {});

/// A document that `read_scene` takes for the same scene, bit for bit.
[[nodiscard]] std::string write_toml(const Scene& scene);

}  // namespace ricochet
