#pragma once
/// A target impulse moved to the permissible region, CR98 4.1 (2), docs/laws/projected.md.

#include "ricochet/law/outcome.hpp"

namespace ricochet {

struct Projected {
  Vec3 target = Vec3::Zero();  ///< target impulse, in the coordinates of the contact
  double mu = 0;               ///< friction, 0 ≤ μ ≤ ∞
};

[[nodiscard]] Expected<Outcome> collide(const Projected& law, const Contact& contact);

}  // namespace ricochet
