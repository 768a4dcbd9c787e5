#pragma once
/// CR98 6.3: the frictionless and the sticking plastic impulse of all contacts, weighted, and clipped by the product of
/// cones. docs/complementarity.md (LC9) to (LC12).

#include "ricochet/complementarity/joint_outcome.hpp"

namespace ricochet {

/// e, e_t, μ from the law of each contact. The answer is permissible: no energy gained, no contact approaches, every
/// impulse in its cone.
[[nodiscard]] Expected<JointOutcome> resolve_weighted(const Problem& problem);

}  // namespace ricochet
