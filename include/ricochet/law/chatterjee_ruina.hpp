#pragma once
/// Two-parameter algebraic law of Chatterjee & Ruina 1998, docs/laws/chatterjee-ruina.md.

#include "ricochet/law/outcome.hpp"

namespace ricochet {

template <class S>
struct ChatterjeeRuinaT {
  S e = S(0);       ///< kinematic restitution, 0 ≤ e ≤ 1
  S e_t = S(0);     ///< tangential restitution, −1 ≤ e_t ≤ 1
  S mu = S(0);      ///< friction, 0 ≤ μ ≤ ∞
  S smooth = S(0);  ///< width of the stick-slip transition, 0 (sharp, as published) ≤ smooth ≤ 1
};
using ChatterjeeRuina = ChatterjeeRuinaT<double>;

[[nodiscard]] Expected<Outcome> collide(const ChatterjeeRuina& law, const Contact& contact);

}  // namespace ricochet
