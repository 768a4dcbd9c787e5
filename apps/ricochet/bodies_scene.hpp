#pragma once
/// Bodies with shapes, contacts and hinges, as a scene file or a bundled scene states them. docs/command-line.md.

#include <cstdint>
#include <string>
#include <vector>

#include "ricochet/simultaneous/problem.hpp"

namespace ricochet::app {

/// For pictures, and for the inertia of homogeneous bodies. In body axes, about the centre of mass.
struct Shape {
  enum class Kind : std::uint8_t { none, sphere, box, rod, plane };
  Kind kind = Kind::none;
  double radius = 0;         ///< sphere, rod [m]
  double length = 0;         ///< rod, along x [m]
  Vec3 size = Vec3::Zero();  ///< box, whole edges [m]
};

struct BodiesScene {
  std::string title;
  std::vector<std::string> names;  ///< of the bodies
  std::vector<Shape> shapes;       ///< likewise
  Arrangement arrangement;
  std::vector<std::string> laws;         ///< name of each contact's
  std::vector<Settings> settings;        ///< likewise: what its law was made of, and perhaps more
  std::vector<long long> hinge_lines;    ///< where they stand in the file
  std::vector<long long> contact_lines;  ///< likewise
};

/// Moments of a homogeneous body of this shape.
[[nodiscard]] Vec3 homogeneous_inertia(const Shape& shape, double mass);

}  // namespace ricochet::app
