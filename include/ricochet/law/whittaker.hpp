#pragma once
/// Whittaker's law, also Kane and Levinson's, docs/laws/whittaker.md.

#include "ricochet/law/outcome.hpp"

namespace ricochet {

struct Whittaker {
  double e = 0;   ///< kinematic restitution, 0 ≤ e ≤ 1
  double mu = 0;  ///< friction, 0 ≤ μ ≤ ∞
};

[[nodiscard]] Expected<Outcome> collide(const Whittaker& law, const Contact& contact);

}  // namespace ricochet
