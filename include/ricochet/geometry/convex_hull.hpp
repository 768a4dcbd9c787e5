#pragma once
/// The convex hull of points, by Qhull. Target ricochet_urdf.

#include <vector>

#include "ricochet/base/error.hpp"
#include "ricochet/geometry/hull.hpp"

namespace ricochet {

/// Fails where the points lie in one plane, or are not finite.
[[nodiscard]] Expected<Hull> convex_hull(const std::vector<Vec3>& points);

}  // namespace ricochet
