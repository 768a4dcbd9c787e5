#pragma once
/// The works of the normal and of the friction impulse as the normal impulse grows (M11 Fig. 2.6).

#include "ricochet/law/outcome.hpp"
#include "ricochet/mechanism/planar_impact.hpp"
#include "ricochet/report/plot.hpp"

namespace ricochet {

/// Between the points of the outcome's path the impulse is taken to go straight, which is what it does but for slip
/// that swerves in three dimensions. A piece whose works do not come out as the law says is drawn straight and dashed.
[[nodiscard]] Plot energy_over_impulse(const Contact& contact, const Outcome& outcome);

/// Exactly as the planar solution has it.
[[nodiscard]] Expected<Plot> energy_over_impulse(const PlanarOutcome& outcome);

}  // namespace ricochet
