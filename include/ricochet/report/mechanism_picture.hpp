#pragma once
/// A mechanism with the contacts that are struck, as a picture.

#include <string>
#include <utility>
#include <vector>

#include "ricochet/report/solids_picture.hpp"
#include "ricochet/scene/mechanism_impact.hpp"

namespace ricochet {

/// The contacts in a picture, with the impulses by which their dots grow.
struct PicturedContacts {
  std::vector<std::size_t> numbers;
  std::vector<double> shares;
};

/// Links at the speeds u. A single contact has an arrow too.
[[nodiscard]] SolidsPicture picture_of(const MechanismImpact& impact, const PicturedContacts& pictured, const VecX& u,
                                       std::string title);

/// Right and up, to look across the plane of normal and slip; z points up if possible, otherwise the normal.
[[nodiscard]] std::pair<Vec3, Vec3> view_axes(const Contact& contact);
/// Across gravity, with the contacts as far apart as they can be seen.
[[nodiscard]] std::pair<Vec3, Vec3> view_axes(const MechanismImpact& impact, const std::vector<std::size_t>& contacts);

}  // namespace ricochet
