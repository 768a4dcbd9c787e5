#pragma once
/// Two-parameter algebraic law of Chatterjee & Ruina 1998, docs/laws/chatterjee-ruina.md.

#include "ricochet/law/outcome.hpp"

namespace ricochet {

struct ChatterjeeRuina {
  double e = 0;       ///< kinematic restitution, 0 ≤ e ≤ 1
  double e_t = 0;     ///< tangential restitution, −1 ≤ e_t ≤ 1
  double mu = 0;      ///< friction, 0 ≤ μ ≤ ∞
  double smooth = 0;  ///< width of the stick-slip transition, 0 (sharp, as published) ≤ smooth ≤ 1
};

[[nodiscard]] Expected<Outcome> collide(const ChatterjeeRuina& law, const Contact& contact);

}  // namespace ricochet
