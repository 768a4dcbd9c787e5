#pragma once
/// Derivatives of the impact of a mechanism at the contact that is struck, docs/derivatives.md (DV19) to (DV21).

#include "ricochet/mechanism/impact_derivatives.hpp"
#include "ricochet/scene/mechanism_impact.hpp"

namespace ricochet {

/// `with_q`: also by q, for which the machine is placed at other configurations and back, and the contacts of the same
/// pair are found there. A quaternion in q is normalised again after each change of an entry.
[[nodiscard]] Expected<ImpactDerivatives> differentiate(const MechanismImpact& impact, const Law& law, bool with_q);

/// Whether the contact is known at other configurations: not where a robot taps, and not with closed loops.
[[nodiscard]] bool moves_with_q(const MechanismImpact& impact);

}  // namespace ricochet
