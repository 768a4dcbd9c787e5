#pragma once
/// The shape of a body, in body axes about its centre of mass: for pictures, distances and the inertia of homogeneous
/// bodies.

#include <cstdint>
#include <memory>
#include <string_view>

#include "ricochet/base/linear.hpp"
#include "ricochet/geometry/hull.hpp"

namespace ricochet {

struct HeightField;

struct Shape {
  enum class Kind : std::uint8_t {
    none,
    sphere,
    box,
    rod,
    plane,
    capsule,
    cylinder,
    ellipsoid,
    mesh,
    disc,
    wheel,
    height_field,
  };
  Kind kind = Kind::none;
  double radius = 0;         ///< sphere, rod, capsule, cylinder, disc; wheel, with its tyre [m]
  double length = 0;         ///< rod, cylinder, along x; capsule, between the centres of its ends; wheel, its tyre [m]
  Vec3 size = Vec3::Zero();  ///< box, whole edges; ellipsoid, whole axes; height field, along x and y, and its base [m]
  std::shared_ptr<const Hull> hull = {};          ///< mesh, with faces; height field, its convex hull
  std::shared_ptr<const HeightField> field = {};  ///< height field
};

/// As scenes call it, "sphere"; empty of none.
[[nodiscard]] std::string_view name(Shape::Kind kind);

/// Whether a homogeneous body of this shape has an inertia: all but planes and height fields.
[[nodiscard]] bool has_inertia(Shape::Kind kind);

/// Moments about the body axes of a homogeneous body of this shape [kg m²] (of a wheel: of its tyre, a torus), which
/// are its principal axes; zero for a shape without extent, and for a mesh, whose axes they need not be
/// (geometry/hull_inertia.hpp).
[[nodiscard]] Vec3 homogeneous_inertia(const Shape& shape, double mass);

}  // namespace ricochet
