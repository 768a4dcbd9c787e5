#pragma once
/// Impact process diagrams (REG Fig. 3): how the impulse of a planar impact grows, for the spring-sledge contact with
/// several stiffness ratios and for Routh's method with each hypothesis of restitution; and how the first becomes the
/// second as the tangential spring stiffens. Equations: docs/laws/spring-sledge.md, docs/laws/routh.md.

#include <vector>

#include "ricochet/contact/contact.hpp"
#include "ricochet/report/plot.hpp"

namespace ricochet {

struct ImpactProcessOptions {
  double e = 1;                                             ///< of all models, 0 to 1
  double mu = 0.5;                                          ///< of all models, finite
  std::vector<double> kappas = {0.2, 14.0 / 17.0, 3, 100};  ///< of the spring-sledge
  bool short_names = false;                                 ///< for the legend of a small pane
};

/// Axes: impulse against the initial slip, normal impulse. Fails on a contact that is not planar or separates, on
/// parameters out of range, and where a model has no answer.
[[nodiscard]] Expected<Plot> impact_process(const Contact& contact, const ImpactProcessOptions& options);

struct ConvergenceCase {
  std::string name;
  Contact contact;
  double e = 1, mu = 0.5;
};

/// ‖P_κ − P_∞‖/‖P_∞‖ over κ, P_κ of the spring-sledge and P_∞ of Routh's method with Stronge's hypothesis, both axes
/// logarithmic. Fails as above.
[[nodiscard]] Expected<Plot> stiffening(const std::vector<ConvergenceCase>& cases);

}  // namespace ricochet
