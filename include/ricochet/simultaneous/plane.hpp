#pragma once
/// The plane of a law for planar impacts, within which uncertain inputs are sampled. docs/simultaneous.md.

#include <optional>

#include "ricochet/simultaneous/problem.hpp"

namespace ricochet {

/// The unit vector across the plane in which all contacts act, if one of them has a law that refuses others; nothing if
/// no law requires a plane, or if normals, velocities and responses to normal impulses do not lie in one.
[[nodiscard]] std::optional<Vec3> across_plane(const Problem& problem);

/// x without its part across the plane, if there is one.
[[nodiscard]] inline Vec3 in_plane(const Vec3& x, const std::optional<Vec3>& across) {
  return across ? Vec3(x - across->dot(x) * *across) : x;
}

}  // namespace ricochet
