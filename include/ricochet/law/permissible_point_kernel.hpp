#pragma once
/// Any permissible impulse by angles and a fraction about the centroid, CR98 4.1 (1), docs/laws/permissible-point.md.

#include <cmath>

#include "ricochet/base/constants.hpp"
#include "ricochet/law/permissible_point.hpp"
#include "ricochet/law/reference_centroid.hpp"
#include "ricochet/law/solution.hpp"
#include "ricochet/space/region.hpp"

namespace ricochet {

/// P = P_0 + ρ x d with P_0 the centroid, d = cos ψ₁ n + sin ψ₁ (cos ψ₂ t₂ + sin ψ₂ t₃) and x the distance from P_0 to
/// the boundary along d. No centroid (unbounded region): no solution.
template <class T>
RICOCHET_HD Solution<T> solve(const PermissiblePoint& law, const Local<T>& c) {
  using std::cos;
  using std::sin;
  const CentroidResult<T> centre = reference_centroid<T>(c, law.mu);
  if (centre.status != RegionStatus::ok)
    return straight<T>(c, Vec3T<T>::Zero(), Mode::slip, without_centroid(centre.status));
  // At μ = 0 the region is on the normal, and sin π ≠ 0 in floating point must not count as leaving it.
  const T across = law.psi_1 == 0 || law.psi_1 >= ricochet::pi<double>() ? T(0) : T(sin(T(law.psi_1)));
  const Vec3T<T> d(cos(T(law.psi_1)), across * cos(T(law.psi_2)), across * sin(T(law.psi_2)));
  const Exit<T> exit = exit_along<T>(c.W, c.V, centre.P, d, law.mu);
  const bool slips = exit.boundary == Boundary::friction && law.rho == 1;
  const Vec3T<T> P = pull_inside<T>(c.W, c.V, centre.P + (T(law.rho) * exit.distance) * d, centre.P, law.mu);
  Solution<T> s = straight<T>(c, P, slips ? Mode::slip : Mode::stick);
  s.evaluations = centre.evaluations;
  return s;
}

}  // namespace ricochet
