#pragma once
/// The answers of the laws to one collision.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/scene/collision.hpp"

namespace ricochet {

struct Answer {
  std::string_view law;
  std::optional<Law> made;  ///< absent if the parameters are invalid
  Expected<Outcome> outcome;

  /// Whether a given value is invalid for the law. A missing parameter or an unsupported contact is not: in a
  /// comparison of all laws it concerns one row only.
  [[nodiscard]] bool bad_value() const { return !made && outcome.error().code != ErrorCode::missing; }
};

[[nodiscard]] Answer ask(std::string_view law, const Collision& collision);
[[nodiscard]] std::vector<Answer> ask_all(const Collision& collision);

/// Why a comparison of all laws fails as a whole, with the law that rejects it: an invalid value, or no answer at all.
/// A missing parameter or an unsupported contact concerns its row only.
[[nodiscard]] std::optional<Error> refusal_of(std::span<const Answer> answers);

}  // namespace ricochet
