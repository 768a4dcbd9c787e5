#pragma once
/// Compression and expansion of many contacts in the plane, each phase one linear complementarity problem,
/// docs/complementarity.md (LC4), (LC5).

#include "ricochet/complementarity/joint_outcome.hpp"

namespace ricochet {

struct PlanarOptions {
  double tolerance = 1e-9;  ///< out-of-plane motion, relative to the in-plane motion, that counts as zero; 0 to 1
};

/// e_k, ν, e_t, μ from the law of each contact; μ must be finite. Fails with "contact 2 normal", "contact 2 velocity"
/// or "contact 2 mobility" where no plane holds everything that moves.
[[nodiscard]] Expected<JointOutcome> resolve_pfeiffer_glocker(const Problem& problem,
                                                              const PlanarOptions& options = {});

}  // namespace ricochet
