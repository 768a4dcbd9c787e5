#pragma once
/// The shape of a body, in body axes about its centre of mass: for pictures, distances and the inertia of homogeneous
/// bodies.

#include <cstdint>
#include <string_view>

#include "ricochet/base/linear.hpp"

namespace ricochet {

struct Shape {
  enum class Kind : std::uint8_t { none, sphere, box, rod, plane };
  Kind kind = Kind::none;
  double radius = 0;         ///< sphere, rod [m]
  double length = 0;         ///< rod, along x [m]
  Vec3 size = Vec3::Zero();  ///< box, whole edges [m]
};

/// As scenes call it, "sphere"; empty of none.
[[nodiscard]] std::string_view name(Shape::Kind kind);

/// Principal moments of a homogeneous body of this shape [kg m²]; zero for a shape without volume.
[[nodiscard]] Vec3 homogeneous_inertia(const Shape& shape, double mass);

}  // namespace ricochet
