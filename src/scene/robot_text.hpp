#pragma once
/// What a robot file holds, before it is known to be one.

#include <string>

#include "ricochet/base/error.hpp"

namespace ricochet {

struct RobotText {
  std::string file, text;
  bool urdf = false;  ///< otherwise MJCF
};

/// Runs xacro where the file is for it. Folders, meshes, scenes and other things that are no robot files are refused.
[[nodiscard]] Expected<RobotText> read_robot_text(const std::string& file);

}  // namespace ricochet
