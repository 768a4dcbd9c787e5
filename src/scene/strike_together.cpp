#include "ricochet/scene/strike_together.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ricochet/base/error_path.hpp"

namespace ricochet {
namespace {

Expected<std::size_t> touch(Problem& problem, std::span<const IndependentSystem> systems, const ContactPoint& at,
                            const Law& law) {
  std::vector<std::size_t> moved;
  for (std::size_t s = 0; s < systems.size(); ++s)
    if (!at.J.middleCols(systems[s].first, systems[s].count).isZero(0)) moved.push_back(s);
  const auto J = [&](std::size_t s) -> MatX { return at.J.middleCols(systems[s].first, systems[s].count); };
  if (moved.size() == 2) return problem.touch(moved[0], -J(moved[0]), moved[1], J(moved[1]), at.point, at.n, law);
  const std::size_t only = moved.empty() ? 0 : moved[0];
  ContactPoint own = at;
  own.J = J(only);
  return problem.touch(only, own, law);
}

/// Each contact's own law and parameters, before those of the collision.
Expected<std::vector<Law>> laws_of(const MechanismImpact& impact, std::span<const std::size_t> struck,
                                   const AskedLaw& asked) {
  std::vector<Law> out;
  for (const std::size_t i : struck) {
    const CandidateContact& c = impact.contacts[i];
    const bool own = !c.law.empty() && !asked.overrides;
    auto made = make_law(own ? std::string_view(c.law) : asked.name, parameters_of(impact, i));
    if (!made) return tl::unexpected(made.error());
    out.push_back(*std::move(made));
  }
  return out;
}

Expected<Problem> problem_of(const MechanismImpact& impact, std::span<const std::size_t> struck,
                             std::span<const Law> laws) {
  Problem problem;
  const std::vector<IndependentSystem> systems = impact.machine->systems();
  for (const IndependentSystem& s : systems) {
    const auto added = problem.add(s.solve, impact.u.segment(s.first, s.count));
    if (!added) return tl::unexpected(added.error());
  }
  for (std::size_t k = 0; k < struck.size(); ++k) {
    const auto added = touch(problem, systems, impact.contacts[struck[k]].at, laws[k]);
    if (!added) return tl::unexpected(under(entry_path("contact", struck[k]), added.error()));
  }
  return problem;
}

}  // namespace

Expected<Problem> problem_of(const MechanismImpact& impact, std::span<const std::size_t> struck,
                             const AskedLaw& asked) {
  return laws_of(impact, struck, asked).and_then([&](const std::vector<Law>& laws) {
    return problem_of(impact, struck, laws);
  });
}

TogetherAnswer strike_together(const MechanismImpact& impact, std::span<const std::size_t> struck,
                               const AskedLaw& asked, std::string_view method, const SequenceOptions& options) {
  const LawInfo* info = find_law(asked.name);
  const std::string_view known = info == nullptr ? "" : info->name;
  const auto laws = laws_of(impact, struck, asked);
  if (!laws) return {known, false, tl::unexpected(laws.error())};
  return {known, true, problem_of(impact, struck, *laws).and_then([&](const Problem& problem) {
            return answer_problem(problem, method, options);
          })};
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
