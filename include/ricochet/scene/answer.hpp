#pragma once
/// The answers of the laws to one collision.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/law/uncertainty.hpp"
#include "ricochet/scene/collision.hpp"

namespace ricochet {

/// What is asked of a law besides its outcome.
struct DerivativeRequest {
  bool derivatives = false;
  bool one_sided = false;                 ///< on both sides of the nearest change of mode, too
  std::vector<InputDeviation> uncertain;  ///< empty: none
  [[nodiscard]] bool any() const { return derivatives || one_sided || !uncertain.empty(); }
};

/// What a law says to that; each absent unless asked for.
struct DerivativeAnswer {
  std::optional<Expected<DifferentiatedOutcome>> derivatives;
  std::optional<Expected<OneSidedDerivatives>> one_sided;
  std::optional<Expected<UncertainOutcome>> uncertain;
  std::vector<InputDeviation> deviations;

  /// The first error among them.
  [[nodiscard]] const Error* error() const;
};

struct Answer {
  std::string_view law;
  std::optional<Law> made;  ///< absent if the parameters are invalid
  Expected<Outcome> outcome;
  std::shared_ptr<const DerivativeAnswer> derivatives = nullptr;  ///< null unless asked for

  /// Whether a given value is invalid for the law. A missing parameter or an unsupported contact is not: in a
  /// comparison of all laws it concerns one row only.
  [[nodiscard]] bool bad_value() const { return !made && outcome.error().code != ErrorCode::missing; }
};

[[nodiscard]] Answer ask(std::string_view law, const Collision& collision);
[[nodiscard]] std::vector<Answer> ask_all(const Collision& collision);

/// The same with derivatives. `ask` turns what a law cannot say of them into the error of its answer; in a comparison
/// of all laws it concerns the row of that law only.
[[nodiscard]] Answer ask(std::string_view law, const Collision& collision, const DerivativeRequest& request);
[[nodiscard]] std::vector<Answer> ask_all(const Collision& collision, const DerivativeRequest& request);

/// Why a comparison of all laws fails as a whole, with the law that rejects it: an invalid value, or no answer at all.
/// A missing parameter or an unsupported contact concerns its row only.
[[nodiscard]] std::optional<Error> refusal_of(std::span<const Answer> answers);

}  // namespace ricochet
