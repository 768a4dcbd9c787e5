#include "read_toml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ricochet/base/suggest.hpp"
#include "ricochet/contact/between.hpp"
#include "toml.hpp"

namespace ricochet::app {
namespace {

constexpr std::array<std::string_view, 9> own_keys{"title", "M", "W", "V", "n", "law", "point", "body", "parameters"};
constexpr std::array<std::string_view, 8> body_keys{"name",     "mass",        "fixed",    "inertia",
                                                    "position", "orientation", "velocity", "angular_velocity"};

long long line_of(const toml::node& node) { return node.source().begin.line; }

/// The value as it would be written, for messages.
std::string text(const toml::node& node) {
  if (const auto* s = node.as_string()) return fmt::format("\"{}\"", s->get());
  if (const auto* x = node.as_floating_point()) return to_text(x->get());
  if (const auto* i = node.as_integer()) return fmt::format("{}", i->get());
  if (const auto* b = node.as_boolean()) return b->get() ? "true" : "false";
  if (node.is_table()) return "a table";
  if (const auto* a = node.as_array()) {
    std::string out;
    for (const toml::node& item : *a) {
      if (out.size() > 100) return fmt::format("[{}, ...]", out);
      out += (out.empty() ? "" : ", ") + text(item);
    }
    return fmt::format("[{}]", out);
  }
  return "a date or time";
}

/// Reads node by node. The first fault is kept; what is read after it is of no account.
class Reader {
 public:
  tl::expected<Collision, Fault> read(const toml::table& root) {
    for (const auto& [key, node] : root) top_level(key.str(), node);
    if (!fault_) make();
    if (fault_) return tl::unexpected(*std::move(fault_));
    return std::move(collision_);
  }

 private:
  void refuse(std::string field, std::string value, std::string allowed, long long line) {
    if (!fault_) fault_ = Fault{Error{std::move(field), std::move(value), std::move(allowed)}, line};
  }
  void refuse(std::string_view field, const toml::node& node, std::string allowed) {
    refuse(std::string(field), text(node), std::move(allowed), line_of(node));
  }
  void unknown(std::string_view key, const toml::node& node, std::span<const std::string_view> known) {
    const std::string_view guess = closest(key, known);
    refuse(std::string(key), "",
           guess.empty() ? fmt::format("unknown key; one of {}", fmt::join(known, ", "))
                         : fmt::format("unknown key; did you mean {}?", guess),
           line_of(node));
  }

  void top_level(std::string_view key, const toml::node& node) {
    if (key == "body") {
      bodies(node);
      return;
    }
    if (key == "parameters") {
      const toml::table* table = node.as_table();
      if (table == nullptr) return refuse(key, node, "must be a table of law parameters");
      for (const auto& [name, value] : *table) parameter(name.str(), value);
      return;
    }
    if (std::find(own_keys.begin(), own_keys.end(), key) == own_keys.end()) return parameter(key, node);
    collision_.lines.emplace_back(key, line_of(node));
    if (key == "title") {
      collision_.title = string(key, node);
    } else if (key == "law") {
      collision_.law = string(key, node);
    } else if (key == "M") {
      given_.M = matrix(key, node);
    } else if (key == "W") {
      given_.W = matrix(key, node);
    } else if (key == "V") {
      given_.V = vector(key, node);
    } else if (key == "n") {
      given_.n = vector(key, node);
    } else {
      point_ = vector(key, node);
    }
  }

  void parameter(std::string_view key, const toml::node& node) {
    const auto known = parameter_names();
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      std::vector<std::string_view> all(own_keys.begin(), own_keys.end());
      all.insert(all.end(), known.begin(), known.end());
      return unknown(key, node, all);
    }
    if (collision_.line_of(key) != 0)
      return refuse(std::string(key), "", fmt::format("given twice; first in line {}", collision_.line_of(key)),
                    line_of(node));
    Value value;
    if (const auto* s = node.as_string()) {
      value = s->get();
    } else if (node.is_number()) {
      value = number(key, node);
    } else if (const auto* array = node.as_array()) {
      std::vector<double> xs;
      for (const toml::node& item : *array) xs.push_back(number(key, item));
      value = std::move(xs);
    } else {
      return refuse(key, node, "must be a number, a string or an array of numbers");
    }
    if (fault_) return;
    const Expected<void> fine = set(collision_.settings, key, value);
    if (!fine) return refuse(fine.error().field, fine.error().value, fine.error().allowed, line_of(node));
    collision_.lines.emplace_back(key, line_of(node));
  }

  std::string string(std::string_view field, const toml::node& node) {
    if (const auto* s = node.as_string()) return s->get();
    refuse(field, node, "must be a string");
    return {};
  }
  double number(std::string_view field, const toml::node& node) {
    if (const auto* x = node.as_floating_point()) return x->get();
    if (const auto* i = node.as_integer()) return static_cast<double>(i->get());
    refuse(field, node, "must be a number");
    return 0;
  }
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
  Mat3 matrix(std::string_view field, const toml::node& node) {
    Mat3 out = Mat3::Zero();
    const toml::array* array = node.as_array();
    const auto is_row = [](const toml::node& row) { return row.is_array() && row.as_array()->size() == 3; };
    if (array == nullptr || array->size() != 3 || !std::all_of(array->begin(), array->end(), is_row)) {
      refuse(field, node, "must be 3 rows of 3 numbers");
      return out;
    }
    for (int i = 0; i < 3; ++i) out.row(i) = vector(field, *array->get(static_cast<std::size_t>(i))).transpose();
    return out;
  }

