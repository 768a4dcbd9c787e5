#pragma once
/// Where two convex shapes touch or nearly do: half spaces in closed form, all others by signed_distance, which needs
/// FCL.

#include <vector>

#include "ricochet/base/error.hpp"
#include "ricochet/geometry/half_space_contact.hpp"

namespace ricochet {

/// Whether this was built with FCL, and can therefore compute the distance of every pair of convex shapes.
[[nodiscard]] bool have_every_distance();

/// Contacts with a gap up to `reach` [m]; at most one, but for half spaces. Fails where a pair may be within reach and
/// its distance is not certain.
[[nodiscard]] Expected<std::vector<Touch>> shape_contacts(const ConvexShape& A, const ConvexShape& B, double reach);

/// How far `moving` travels along the unit vector `way` before it touches `at_rest`: docs/robots.md (LD2), (LD3).
/// Infinite where it never does. Negative where the two overlap: the way back to where it would have touched.
[[nodiscard]] Expected<double> way_to_touch(const ConvexShape& moving, const ConvexShape& at_rest, const Vec3& way);

}  // namespace ricochet
