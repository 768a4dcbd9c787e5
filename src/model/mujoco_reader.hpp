#pragma once
/// Robot files read by MuJoCo in a process of its own, so that a file that ends MuJoCo is an error and no crash.

#include <mujoco/mujoco.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/base/error.hpp"

namespace ricochet {

using ModelPointer = std::unique_ptr<mjModel, decltype(&mj_deleteModel)>;

struct MujocoRead {
  ModelPointer model{nullptr, &mj_deleteModel};
  std::string format;                 ///< "MJCF" or "URDF"
  std::string remark;                 ///< MuJoCo's warnings; may be empty
  std::vector<std::string> left_out;  ///< before MuJoCo has seen it
};

/// `text` is what the file holds; relative paths start at the file's folder.
[[nodiscard]] Expected<MujocoRead> read_by_mujoco(std::string_view text, const std::string& file);

}  // namespace ricochet
