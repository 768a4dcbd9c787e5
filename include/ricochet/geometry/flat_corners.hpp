#pragma once
/// Corners of the convex hull of points of a plane.

#include <cstddef>
#include <vector>

#include "ricochet/base/linear.hpp"

namespace ricochet {

/// Indices of the corners in order, without those on edges: a corner turns by more than `slack` of the square of the
/// size. One index of points that coincide, two of points in line.
[[nodiscard]] std::vector<std::size_t> flat_corners(const std::vector<Eigen::Vector2d>& at, double slack = 1e-9);

/// At most `count` of the corners: of more those that are farthest in so many directions.
[[nodiscard]] std::vector<std::size_t> few_corners(const std::vector<Eigen::Vector2d>& at,
                                                   const std::vector<std::size_t>& corners, std::size_t count);

}  // namespace ricochet
