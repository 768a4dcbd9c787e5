#pragma once
/// Contacts of a mechanism that close together, resolved together: docs/robots.md.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ricochet/scene/mechanism_impact.hpp"
#include "ricochet/scene/problem_answer.hpp"
#include "ricochet/simultaneous/ensemble.hpp"

namespace ricochet {

/// A law for all contacts; those with a law of their own keep it unless it overrides them.
struct AskedLaw {
  std::string_view name;
  bool overrides = false;
};

/// The problem of these contacts of the list. Parameters are those of `impact.collision`, and each contact's own.
[[nodiscard]] Expected<Problem> problem_of(const MechanismImpact& impact, std::span<const std::size_t> struck,
                                           const AskedLaw& asked);

struct TogetherAnswer {
  std::string_view law;
  bool made = false;  ///< the parameters are valid
  Expected<ProblemAnswer> result;
};

[[nodiscard]] TogetherAnswer strike_together(const MechanismImpact& impact, std::span<const std::size_t> struck,
                                             const AskedLaw& asked, std::string_view method,
                                             const SequenceOptions& options);

/// What was asked about contacts together, and what came out.
struct Together {
  std::vector<std::size_t> struck;  ///< contacts of the list
  std::string method;
  std::vector<TogetherAnswer> answers;  ///< of one law, or of all
  std::optional<Ensemble> ensemble;     ///< of the only law
};

/// Why a comparison of all laws fails as a whole: an invalid value, or no answer at all.
[[nodiscard]] std::optional<Error> refusal_of(std::span<const TogetherAnswer> answers);

}  // namespace ricochet
