#pragma once
/// Any permissible impulse by angles and a fraction about the centroid, CR98 4.1 (1), docs/laws/permissible-point.md.

#include "ricochet/law/outcome.hpp"

namespace ricochet {

struct PermissiblePoint {
  double psi_1 = 0;  ///< polar angle from n about the centroid, 0 ≤ ψ₁ ≤ π
  double psi_2 = 0;  ///< azimuth from local axis 2, 0 ≤ ψ₂ ≤ 2π
  double rho = 0;    ///< fraction of the way to the boundary, 0 ≤ ρ ≤ 1
  double mu = 0;     ///< friction, 0 ≤ μ ≤ ∞
};

[[nodiscard]] Expected<Outcome> collide(const PermissiblePoint& law, const Contact& contact);

}  // namespace ricochet
