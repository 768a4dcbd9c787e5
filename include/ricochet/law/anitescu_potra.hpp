#pragma once
/// Anitescu and Potra's two-phase law in 3D, docs/laws/anitescu-potra.md.

#include "ricochet/law/outcome.hpp"

namespace ricochet {

struct AnitescuPotra {
  double e_k = 0;  ///< kinetic (Poisson) restitution, 0 ≤ e_k ≤ 1
  double mu = 0;   ///< friction, 0 ≤ μ ≤ ∞
};

[[nodiscard]] Expected<Outcome> collide(const AnitescuPotra& law, const Contact& contact);

}  // namespace ricochet
