#pragma once
/// The answers of the planar closed forms to an impact of a mechanism (docs/mechanisms.md).

#include <span>
#include <string_view>

#include "ricochet/law/planar_closed_forms.hpp"
#include "ricochet/law/registry.hpp"
#include "ricochet/mechanism/planar_impact.hpp"

namespace ricochet {

struct PlanarAnswer {
  std::string_view law;
  Expected<PlanarOutcome> outcome;
  Vec3 V = Vec3::Zero();         ///< relative velocity after, world [m/s]
  Certificate certificate = {};  ///< as that of a law of a contact, with the cone of mu_s
};

/// The contact in the plane of slip and normal. Fails where the impulse would leave the plane.
[[nodiscard]] Expected<PlanarProblem> in_its_plane(const Response& response);

/// `info` is one of planar_closed_forms().
[[nodiscard]] PlanarAnswer ask_planar(const LawInfo& info, const LawParameters& settings, const PlanarProblem& problem);

}  // namespace ricochet
