#pragma once
/// The spring-sledge contact with restitution and friction that vary with speed and incidence,
/// docs/laws/graded-sledge.md.

#include <algorithm>
#include <cmath>

#include "ricochet/law/outcome.hpp"

namespace ricochet {

/// e and μ are those of a normal impact at 1 m/s; with all slopes zero it is the spring-sledge.
struct GradedSledge {
  double kappa = 14.0 / 17.0;  ///< tangential over normal stiffness, above 0
  double mu = 0;               ///< friction, 0 ≤ μ ≤ ∞
  double mu_v = 0, mu_i = 0;   ///< its change with speed and incidence
  double e = 1;                ///< restitution, 0 or more
  double e_v = 0, e_i = 0;     ///< its change with speed and incidence
};

/// No contact has more friction than this (GS3).
[[nodiscard]] inline double widest_friction(const GradedSledge& law) {
  return std::max(0.0, law.mu + 2 * std::abs(law.mu_v) + std::max(0.0, law.mu_i));
}

[[nodiscard]] Expected<Outcome> collide(const GradedSledge& law, const Contact& contact);

}  // namespace ricochet
