#pragma once
/// A parameter described as data: its kind, bounds, choices, default, unit and meaning. Range checks, what is said of a
/// value out of range, listings and input controls are all made from this description.

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ricochet/base/error.hpp"

namespace ricochet {

enum class ParameterKind : std::uint8_t { number, word, vector };
[[nodiscard]] std::string_view name(ParameterKind kind);

/// The numbers that are allowed. An infinite end that is closed admits inf itself; one that is open asks for a finite
/// number. NaN is in no interval.
struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;
  bool high_open = false;

  [[nodiscard]] constexpr bool contains(double x) const {
    return (low_open ? x > low : x >= low) && (high_open ? x < high : x <= high);
  }
};

/// low ≤ x ≤ high
constexpr Interval between(double low, double high) { return {low, high, false, false}; }
/// low ≤ x ≤ ∞
constexpr Interval at_least(double low) { return {low, std::numeric_limits<double>::infinity(), false, false}; }
/// low ≤ x < ∞
constexpr Interval finite_from(double low) { return {low, std::numeric_limits<double>::infinity(), false, true}; }
/// low < x < ∞
constexpr Interval finite_above(double low) { return {low, std::numeric_limits<double>::infinity(), true, true}; }
/// −∞ < x < ∞
constexpr Interval any_finite() { return {.low_open = true, .high_open = true}; }

/// What is taken where a parameter is not given.
struct ParameterDefault {
  enum class Kind : std::uint8_t { required, number, word, parameter };
  Kind kind = Kind::required;
  double number = 0;
  std::string_view text = {};  ///< the word, the name of the other parameter, or the number as a fraction: "14/17"
};
constexpr ParameterDefault required() { return {}; }
constexpr ParameterDefault default_number(double x, std::string_view fraction = "") {
  return {ParameterDefault::Kind::number, x, fraction};
}
constexpr ParameterDefault default_word(std::string_view word) { return {ParameterDefault::Kind::word, 0, word}; }
/// The value of another parameter.
constexpr ParameterDefault same_as(std::string_view other) { return {ParameterDefault::Kind::parameter, 0, other}; }

/// A lower bound that holds unless another parameter, a word, has the value `unless`.
struct StricterLow {
  double low = 0;
  std::string_view parameter = {}, unless = {};
  std::string_view reason = {};
};

struct ParameterInfo {
  std::string_view name = {};
  ParameterKind kind = ParameterKind::number;
  Interval bounds = {};                            ///< of a number, or of every component of a vector
  std::string_view not_below = {};                 ///< another parameter that is a lower bound too; empty: none
  std::optional<StricterLow> stricter_low = {};    ///< of a number
  std::span<const std::string_view> choices = {};  ///< of a word
  std::string_view choices_in_short = {};          ///< names a long list of choices; empty: list them
  ParameterDefault default_value = {};
  std::string_view unit = {};  ///< empty: dimensionless
  std::string_view meaning = {};
  std::string_view hint = {};   ///< follows the range in the message about a value out of range
  std::string_view alias = {};  ///< an older key that is still read; empty: none

  [[nodiscard]] constexpr bool needed() const { return default_value.kind == ParameterDefault::Kind::required; }
};

/// The range as a person would write it: "0 to 1", "mu to inf", "above 0, finite", "poisson, stronge or newton".
[[nodiscard]] std::string range_text(const ParameterInfo& info);
/// The default as a person would write it: "0", "14/17", "mu", "poisson"; empty where it must be given.
[[nodiscard]] std::string default_text(const ParameterInfo& info);
/// What a value must be: "between 0 and 1", "at least 0, or inf".
[[nodiscard]] std::string allowed_text(const ParameterInfo& info);

/// "a, b or c"
[[nodiscard]] std::string either(std::span<const std::string_view> words);

[[nodiscard]] Error out_of_range(const ParameterInfo& info, double value);
[[nodiscard]] Error below_parameter(const ParameterInfo& info, double value, double least);
[[nodiscard]] Error below_stricter_low(const ParameterInfo& info, double value);
[[nodiscard]] Error not_a_choice(const ParameterInfo& info, std::string_view word);

/// For a number that is not part of a described set of parameters.
[[nodiscard]] Expected<void> in_range(std::string_view path, double value, const Interval& bounds);
[[nodiscard]] inline Expected<void> in_range(std::string_view path, double value, double low, double high) {
  return in_range(path, value, between(low, high));
}

}  // namespace ricochet
