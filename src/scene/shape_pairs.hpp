#pragma once
/// Contacts of two shapes of a scene.

#include <fmt/format.h>

#include <utility>

#include "ricochet/geometry/field_contact.hpp"
#include "ricochet/mechanism/robot_description.hpp"
#include "ricochet/mechanism/touching.hpp"

namespace ricochet {

/// Adds those with a gap up to `reach`, or the pair where its distance is not known. `put_jacobian` gives each its J.
template <class PutJacobian>
[[nodiscard]] Expected<void> add_contacts(const std::pair<const LinkShape&, const LinkShape&>& pair, double reach,
                                          FoundContacts& out, PutJacobian put_jacobian) {
  const auto& [a, b] = pair;
  const auto is_ground = [](const LinkShape& s) {
    return s.shape.core == ConvexShape::Core::half_space || s.field != nullptr;
  };
  if (is_ground(a) && is_ground(b)) return {};  // two floors
  const double apart = (a.shape.position - b.shape.position).norm() - core_radius(a.shape) - core_radius(b.shape) -
                       a.shape.margin - b.shape.margin;
  if (apart > reach) return {};
  const auto found = solid_contacts(a.solid(), b.solid(), reach);
  if (!found) {
    out.uncertain.push_back(
        {ErrorCode::invalid, "contacts", fmt::format("{} and {}", a.name, b.name),
         fmt::format("may be within reach, and their distance is not known ({}): specify this contact explicitly",
                     found.error().allowed)});
    return {};
  }
  for (const Touch& touch : *found) {
    ContactPoint at = touching(touch);
    at.first = a.name;
    at.second = b.name;
    at.first_body = a.body;
    at.second_body = b.body;
    if (const Expected<void> fine = put_jacobian(at); !fine) return fine;
    out.points.push_back(std::move(at));
  }
  return {};
}

}  // namespace ricochet
