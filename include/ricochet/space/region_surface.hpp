#pragma once
/// The surface of the permissible region as triangles, for drawing; docs/impulse-space.md (S10 to S13).
///
/// In each half plane the region lies between its floor, on the plane of maximum compression, and its roof, on the
/// energy ellipsoid. With X as in (S13) these are, at ‖P_t‖ = X (√W_nn P_n + w·P_t/√W_nn),
///   floor: r cos α = h,   roof: r cos α = 2 (h + p X) / (1 + ε² X²),   0 ≤ X ≤ X_max.                  (S22)
/// Where the cone ends the region before floor and roof meet, a wall on the cone joins them.

#include <vector>

#include "ricochet/contact/contact.hpp"

namespace ricochet {

struct RegionSurface {
  std::vector<Vec3> points;    ///< on the boundary, input coordinates
  std::vector<int> triangles;  ///< three indices each, counterclockwise from outside
  bool bounded = true;         ///< otherwise cut off at the ball of radius `reach` about 0
  double reach = 0;
};

struct RegionSurfaceOptions {
  int turns = 64;  ///< half planes; 3 or more
  int rings = 12;  ///< steps of X in each; 1 or more
};

/// Fails on a contact that does not approach (V), on μ out of range (mu) and on options out of range. At μ = 0 the
/// surface degenerates to a segment.
[[nodiscard]] Expected<RegionSurface> region_surface(const Contact& contact, double mu,
                                                     const RegionSurfaceOptions& options = {});

}  // namespace ricochet
