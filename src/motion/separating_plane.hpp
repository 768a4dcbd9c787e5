#pragma once
/// A plane between two convex shapes, found by support points alone: much cheaper than their distance.

#include <optional>

#include "ricochet/geometry/half_space_contact.hpp"

namespace ricochet::motion {

/// A direction n from A to B along which the shapes are apart, the support points and their distance along n, which is
/// at most that of the shapes: by the reflections of Chung and Wang (1996), at most eight. Nothing where none was
/// found; the shapes may be apart all the same.
[[nodiscard]] std::optional<Touch> separating_plane(const ConvexShape& A, const ConvexShape& B);

}  // namespace ricochet::motion
