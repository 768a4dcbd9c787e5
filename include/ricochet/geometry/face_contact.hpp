#pragma once
/// Face on face: the corners of the patch on which two convex shapes touch, docs/robots.md.

#include <vector>

#include "ricochet/geometry/half_space_contact.hpp"

namespace ricochet {

/// `touch` is a patch of A and B. Its corners, each with the gap and the normal of it: of a face on a face the corners
/// of what the two have in common, of an edge on a face or along an edge its ends. The touch itself, still a patch,
/// where the two have nothing in common but for rounding.
[[nodiscard]] std::vector<Touch> patch_corners(const ConvexShape& A, const ConvexShape& B, const Touch& touch);

}  // namespace ricochet
