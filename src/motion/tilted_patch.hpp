#pragma once
/// Corners of the patch on which two polyhedra touch whose faces are nearly parallel, docs/time-stepping.md (TS11).

#include <vector>

#include "ricochet/geometry/half_space_contact.hpp"

namespace ricochet::motion {

/// `touch` is of A and B, boxes or hulls. Where the faces across its normal are parallel to `tilt` (of the smaller
/// size), the corners of what they have in common, seen along the normal, each with its own gap, as far as that is at
/// most `reach`; otherwise the touch alone.
[[nodiscard]] std::vector<Touch> tilted_patch(const ConvexShape& A, const ConvexShape& B, const Touch& touch,
                                              double tilt, double reach);

}  // namespace ricochet::motion
