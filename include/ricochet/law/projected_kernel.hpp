#pragma once
/// A target impulse moved to the permissible region, CR98 4.1 (2), docs/laws/projected.md.

#include <cmath>

#include "ricochet/law/projected.hpp"
#include "ricochet/law/reference_centroid.hpp"
#include "ricochet/law/solution.hpp"
#include "ricochet/space/region.hpp"

namespace ricochet {

/// A target inside the region is the answer. Any other is moved along the line to the centroid P_0 until it reaches the
/// boundary: P = P_0 + min(1, x) (target − P_0), with x the distance from P_0 to the boundary in units of target − P_0.
template <class T>
RICOCHET_HD Solution<T> solve(const Projected& law, const Local<T>& c) {
  using std::sqrt;
  Vec3T<T> target = c.R.transpose() * law.target.template cast<T>();
  // The rotation leaves rounding errors across the normal for a target along it, which would count at μ = 0.
  const T P_t = sqrt(target(1) * target(1) + target(2) * target(2));
  if (P_t <= T(8) * std::numeric_limits<double>::epsilon() * sqrt(target.dot(target))) target(1) = target(2) = T(0);
  if (certify<T>(c.W, c.V, target, law.mu, 0).permissible) {
    const bool slips = law.mu != std::numeric_limits<double>::infinity() && !(P_t < T(law.mu) * target(0));
    return straight<T>(c, target, slips ? Mode::slip : Mode::stick);
  }
  const CentroidResult<T> centre = reference_centroid<T>(c, law.mu);
  if (centre.status != RegionStatus::ok)
    return straight<T>(c, Vec3T<T>::Zero(), Mode::slip, without_centroid(centre.status));
  const Vec3T<T> d = target - centre.P;
  const Exit<T> exit = exit_along<T>(c.W, c.V, centre.P, d, law.mu);
  const T x = exit.distance < T(1) ? exit.distance : T(1);
  const Vec3T<T> P = pull_inside<T>(c.W, c.V, centre.P + x * d, centre.P, law.mu);
  Solution<T> s = straight<T>(c, P, exit.boundary == Boundary::friction ? Mode::slip : Mode::stick);
  s.evaluations = centre.evaluations;
  return s;
}

}  // namespace ricochet
