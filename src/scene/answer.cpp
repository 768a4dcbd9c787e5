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

const Error* DerivativeAnswer::error() const {
  if (derivatives && !*derivatives) return &derivatives->error();
  if (one_sided && !*one_sided) return &one_sided->error();
  if (uncertain && !*uncertain) return &uncertain->error();
  return nullptr;
}

namespace {

void differentiate_answer(Answer& answer, const Collision& collision, const DerivativeRequest& request) {
  if (!request.any() || !answer.outcome) return;
  const auto more = std::make_shared<DerivativeAnswer>();
  if (request.derivatives) more->derivatives = collide_with_derivatives(*answer.made, collision.contact);
  if (request.one_sided) more->one_sided = one_sided_derivatives(*answer.made, collision.contact);
  if (!request.uncertain.empty()) {
    more->uncertain = propagate(*answer.made, collision.contact, request.uncertain);
    more->deviations = request.uncertain;
  }
  answer.derivatives = more;
}

}  // namespace

Answer ask(std::string_view law, const Collision& collision, const DerivativeRequest& request) {
  Answer answer = ask(law, collision);
  differentiate_answer(answer, collision, request);
  if (answer.derivatives != nullptr && answer.derivatives->error() != nullptr)
    answer.outcome = tl::unexpected(*answer.derivatives->error());
  return answer;
}

std::vector<Answer> ask_all(const Collision& collision, const DerivativeRequest& request) {
  std::vector<Answer> answers = ask_all(collision);
  for (Answer& answer : answers) differentiate_answer(answer, collision, request);
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
