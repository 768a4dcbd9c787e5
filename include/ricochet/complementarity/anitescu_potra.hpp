#pragma once
/// Compression and expansion of many contacts in space with Coulomb friction in each phase, docs/complementarity.md
/// (LC6), (LC8).

#include "ricochet/complementarity/joint_outcome.hpp"

namespace ricochet {

struct SpatialOptions {
  double tolerance = 1e-8;           ///< accepted residual, relative to the largest contact speed; 0 to 0.1
  std::size_t max_sweeps = 100'000;  ///< of the expansion
};

/// e_k and μ from the law of each contact; μ must be finite.
[[nodiscard]] Expected<JointOutcome> resolve_anitescu_potra(const Problem& problem, const SpatialOptions& options = {});

}  // namespace ricochet
