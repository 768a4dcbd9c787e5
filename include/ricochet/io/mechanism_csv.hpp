#pragma once
/// Impacts of mechanisms as CSV: for each law a row for each contact that was struck and one for each generalised speed
/// (docs/command-line.md).

#include <span>
#include <string>

#include "ricochet/scene/mechanism_impact.hpp"
#include "ricochet/scene/strike_together.hpp"

namespace ricochet {

/// The chosen contact by each law, and by each closed form for the plane.
[[nodiscard]] std::string write_csv(const MechanismImpact& impact, std::span<const Answer> answers,
                                    std::span<const PlanarAnswer> planar);
/// Contacts that were resolved together.
[[nodiscard]] std::string write_csv(const MechanismImpact& impact, const Together& together);

}  // namespace ricochet
