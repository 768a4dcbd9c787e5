#pragma once
/// Shared by all TOML formats: values with their errors, bodies, and a guard against malicious files.

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

#include "io/toml.hpp"
#include "ricochet/base/error_path.hpp"
#include "ricochet/base/suggest.hpp"
#include "ricochet/io/collision_toml.hpp"

namespace ricochet {

inline long long line_of(const toml::node& node) { return node.source().begin.line; }

/// A parameter that stands in two places, perhaps once under its older name.
[[nodiscard]] inline std::string given_twice(std::string_view key, std::string_view name, long long first) {
  return key == name ? fmt::format("given twice; first in line {}", first)
                     : fmt::format("given twice; {} is the older name of {}, which is in line {}", key, name, first);
}

/// The value as it would be written, for messages.
[[nodiscard]] std::string toml_text(const toml::node& node);

/// The line of the deepest step of an error's path that the document has; 0 where it has none.
[[nodiscard]] long long line_of(const toml::table& root, std::string_view path);

/// Dotted keys nest tables without limit, and the parser's clean-up recurses through them. No valid key has more than
/// two parts; more than nine are rejected before parsing.
[[nodiscard]] bool nests_too_deep(std::string_view text);

inline constexpr std::array<std::string_view, 8> body_keys{"name",     "mass",        "fixed",    "inertia",
                                                           "position", "orientation", "velocity", "angular_velocity"};

/// Reads node by node. The first error is kept; later input is ignored.
class TomlReader {
 protected:
  void refuse(ErrorCode code, std::string path, std::string value, std::string allowed, long long line) {
    if (!fault_) fault_ = Fault{Error{code, std::move(path), std::move(value), std::move(allowed)}, line};
  }
  void refuse(ErrorCode code, std::string_view path, const toml::node& node, std::string allowed) {
    refuse(code, std::string(path), toml_text(node), std::move(allowed), line_of(node));
  }
  void refuse(const Error& error, long long line) { refuse(error.code, error.path, error.value, error.allowed, line); }
  /// `table` is the path of what holds the key, empty at the top.
  void unknown(std::string_view table, std::string_view key, const toml::node& node,
               std::span<const std::string_view> known);

  std::string string(std::string_view field, const toml::node& node);
  double number(std::string_view field, const toml::node& node);
  bool boolean(std::string_view field, const toml::node& node);
  template <int N>
  Eigen::Matrix<double, N, 1> numbers(std::string_view field, const toml::node& node, const char* allowed) {
    Eigen::Matrix<double, N, 1> out = Eigen::Matrix<double, N, 1>::Zero();
    const toml::array* array = node.as_array();
    if (array == nullptr || array->size() != N) {
      refuse(ErrorCode::wrong_type, field, node, allowed);
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

  /// One of `body_keys` except the name; false for any other key.
  bool body_key(std::string_view key, std::string_view field, const toml::node& node, RigidBody& body);

  std::optional<Fault> fault_;
};

/// The document, or the location of the syntax error.
[[nodiscard]] Read<toml::table> parse_toml(std::string_view text);

}  // namespace ricochet
