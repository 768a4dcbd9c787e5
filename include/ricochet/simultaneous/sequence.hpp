#pragma once
/// Many contacts resolved as a sequence of single collisions, the fastest approach first: CR98 6.4,
/// docs/simultaneous.md (Q3).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/simultaneous/problem.hpp"
#include "ricochet/simultaneous/ties.hpp"

namespace ricochet {

struct SequenceOptions {
  Ties ties = Ties::direction;
  std::uint64_t seed = 0;          ///< of random ties and of perturbations
  double uncertainty = 1e-9;       ///< of the initial speeds, relative to the largest contact speed; 0 to 0.1
  double tolerance = 1e-12;        ///< approach that counts as none, relative to the largest contact speed; 0 to 0.1
  bool extrapolate = true;         ///< sum endless sequences to their limit
  std::size_t max_collisions = 0;  ///< 0: 10⁷ + 100 for each contact
  std::size_t record = 0;          ///< how many collisions to keep the order of
};

enum class SequenceStatus : std::uint8_t { settled, extrapolated, truncated, does_not_settle };
[[nodiscard]] std::string_view name(SequenceStatus status);

enum class SequenceEnd : std::uint8_t {
  rest,             ///< nothing approaches
  tolerance,        ///< nothing approaches by more than the tolerance
  limit,            ///< of an endless sequence
  cycle,            ///< repeats for ever
  collision_limit,  ///< max_collisions were not enough
  overflow,         ///< speeds grew beyond what double precision holds
};
[[nodiscard]] std::string_view describe(SequenceEnd end);

struct Resolution {
  SequenceStatus status = SequenceStatus::settled;
  SequenceEnd end = SequenceEnd::rest;
  std::size_t collisions = 0;        ///< single collisions computed
  VecX u_before;                     ///< perturbed, where that was asked for
  VecX u;                            ///< after; where it does not settle, merely where it was left
  std::vector<Vec3> G;               ///< impulse of each contact, on its second body, world axes [N s]
  std::vector<Vec3> V;               ///< relative velocity of each contact after [m/s]
  double energy_change = 0;          ///< (Q2) [J]
  double remaining = 0;              ///< largest approach speed that is left [m/s]
  std::vector<std::uint32_t> cycle;  ///< contacts of one period, where it repeats for ever
  std::vector<std::uint32_t> order;  ///< contacts in the order of their collisions, where recorded
};

/// Fails on options out of range, and where a law refuses its contact ("contact 3 law").
[[nodiscard]] Expected<Resolution> resolve(const Problem& problem, const SequenceOptions& options = {});

/// The same from other speeds than the problem's own.
[[nodiscard]] Expected<Resolution> resolve_from(const Problem& problem, const VecX& u, const SequenceOptions& options);

}  // namespace ricochet
