#pragma once
/// Frictionless impact, docs/laws/frictionless.md.

#include "ricochet/law/outcome.hpp"

namespace ricochet {

struct Frictionless {
  double e = 0;  ///< kinematic restitution, 0 ≤ e ≤ 1
};

[[nodiscard]] Expected<Outcome> collide(const Frictionless& law, const Contact& contact);

}  // namespace ricochet
