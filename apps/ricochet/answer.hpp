#pragma once
/// What the laws say to one collision.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collision.hpp"

namespace ricochet::app {

struct Answer {
  std::string_view law;
  std::optional<Law> made;  ///< absent where the parameters do not fit
  Expected<Outcome> outcome;

  /// A value was given that the law cannot take. A parameter that is missing, or a contact that the law refuses, is not
  /// that: in a comparison of all laws it concerns one row.
  [[nodiscard]] bool bad_value() const { return !made && !outcome.error().value.empty(); }
};

[[nodiscard]] Answer ask(std::string_view law, const Collision& collision);
[[nodiscard]] std::vector<Answer> ask_all(const Collision& collision);

/// Conditions that P, with V afterwards, breaks beyond rounding: "energy", "separation", "compression", "friction".
/// `work` is a typical energy of the collision, against which rounding is judged.
[[nodiscard]] std::vector<std::string_view> broken(const Certificate& certificate, const Vec3& P, const Vec3& V,
                                                   double work);
[[nodiscard]] std::vector<std::string_view> broken(const Outcome& outcome);

}  // namespace ricochet::app
