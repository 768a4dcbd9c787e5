#pragma once
/// Which members of an ensemble lie on one branch of the outcome: docs/simultaneous.md (Q11).

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ricochet/mechanism/response.hpp"

namespace ricochet {

/// A sequence of an ensemble: what came out, and by which collisions.
struct BranchPoint {
  VecX u;                     ///< after
  std::uint64_t history = 0;  ///< the same for sequences of the same contacts in the same modes
};

/// The sequence from the inputs at s on the straight line from member a (s = 0) to member b (s = 1); nothing where it
/// has no outcome. Called from several threads.
using BetweenMembers = std::function<std::optional<BranchPoint>(std::size_t a, std::size_t b, double s)>;

struct BranchSearch {
  VecX scale;             ///< of each speed, so that differences of speeds compare [–, m]
  double resolution = 0;  ///< differences up to this are none [m/s]
  unsigned threads = 1;   ///< the result does not depend on it
};

/// The branch of each member, counted from 0 in no particular order; nothing for members that have no outcome, and for
/// those of rare histories, where very many histories are apart from all others.
[[nodiscard]] std::vector<std::optional<std::size_t>> find_branches(
    const std::vector<std::optional<BranchPoint>>& members, const BetweenMembers& between, const BranchSearch& search);

}  // namespace ricochet
