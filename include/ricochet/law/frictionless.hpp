#pragma once
/// Frictionless impact, docs/laws/frictionless.md.

#include "ricochet/law/outcome.hpp"

namespace ricochet {

template <class S>
struct FrictionlessT {
  S e = S(0);  ///< kinematic restitution, 0 ≤ e ≤ 1
};
using Frictionless = FrictionlessT<double>;

[[nodiscard]] Expected<Outcome> collide(const Frictionless& law, const Contact& contact);

}  // namespace ricochet
