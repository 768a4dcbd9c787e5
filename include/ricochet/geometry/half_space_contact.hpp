#pragma once
/// A convex shape on a half space (a floor), in closed form: docs/robots.md (LD1).

#include <vector>

#include "ricochet/geometry/convex_shape.hpp"

namespace ricochet {

/// Where two shapes A and B are nearest.
struct Touch {
  Vec3 on_A = Vec3::Zero(), on_B = Vec3::Zero();  ///< world [m]
  Vec3 n = Vec3::UnitZ();                         ///< unit, from A to B
  double gap = 0;                                 ///< n·(on_B − on_A) [m]; negative: they overlap
  bool patch = false;                             ///< one of many equally near pairs of points
};

/// How far the shape is above the half space, along its normal [m]; negative: below its surface.
[[nodiscard]] double height_above(const ConvexShape& half_space, const ConvexShape& shape);

/// The points of the shape, B, that carry it on the half space, A, as far as they are within `reach` of it: the ends of
/// a capsule or of a lying cylinder, four points of a cylinder's rim, the corners of a box, the corners of the face
/// that a hull stands on. At most 8 of a hull: of rounder faces those farthest in 8 directions.
[[nodiscard]] std::vector<Touch> half_space_contacts(const ConvexShape& half_space, const ConvexShape& shape,
                                                     double reach);

}  // namespace ricochet
