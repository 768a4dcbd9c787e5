#include "ricochet/scene/answer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ricochet {

Answer ask(std::string_view law, const Collision& collision) {
  // The name from the table of laws: a file may contain any text.
  const LawInfo* info = find_law(law);
  const std::string_view known = info == nullptr ? "" : info->name;
  Expected<Law> made = make_law(law, collision.settings);
  if (!made) return {known, std::nullopt, tl::unexpected(made.error())};
  Expected<Outcome> outcome = collide(*made, collision.contact);
  return {known, *std::move(made), std::move(outcome)};
}

std::vector<Answer> ask_all(const Collision& collision) {
  std::vector<Answer> answers;
  for (const LawInfo& info : laws()) answers.push_back(ask(info.name, collision));
  return answers;
}

std::optional<Error> refusal_of(std::span<const Answer> answers) {
  const bool none = std::none_of(answers.begin(), answers.end(), [](const Answer& a) { return a.outcome.has_value(); });
  for (const Answer& a : answers) {
    if (!a.bad_value() && !(none && !a.outcome)) continue;
    Error error = a.outcome.error();
    // What is missing already says which law needs it.
    if (error.code != ErrorCode::missing) error.allowed += fmt::format(" (law {})", a.law);
    return error;
  }
  return std::nullopt;
}

}  // namespace ricochet
