#pragma once
/// Deviations of the measured velocities after by component, and rows in their units (docs/fitting.md, FT19).

#include <span>

#include "ricochet/fit/measured_impact.hpp"

namespace ricochet {

struct ComponentNoise {
  double normal = 0;      ///< s_n [m/s]
  double tangential = 0;  ///< s_t, of each direction along the ground [m/s]
  double spin = 0;        ///< s_ω, of each axis [rad/s]; 0 where the spin was not measured
};

/// Of residuals A P − b, one for each row.
[[nodiscard]] ComponentNoise component_noise(std::span<const ReducedImpact> rows,
                                             std::span<const ReducedImpact::Vec6> residuals);

/// The row with A and b such that A P − b is the residual r of (FT19).
[[nodiscard]] ReducedImpact in_units_of(const ComponentNoise& noise, const ReducedImpact& row);

}  // namespace ricochet
