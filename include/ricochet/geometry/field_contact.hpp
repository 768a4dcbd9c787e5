#pragma once
/// Where a convex shape touches a height field or nearly does: docs/robots.md (LD7), (LD8).

#include <vector>

#include "ricochet/base/error.hpp"
#include "ricochet/geometry/half_space_contact.hpp"
#include "ricochet/geometry/height_field.hpp"

namespace ricochet {

/// Contacts of the field, A, and the shape, B, with a gap up to `reach` [m]: where their distance is a local minimum,
/// and the points on which the shape stands on single triangles. Of contacts in one plane only the corners. The shape
/// must not be a half space. Fails where a distance is not certain, and
/// where the shape is so deep in the field that none is its way out.
[[nodiscard]] Expected<std::vector<Touch>> field_contacts(const PlacedField& field, const ConvexShape& shape,
                                                          double reach);

/// How far the shape travels along the unit vector `way` before it touches the field at rest; as way_to_touch of two
/// convex shapes, the least over the prisms of the field.
[[nodiscard]] Expected<double> way_to_touch(const ConvexShape& moving, const PlacedField& at_rest, const Vec3& way);

/// A convex shape, or a height field with its convex hull.
struct Solid {
  const ConvexShape& shape;
  const std::shared_ptr<const HeightField>& field;  ///< where it is one; null otherwise
};

/// The contacts of any two, as shape_contacts and field_contacts find them. Fails for two height fields. A half space
/// meets the convex hull of a field.
[[nodiscard]] Expected<std::vector<Touch>> solid_contacts(const Solid& A, const Solid& B, double reach);
/// way_to_touch of any two.
[[nodiscard]] Expected<double> way_between(const Solid& moving, const Solid& at_rest, const Vec3& way);

}  // namespace ricochet
