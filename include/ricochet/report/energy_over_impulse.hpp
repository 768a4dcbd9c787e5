#pragma once
/// The works of the normal and of the friction impulse as the normal impulse grows (M11 Fig. 2.6).

#include "ricochet/mechanism/planar_impact.hpp"
#include "ricochet/report/plot.hpp"
#include "ricochet/report/way.hpp"

namespace ricochet {

/// A piece of which only the ends are known is drawn straight and dashed.
[[nodiscard]] Plot energy_over_impulse(const Contact& contact, const Way& way);

/// Exactly as the planar solution has it.
[[nodiscard]] Expected<Plot> energy_over_impulse(const PlanarOutcome& outcome);

}  // namespace ricochet
