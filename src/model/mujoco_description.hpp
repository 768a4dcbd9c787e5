#pragma once
/// Names and contents of a model that MuJoCo has read.

#include <mujoco/mujoco.h>

#include <string>
#include <string_view>
#include <vector>

#include "ricochet/mechanism/articulated.hpp"
#include "ricochet/mechanism/robot_description.hpp"

namespace ricochet {

/// MuJoCo's name, or one made from its kind and number.
[[nodiscard]] std::string name_of(const mjModel* m, int kind, std::string_view word, int id);
[[nodiscard]] std::string body_name(const mjModel* m, int body);
/// The name of a shape, or else of its body.
[[nodiscard]] std::string geom_name(const mjModel* m, int geom);
[[nodiscard]] std::string_view shape_name(int type);
[[nodiscard]] JointType joint_type(int type);

[[nodiscard]] RobotDescription describe(const mjModel* m);
[[nodiscard]] std::vector<FloatingRoot> floating_roots(const mjModel* m);

}  // namespace ricochet
