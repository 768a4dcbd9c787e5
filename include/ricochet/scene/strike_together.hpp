#pragma once
/// Contacts of a mechanism that close together, resolved together: docs/robots.md.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ricochet/scene/mechanism_impact.hpp"
#include "ricochet/scene/problem_answer.hpp"

namespace ricochet {

/// The problem of these contacts of the list, each by the law.
[[nodiscard]] Expected<Problem> problem_of(const MechanismImpact& impact, std::span<const std::size_t> struck,
                                           const Law& law);

struct TogetherAnswer {
  std::string_view law;
  std::optional<Law> made;  ///< absent if the parameters are invalid
  Expected<ProblemAnswer> result;
};

/// By one law, with the parameters of `impact.collision`.
[[nodiscard]] TogetherAnswer strike_together(const MechanismImpact& impact, std::span<const std::size_t> struck,
                                             std::string_view law, std::string_view method,
                                             const SequenceOptions& options);

/// Why a comparison of all laws fails as a whole: an invalid value, or no answer at all.
[[nodiscard]] std::optional<Error> refusal_of(std::span<const TogetherAnswer> answers);

}  // namespace ricochet
