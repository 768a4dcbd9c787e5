#pragma once
/// A wished impulse pulled back to the permissible region, CR98 4.1 (2), docs/laws/projected.md.

#include <cmath>

#include "ricochet/law/outcome.hpp"
#include "ricochet/space/centroid.hpp"
#include "ricochet/space/region.hpp"

namespace ricochet {

struct Projected {
  Vec3 wish = Vec3::Zero();  ///< the impulse wished for, in the coordinates of the contact
  double mu = 0;             ///< friction, 0 ≤ μ ≤ ∞
};

/// A wish in the region is granted. Any other is pulled along the line to the centroid P_0 until it meets the boundary:
/// P = P_0 + min(1, x) (wish − P_0), x the way from P_0 to the boundary in units of wish − P_0.
template <class T>
RICOCHET_HD Solution<T> solve(const Projected& law, const Local<T>& c) {
  using std::sqrt;
  Vec3T<T> wish = c.R.transpose() * law.wish.template cast<T>();
  // The rotation leaves rounding across the normal where the wish was along it, and at μ = 0 that would count.
  const T P_t = sqrt(wish(1) * wish(1) + wish(2) * wish(2));
  if (P_t <= T(8) * std::numeric_limits<double>::epsilon() * sqrt(wish.dot(wish))) wish(1) = wish(2) = T(0);
  if (certify<T>(c.W, c.V, wish, law.mu, 0).permissible) {
    const bool slips = law.mu != std::numeric_limits<double>::infinity() && !(P_t < T(law.mu) * wish(0));
    return straight<T>(c, wish, slips ? Mode::slip : Mode::stick);
  }
  const CentroidResult<T> centre = centroid<T>(c, law.mu);
  if (centre.status != RegionStatus::ok) {
    const bool unbounded = centre.status == RegionStatus::unbounded;
    return straight<T>(c, Vec3T<T>::Zero(), Mode::slip, unbounded ? Why::no_solution : Why::not_converged);
  }
  const Vec3T<T> d = wish - centre.P;
  const Exit<T> exit = exit_along<T>(c.W, c.V, centre.P, d, law.mu);
  const T x = exit.distance < T(1) ? exit.distance : T(1);
  const Vec3T<T> P = settle<T>(c.W, c.V, centre.P + x * d, centre.P, law.mu);
  Solution<T> s = straight<T>(c, P, exit.boundary == Boundary::friction ? Mode::slip : Mode::stick);
  s.evaluations = centre.evaluations;
  return s;
}

[[nodiscard]] Expected<Outcome> collide(const Projected& law, const Contact& contact);

}  // namespace ricochet
