#pragma once
/// What the TOML formats have in common: values with their faults, bodies, and a guard against files that are no data.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "read_toml.hpp"
#include "ricochet/base/suggest.hpp"
#include "toml.hpp"

namespace ricochet::app {

inline long long line_of(const toml::node& node) { return node.source().begin.line; }

/// The value as it would be written, for messages.
[[nodiscard]] std::string toml_text(const toml::node& node);

/// Dotted keys nest tables without limit, and the parser's clean-up recurses through them. No key of ours has more than
/// two parts; one of more than nine is no key of anybody's.
[[nodiscard]] bool nests_too_deep(std::string_view text);

inline constexpr std::array<std::string_view, 8> body_keys{"name",     "mass",        "fixed",    "inertia",
                                                           "position", "orientation", "velocity", "angular_velocity"};

/// Reads node by node. The first fault is kept; what is read after it is of no account.
class TomlReader {
 protected:
  void refuse(std::string field, std::string value, std::string allowed, long long line) {
    if (!fault_) fault_ = Fault{Error{std::move(field), std::move(value), std::move(allowed)}, line};
  }
  void refuse(std::string_view field, const toml::node& node, std::string allowed) {
    refuse(std::string(field), toml_text(node), std::move(allowed), line_of(node));
  }
  void unknown(std::string_view key, const toml::node& node, std::span<const std::string_view> known);

  std::string string(std::string_view field, const toml::node& node);
  double number(std::string_view field, const toml::node& node);
  bool boolean(std::string_view field, const toml::node& node);
  template <int N>
  Eigen::Matrix<double, N, 1> numbers(std::string_view field, const toml::node& node, const char* allowed) {
    Eigen::Matrix<double, N, 1> out = Eigen::Matrix<double, N, 1>::Zero();
    const toml::array* array = node.as_array();
    if (array == nullptr || array->size() != N) {
      refuse(field, node, allowed);
      return out;
    }
    for (int i = 0; i < N; ++i) out(i) = number(field, *array->get(static_cast<std::size_t>(i)));
    return out;
  }
  Vec3 vector(std::string_view field, const toml::node& node) {
    return numbers<3>(field, node, "must be three numbers");
  }
  Mat3 matrix(std::string_view field, const toml::node& node);
  Mat3 inertia(std::string_view field, const toml::node& node);
  Quaternion orientation(std::string_view field, const toml::node& node);
  /// A law parameter: a number, a word or a list of numbers.
  std::optional<Value> value(std::string_view field, const toml::node& node);

  /// One of `body_keys` but the name; false for any other key.
  bool body_key(std::string_view key, std::string_view field, const toml::node& node, RigidBody& body);

  std::optional<Fault> fault_;
};

/// The document, or where it stops being one.
[[nodiscard]] tl::expected<toml::table, Fault> parse_toml(std::string_view text);

}  // namespace ricochet::app
