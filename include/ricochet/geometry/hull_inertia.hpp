#pragma once
/// Volume, centroid and inertia of a homogeneous convex hull.

#include "ricochet/geometry/hull.hpp"

namespace ricochet {

struct HullMass {
  double volume = 0;             ///< [m³]
  Vec3 centroid = Vec3::Zero();  ///< in the hull's axes [m]
  Mat3 inertia = Mat3::Zero();   ///< about the centroid, of a body of 1 kg [m²]
};

/// From the tetrahedra between the faces and a vertex. The hull must have faces, whichever way these turn.
[[nodiscard]] HullMass mass_of(const Hull& hull);

/// Every vertex moved by `by`.
[[nodiscard]] Hull moved(Hull hull, const Vec3& by);
/// Every vertex times `by`.
[[nodiscard]] Hull scaled(Hull hull, double by);

}  // namespace ricochet
