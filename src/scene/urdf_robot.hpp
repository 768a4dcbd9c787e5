#pragma once
/// A robot from a URDF file as a machine.

#include <memory>

#include "ricochet/model/urdf_model.hpp"
#include "ricochet/scene/machine.hpp"

namespace ricochet {

[[nodiscard]] std::unique_ptr<Machine> make_urdf_robot(UrdfModel model);

}  // namespace ricochet
