#pragma once
/// Convex hull in the plane, for outlines.

#include <vector>

#include "ricochet/base/linear.hpp"

namespace ricochet {

/// Corners in order around the hull, by the monotone chain; of fewer than three points, the points.
[[nodiscard]] std::vector<Vec2> convex_hull(std::vector<Vec2> points);

}  // namespace ricochet
