#pragma once
/// Smith's law, CR98 Eq. 8, docs/laws/smith.md.

#include "ricochet/law/outcome.hpp"

namespace ricochet {

struct Smith {
  double e = 0;   ///< kinematic restitution, 0 ≤ e ≤ 1
  double mu = 0;  ///< friction, 0 ≤ μ ≤ ∞
};

[[nodiscard]] Expected<Outcome> collide(const Smith& law, const Contact& contact);

}  // namespace ricochet
