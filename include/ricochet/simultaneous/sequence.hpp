#pragma once
/// Many contacts resolved as a sequence of single collisions, the fastest approach first: CR98 6.4,
/// docs/simultaneous.md (Q3).

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ricochet/simultaneous/assemble.hpp"
#include "ricochet/simultaneous/sequence_status.hpp"
#include "ricochet/simultaneous/system_impact.hpp"
#include "ricochet/simultaneous/ties.hpp"

namespace ricochet {

struct SequenceOptions {
  Ties ties = Ties::direction;
  std::uint64_t seed = 0;     ///< of random ties and of perturbations
  double uncertainty = 1e-9;  ///< of the initial speeds, relative to the largest contact speed; 0 to 0.1
  double tolerance = 1e-12;   ///< approach speed that counts as zero, relative to the largest contact speed; 0 to 0.1
  bool extrapolate = true;    ///< sum infinite sequences to their limit
  std::size_t max_collisions = 0;  ///< 0: 10⁷ + 100 for each contact
};

/// How many collisions a sequence may take.
[[nodiscard]] std::size_t collision_limit(const SequenceOptions& options, const Problem& problem);

/// One collision of the sequence; or, of a sequence that is summed to its limit, all that one contact still gets.
struct SequenceStep {
  std::size_t collision = 0;  ///< collisions so far, this one included
  std::uint32_t contact = 0;
  Mode mode = Mode::separating;
  Vec3 V_before;              ///< of the contact [m/s]
  Vec3 P;                     ///< on its second body [N s]
  double normal_impulse = 0;  ///< n·P [N s]; 0 for a hinge
  double energy_change = 0;   ///< of all bodies [J]
  bool limit = false;
};
/// Called after every step, in order.
using SequenceObserver = std::function<void(const SequenceStep&)>;

/// Two contacts that approached equally fast when one of them had to be chosen.
struct Tie {
  std::size_t collision = 0;            ///< counted from 1
  std::uint32_t chosen = 0, other = 0;  ///< contacts; there may be more than one other
};

struct Resolution : SystemImpact {
  SequenceStatus status = SequenceStatus::settled;
  SequenceEnd end = SequenceEnd::rest;
  std::size_t collisions = 0;  ///< single collisions computed
  /// Collisions whose contact was chosen among several that approached equally fast and that some chain of bodies
  /// connects, so that another choice may lead elsewhere; of contacts in other connected sets only the 64 nearest in
  /// the queue are passed over in search of one.
  std::size_t ties = 0;
  std::optional<Tie> first_tie;
  std::vector<std::uint32_t> cycle;  ///< contacts of one period, where it repeats without end
};

/// Fails on options out of range, and where a law has no answer for its contact.
[[nodiscard]] Expected<Resolution> resolve(const Problem& problem, const SequenceOptions& options = {},
                                           const SequenceObserver& observer = {});

/// The same with other initial speeds.
[[nodiscard]] Expected<Resolution> resolve_from(const Problem& problem, const VecX& u, const SequenceOptions& options,
                                                const SequenceObserver& observer = {});

}  // namespace ricochet
