#pragma once
/// Any permissible impulse by angles and a fraction about the centroid, CR98 4.1 (1), docs/laws/permissible-point.md.

#include <cmath>

#include "ricochet/law/outcome.hpp"
#include "ricochet/space/centroid.hpp"
#include "ricochet/space/region.hpp"

namespace ricochet {

struct PermissiblePoint {
  double psi_1 = 0;  ///< polar angle from n about the centroid, 0 ≤ ψ₁ ≤ π
  double psi_2 = 0;  ///< azimuth from local axis 2, 0 ≤ ψ₂ ≤ 2π
  double rho = 0;    ///< fraction of the way to the boundary, 0 ≤ ρ ≤ 1
  double mu = 0;     ///< friction, 0 ≤ μ ≤ ∞
};

/// P = P_0 + ρ x d with P_0 the centroid, d = cos ψ₁ n + sin ψ₁ (cos ψ₂ t₂ + sin ψ₂ t₃) and x the way from P_0 to the
/// boundary along d. No centroid (unbounded region): no solution.
template <class T>
RICOCHET_HD Solution<T> solve(const PermissiblePoint& law, const Local<T>& c) {
  using std::cos;
  using std::sin;
  const CentroidResult<T> centre = centroid<T>(c, law.mu);
  if (centre.status != RegionStatus::ok) {
    const bool unbounded = centre.status == RegionStatus::unbounded;
    return straight<T>(c, Vec3T<T>::Zero(), Mode::slip, unbounded ? Why::no_solution : Why::not_converged);
  }
  // At μ = 0 only the normal is left, and sin π ≠ 0 in floating point must not count as leaving it.
  const T across = law.psi_1 == 0 || law.psi_1 >= 3.141592653589793 ? T(0) : T(sin(T(law.psi_1)));
  const Vec3T<T> d(cos(T(law.psi_1)), across * cos(T(law.psi_2)), across * sin(T(law.psi_2)));
  const Exit<T> exit = exit_along<T>(c.W, c.V, centre.P, d, law.mu);
  const bool slips = exit.boundary == Boundary::friction && law.rho == 1;
  const Vec3T<T> P = settle<T>(c.W, c.V, centre.P + (T(law.rho) * exit.distance) * d, centre.P, law.mu);
  Solution<T> s = straight<T>(c, P, slips ? Mode::slip : Mode::stick);
  s.evaluations = centre.evaluations;
  return s;
}

[[nodiscard]] Expected<Outcome> collide(const PermissiblePoint& law, const Contact& contact);

}  // namespace ricochet
