#pragma once
/// A scene of many contacts by the name of a file or of a bundled scene.

#include <string>
#include <variant>

#include "ricochet/io/fault.hpp"
#include "ricochet/scene/motion_scene.hpp"
#include "ricochet/scene/robot_scene.hpp"
#include "ricochet/scene/scene.hpp"

namespace ricochet {

/// Whether this is the name of a bundled scene, "cradle" or "cradle:7", and not of a file.
[[nodiscard]] bool is_bundled_scene(const std::string& name);

[[nodiscard]] Read<Scene> open_scene(const std::string& name);

/// Robot files are looked for beside the scene, and not opened.
[[nodiscard]] Read<std::variant<Scene, RobotScene>> open_any_scene(const std::string& name);
[[nodiscard]] Read<RobotScene> open_robot_scene(const std::string& file);

/// A file with its meshes beside it, a scene of scenes/motion/, or another bundled one, whose contacts are then found.
[[nodiscard]] Read<MotionScene> open_motion_scene(const std::string& name);

/// The line in the file of an error in a scene, "contact 3 law"; 0 if unknown.
[[nodiscard]] long long line_of(const Scene& scene, const Error& error);

}  // namespace ricochet
