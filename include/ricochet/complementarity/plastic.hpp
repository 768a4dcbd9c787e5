#pragma once
/// G_I: all contacts plastic, none with friction, CR98 6.2. docs/complementarity.md (LC2).

#include "ricochet/complementarity/joint_outcome.hpp"

namespace ricochet {

/// Ignores the laws: e = 0, μ = 0 everywhere.
[[nodiscard]] Expected<JointOutcome> resolve_plastic(const Problem& problem);

}  // namespace ricochet