  void bodies(const toml::node& node) {
    const toml::array* array = node.as_array();
    if (array == nullptr || array->size() != 2 || !array->is_array_of_tables()) {
      const std::string found = array == nullptr ? text(node) : fmt::format("{} of them", array->size());
      return refuse("body", found, "must be two tables, [[body]] and [[body]]", line_of(node));
    }
    body_line_ = line_of(node);
    for (std::size_t i = 0; i < 2; ++i) body(i, *array->get(i)->as_table());
  }

  void body(std::size_t which, const toml::table& table) {
    RigidBody& body = bodies_[which];
    std::string& name = which == 0 ? collision_.body_a : collision_.body_b;
    name = fmt::format("body {}", which + 1);
    for (const auto& [key, node] : table) {
      const std::string field = fmt::format("body {} {}", which + 1, key.str());
      collision_.lines.emplace_back(field, line_of(node));
      if (key == "name") {
        name = string(field, node);
      } else if (key == "mass") {
        body.mass = number(field, node);
      } else if (key == "fixed") {
        if (const auto* b = node.as_boolean()) {
          body.fixed = b->get();
        } else {
          refuse(field, node, "must be true or false");
        }
      } else if (key == "inertia") {
        inertia(field, node, body);
      } else if (key == "position") {
        body.position = vector(field, node);
      } else if (key == "velocity") {
        body.velocity = vector(field, node);
      } else if (key == "angular_velocity") {
        body.angular_velocity = vector(field, node);
      } else if (key == "orientation") {
        orientation(field, node, body);
      } else {
        unknown(key.str(), node, body_keys);
      }
    }
    for (const char* needed : {"mass", "inertia"}) {
      if (!body.fixed && !table.contains(needed))
        refuse(fmt::format("body {} {}", which + 1, needed), "",
               "missing; a body needs mass and inertia, or fixed = true", line_of(table));
    }
  }

  void inertia(std::string_view field, const toml::node& node, RigidBody& body) {
    const toml::array* array = node.as_array();
    if (array != nullptr && array->size() == 3 && array->get(0)->is_array()) {
      body.inertia = matrix(field, node);
    } else {
      body.inertia = numbers<3>(field, node, "must be three principal moments, or 3 rows of 3 numbers")
                         .asDiagonal()
                         .toDenseMatrix();
    }
  }

  void orientation(std::string_view field, const toml::node& node, RigidBody& body) {
    constexpr const char* allowed = "must be a unit quaternion, four numbers w x y z (length 1 to within 1e-3)";
    const Eigen::Vector4d q = numbers<4>(field, node, allowed);
    if (fault_) return;
    // Digits lost in writing it down are mended; anything else is not what the user meant.
    if (!(std::abs(q.norm() - 1) <= 1e-3)) return refuse(field, node, allowed);
    body.orientation = Quaternion(q(0), q(1), q(2), q(3)).normalized();
  }

  void make() {
    if (body_line_ == 0) {
      if (point_) return refuse("point", "", "belongs to two [[body]] tables, and there are none", line("point"));
      adopt(make_contact(given_));
      return;
    }
    for (const char* field : {"M", "W", "V"})
      if (line(field) != 0)
        return refuse(field, "", "must not be given beside [[body]], from which it follows", line(field));
    if (!point_)
      return refuse("point", "", "missing; two bodies need the point where they touch, three numbers [m]", 0);
    if (!given_.n) return refuse("n", "", "missing; two bodies need n, from the first to the second, three numbers", 0);
    collision_.bodies = BodyPair{bodies_[0], bodies_[1]};
    collision_.point = *point_;
    adopt(contact_between(bodies_[0], bodies_[1], *point_, *given_.n));
  }

  void adopt(Expected<Contact> contact) {
    if (contact) {
      collision_.contact = *std::move(contact);
      return;
    }
    Error error = std::move(contact.error());
    for (const auto& [letter, name] : {std::pair{"A.", "body 1 "}, std::pair{"B.", "body 2 "}})
      for (auto at = error.field.find(letter); at != std::string::npos; at = error.field.find(letter))
        error.field.replace(at, 2, name);
    const long long at = line(error.field);
    fault_ = Fault{std::move(error), at};
  }

  [[nodiscard]] long long line(std::string_view field) const { return collision_.line_of(field); }

  Collision collision_;
  Given given_;
  std::array<RigidBody, 2> bodies_;
  std::optional<Vec3> point_;
  long long body_line_ = 0;
  std::optional<Fault> fault_;
};

}  // namespace

tl::expected<Collision, Fault> read_toml(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return tl::unexpected(
        Fault{Error{"", "", "is empty; a collision needs M or W or two [[body]] tables, V and n"}, 0});
  // Dotted keys nest tables without limit, and the parser's clean-up recurses through them. One collision has about a
  // hundred numbers, so that this many dots are no collision.
  if (std::count(text.begin(), text.end(), '.') > 2000)
    return tl::unexpected(Fault{Error{"", "", "has more than 2000 dots, too much for one collision"}, 0});
  try {
    return Reader().read(toml::parse(text));
  } catch (const toml::parse_error& problem) {
    return tl::unexpected(Fault{
        Error{"", "",
              fmt::format("not valid TOML at column {}: {}", problem.source().begin.column, problem.description())},
        static_cast<long long>(problem.source().begin.line)});
  }
}

}  // namespace ricochet::app
