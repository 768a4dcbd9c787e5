#pragma once
/// The works of the normal and of the friction impulse as the normal impulse grows (M11 Fig. 2.6).

#include "ricochet/law/trajectory.hpp"
#include "ricochet/mechanism/planar_impact.hpp"
#include "ricochet/report/plot.hpp"

namespace ricochet {

/// A piece with known end points only is drawn straight and dashed.
[[nodiscard]] Plot energy_over_impulse(const Contact& contact, const Trajectory& way);

/// Exact, from the planar solution.
[[nodiscard]] Expected<Plot> energy_over_impulse(const PlanarOutcome& outcome);

}  // namespace ricochet
