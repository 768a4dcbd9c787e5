#define TOML_IMPLEMENTATION
#include "io/toml_reader.hpp"

#include <limits>

namespace ricochet {

std::string toml_text(const toml::node& node) {
  if (const auto* s = node.as_string()) return fmt::format("\"{}\"", s->get());
  if (const auto* x = node.as_floating_point()) return to_text(x->get());
  if (const auto* i = node.as_integer()) return fmt::format("{}", i->get());
  if (const auto* b = node.as_boolean()) return b->get() ? "true" : "false";
  if (node.is_table()) return "a table";
  if (const auto* a = node.as_array()) {
    std::string out;
    for (const toml::node& item : *a) {
      if (out.size() > 100) return fmt::format("[{}, ...]", out);
      out += (out.empty() ? "" : ", ") + toml_text(item);
    }
    return fmt::format("[{}]", out);
  }
  return "a date or time";
}

bool nests_too_deep(std::string_view text) {
  std::size_t dots = 0;  // since the last character that ends a key
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.') {
      if (++dots > 8) return true;
    } else if (c == '"' || c == '\'') {
      // A quoted part of a key may contain any character. Strings end with their line at the latest.
      for (++i; i < text.size() && text[i] != c && text[i] != '\n'; ++i)
        if (c == '"' && text[i] == '\\') ++i;
      if (i < text.size() && text[i] == '\n') dots = 0;
    } else if (c == '#') {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
    } else if (c == '=' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}' || c == '\n') {
      dots = 0;
    }
  }
  return false;
}

long long line_of(const toml::table& root, std::string_view path) {
  long long line = 0;
  const toml::table* table = &root;
  for (const PathStep& step : path_steps(path)) {
    const toml::node* node = table == nullptr ? nullptr : table->get(step.name);
    if (node != nullptr && step.entry > 0)
      node =
          node->is_array() && step.entry <= node->as_array()->size() ? node->as_array()->get(step.entry - 1) : nullptr;
    if (node == nullptr) break;
    line = line_of(*node);
    table = node->as_table();
  }
  return line;
}

void TomlReader::unknown(std::string_view table, std::string_view key, const toml::node& node,
                         std::span<const std::string_view> known) {
  refuse(ErrorCode::unknown_name, join_path(table, key_step(key)), "", with_suggestion("unknown key", key, known),
         line_of(node));
}

std::string TomlReader::string(std::string_view field, const toml::node& node) {
  if (const auto* s = node.as_string()) return s->get();
  refuse(ErrorCode::wrong_type, field, node, "must be a string");
  return {};
}

double TomlReader::number(std::string_view field, const toml::node& node) {
  if (const auto* x = node.as_floating_point()) return x->get();
  if (const auto* i = node.as_integer()) return static_cast<double>(i->get());
  refuse(ErrorCode::wrong_type, field, node, "must be a number");
  return 0;
}

bool TomlReader::boolean(std::string_view field, const toml::node& node) {
  if (const auto* b = node.as_boolean()) return b->get();
  refuse(ErrorCode::wrong_type, field, node, "must be true or false");
  return false;
}

Mat3 TomlReader::matrix(std::string_view field, const toml::node& node) {
  Mat3 out = Mat3::Zero();
  const toml::array* array = node.as_array();
  const auto is_row = [](const toml::node& row) { return row.is_array() && row.as_array()->size() == 3; };
  if (array == nullptr || array->size() != 3 || !std::all_of(array->begin(), array->end(), is_row)) {
    refuse(ErrorCode::wrong_type, field, node, "must be 3 rows of 3 numbers");
    return out;
  }
  for (int i = 0; i < 3; ++i) out.row(i) = vector(field, *array->get(static_cast<std::size_t>(i))).transpose();
  return out;
}

Mat3 TomlReader::inertia(std::string_view field, const toml::node& node) {
  const toml::array* array = node.as_array();
  if (array != nullptr && array->size() == 3 && array->get(0)->is_array()) return matrix(field, node);
  return numbers<3>(field, node, "must be three principal moments, or 3 rows of 3 numbers").asDiagonal();
}

Quaternion TomlReader::orientation(std::string_view field, const toml::node& node) {
  constexpr const char* allowed = "must be a unit quaternion, four numbers w x y z (length 1 to within 1e-3)";
  const Eigen::Vector4d q = numbers<4>(field, node, allowed);
  if (fault_) return Quaternion::Identity();
  // Rounded digits are normalised; any larger deviation is an error.
  if (!(std::abs(q.norm() - 1) <= 1e-3)) {
    refuse(ErrorCode::wrong_type, field, node, allowed);
    return Quaternion::Identity();
  }
  // A quaternion that has unit length to rounding is kept bit for bit, so that what was written is read back unchanged.
  const Quaternion given(q(0), q(1), q(2), q(3));
  if (std::abs(q.squaredNorm() - 1) <= 4 * std::numeric_limits<double>::epsilon()) return given;
  return given.normalized();
}

std::optional<Value> TomlReader::value(std::string_view field, const toml::node& node) {
  Value out;
  if (const auto* s = node.as_string()) {
    out = s->get();
  } else if (node.is_number()) {
    out = number(field, node);
  } else if (const auto* array = node.as_array()) {
    std::vector<double> xs;
    for (const toml::node& item : *array) xs.push_back(number(field, item));
    out = std::move(xs);
  } else {
    refuse(ErrorCode::wrong_type, field, node, "must be a number, a string or an array of numbers");
  }
  if (fault_) return std::nullopt;
  return out;
}

bool TomlReader::body_key(std::string_view key, std::string_view field, const toml::node& node, RigidBody& body) {
  if (key == "mass") {
    body.mass = number(field, node);
  } else if (key == "fixed") {
    body.fixed = boolean(field, node);
  } else if (key == "inertia") {
    body.inertia = inertia(field, node);
  } else if (key == "position") {
    body.position = vector(field, node);
  } else if (key == "velocity") {
    body.velocity = vector(field, node);
  } else if (key == "angular_velocity") {
    body.angular_velocity = vector(field, node);
  } else if (key == "orientation") {
    body.orientation = orientation(field, node);
  } else {
    return false;
  }
  return true;
}

Read<toml::table> parse_toml(std::string_view text) {
  if (nests_too_deep(text))
    return tl::unexpected(Fault{Error{ErrorCode::malformed, "", "", "has a key of more than 9 parts"}, 0});
  toml::parse_result parsed = toml::parse(text);
  if (parsed) return std::move(parsed).table();
  const toml::parse_error& problem = parsed.error();
  return tl::unexpected(
      Fault{Error{ErrorCode::malformed, "", "",
                  fmt::format("not valid TOML at column {}: {}", problem.source().begin.column, problem.description())},
            static_cast<long long>(problem.source().begin.line)});
}

}  // namespace ricochet
