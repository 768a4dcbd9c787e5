#pragma once
/// The vertices of a mesh file (STL, OBJ, COLLADA and what else Assimp reads).

#include <string>
#include <vector>

#include "ricochet/base/error.hpp"
#include "ricochet/base/linear.hpp"

namespace ricochet {

/// In metres, as ROS takes them: the units of the file count, its up axis does not.
[[nodiscard]] Expected<std::vector<Vec3>> read_mesh(const std::string& file);

}  // namespace ricochet
