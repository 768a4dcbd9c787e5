#include "ricochet/scene/strike_together.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ricochet/base/error_path.hpp"

namespace ricochet {

Expected<Problem> problem_of(const MechanismImpact& impact, std::span<const std::size_t> struck, const Law& law) {
  Problem problem;
  const auto system = problem.add(impact.machine->solver(), impact.u);
  if (!system) return tl::unexpected(system.error());
  for (const std::size_t i : struck) {
    const auto added = problem.touch(*system, impact.contacts[i].at, law);
    if (!added) return tl::unexpected(under(entry_path("contact", i), added.error()));
  }
  return problem;
}

TogetherAnswer strike_together(const MechanismImpact& impact, std::span<const std::size_t> struck, std::string_view law,
                               std::string_view method, const SequenceOptions& options) {
  const LawInfo* info = find_law(law);
  const std::string_view known = info == nullptr ? "" : info->name;
  auto made = make_law(law, impact.collision.settings);
  if (!made) return {known, std::nullopt, tl::unexpected(made.error())};
  auto result = problem_of(impact, struck, *made).and_then([&](const Problem& problem) {
    return answer_problem(problem, method, options);
  });
  return {known, *std::move(made), std::move(result)};
}

std::optional<Error> refusal_of(std::span<const TogetherAnswer> answers) {
  const bool none =
      std::none_of(answers.begin(), answers.end(), [](const TogetherAnswer& a) { return a.result.has_value(); });
  for (const TogetherAnswer& a : answers) {
    if (a.result) continue;
    const bool bad_value = !a.made && a.result.error().code != ErrorCode::missing;
    if (!bad_value && !none) continue;
    Error error = a.result.error();
    if (error.code != ErrorCode::missing) error.allowed += fmt::format(" (law {})", a.law);
    return error;
  }
  return std::nullopt;
}

}  // namespace ricochet
