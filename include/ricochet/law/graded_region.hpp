#pragma once
/// Coordinates of the permissible region as smooth functions of the contact, docs/laws/graded-region.md.

#include "ricochet/law/outcome.hpp"

namespace ricochet {

struct GradedRegion {
  double e = 0;  ///< restitution at 1 m/s along the normal, 0 ≤ e ≤ 1
  double e_v = 0, e_vv = 0, e_i = 0, e_ii = 0, e_r = 0, e_ir = 0, e_c = 0, e_m = 0;  ///< slopes of its logit (GR2)
  double mu = 0;                                                                     ///< friction, 0 ≤ μ ≤ ∞
  double smooth = 0.1;                                  ///< width of the limits, 0 (sharp) ≤ smooth ≤ 1
  double tau = 2.0 / 7;                                 ///< tangential impulse for the slip (GR3)
  double tau_v = 0, tau_c = 0, tau_ic = 0, tau_m = 0;   ///< its slopes
  double chi_c = 0, chi_ic = 0, chi_rc = 0, chi_m = 0;  ///< tangential impulse for the coupling (GR3)
};

[[nodiscard]] Expected<Outcome> collide(const GradedRegion& law, const Contact& contact);

}  // namespace ricochet
