#pragma once
/// Ensembles: many solutions of one problem with perturbed inputs and random ties, which show whether the answer is
/// determinate. docs/simultaneous.md.

#include <optional>
#include <string>
#include <string_view>

#include "ricochet/simultaneous/sequence.hpp"
#include "ricochet/simultaneous/uncertain.hpp"

namespace ricochet {

struct EnsembleOptions {
  std::size_t members = 100;
  SequenceOptions sequence = {};  ///< `ties` is not read: ties are random; `seed` and `uncertainty` are
  double resolution = 1e-4;  ///< outcomes closer than this, relative to the largest contact speed, count as one; 0 to 1
  unsigned threads = 0;      ///< 0: as many as the machine has; the result does not depend on it
};

/// One solution of an ensemble, with what it is compared with others by.
struct EnsembleMember {
  bool settled = false;
  VecX start, u;  ///< speeds before and after
  double energy_change = 0;
  double collisions = 0;
  std::vector<std::uint32_t> order;  ///< contacts in the order of its first collisions, at most 64
  std::uint64_t history = 0;         ///< of contacts and modes
};

/// Members with the same outcome.
struct DistinctOutcome {
  std::size_t members = 0;
  double weight = 0;  ///< of all members that settled
  VecX u;             ///< of the first of them
  double energy_change = 0;
  std::vector<std::uint32_t> first_order;  ///< contacts in the order of its first collisions, at most 64
  std::optional<std::size_t> branch;       ///< of the first of them; nothing where it was not examined
};

struct Spread {
  double mean = 0, deviation = 0, low = 0, high = 0;
};

/// Members whose outcomes change into one another without a jump as their inputs do, (Q11).
struct Branch {
  std::size_t members = 0;
  double weight = 0;  ///< of all members that settled
  Spread energy_change;
  std::vector<std::uint32_t> first_order;  ///< of its first member
};

/// How the outcomes of an ensemble differ.
enum class EnsembleSpread : std::uint8_t {
  none,        ///< one outcome, or no member settled
  continuous,  ///< one branch
  branching,   ///< outcomes apart from each other, between which some inputs decide
};
[[nodiscard]] std::string_view name(EnsembleSpread spread);

struct Ensemble {
  std::size_t members = 0;
  std::size_t unsettled = 0;              ///< members that do not settle, excluded below
  std::vector<DistinctOutcome> outcomes;  ///< the most frequent first
  std::vector<Branch> branches;           ///< as above
  std::size_t unexamined = 0;             ///< members whose branch was not looked for: there were too many
  std::vector<Spread> speeds;             ///< of each entry of u
  Spread energy_change;
  Spread collisions;

  [[nodiscard]] bool determinate() const { return unsettled == 0 && outcomes.size() == 1; }
  [[nodiscard]] EnsembleSpread spread() const;
  /// Outcomes and branches in a line for people.
  [[nodiscard]] std::string verdict() const;
};

/// Initial speeds are drawn within their uncertainty.
[[nodiscard]] Expected<Ensemble> resolve_ensemble(const Problem& problem, const EnsembleOptions& options);

/// The contacts are sampled too, independently for each member. With no uncertainty of them: the ensemble of the
/// problem that `assemble` makes, bit for bit.
[[nodiscard]] Expected<Ensemble> resolve_ensemble(const BodyScene& arrangement, Hinges hinges,
                                                  const ContactUncertainty& uncertainty,
                                                  const EnsembleOptions& options);

/// The same in parts, by several processes: members from `first` to `last`, each of which follows from its number, and
/// the ensemble of all of them.
[[nodiscard]] Expected<std::vector<EnsembleMember>> resolve_members(const BodyScene& arrangement, Hinges hinges,
                                                                    const ContactUncertainty& uncertainty,
                                                                    const EnsembleOptions& options, std::size_t first,
                                                                    std::size_t last);
[[nodiscard]] Expected<Ensemble> ensemble_of(const BodyScene& arrangement, Hinges hinges,
                                             const ContactUncertainty& uncertainty, const EnsembleOptions& options,
                                             std::vector<EnsembleMember> members);

}  // namespace ricochet
