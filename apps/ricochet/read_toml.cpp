#include "read_toml.hpp"

#include "ricochet/contact/between.hpp"
#include "toml_reader.hpp"

namespace ricochet::app {
namespace {

constexpr std::array<std::string_view, 9> own_keys{"title", "M", "W", "V", "n", "law", "point", "body", "parameters"};

class Reader : TomlReader {
 public:
  tl::expected<Collision, Fault> read(const toml::table& root) {
    for (const char* key : {"contact", "hinge"})
      if (const toml::node* node = root.get(key))
        refuse(key, "", "belongs to a scene of many contacts, which `ricochet simultaneous` reads", line_of(*node));
    for (const auto& [key, node] : root) top_level(key.str(), node);
    if (!fault_) make();
    if (fault_) return tl::unexpected(*std::move(fault_));
    return std::move(collision_);
  }

 private:
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
    const std::optional<Value> given = value(key, node);
    if (!given) return;
    const Expected<void> fine = set(collision_.settings, key, *given);
    if (!fine) return refuse(fine.error().field, fine.error().value, fine.error().allowed, line_of(node));
    collision_.lines.emplace_back(key, line_of(node));
  }

  void bodies(const toml::node& node) {
    const toml::array* array = node.as_array();
    if (array == nullptr || array->size() != 2 || !array->is_array_of_tables()) {
      const std::string found = array == nullptr ? toml_text(node) : fmt::format("{} of them", array->size());
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
      } else if (!body_key(key.str(), field, node, body)) {
        unknown(key.str(), node, body_keys);
      }
    }
    for (const char* needed : {"mass", "inertia"}) {
      if (!body.fixed && !table.contains(needed))
        refuse(fmt::format("body {} {}", which + 1, needed), "",
               "missing; a body needs mass and inertia, or fixed = true", line_of(table));
    }
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
};

}  // namespace

tl::expected<Collision, Fault> read_toml(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return tl::unexpected(
        Fault{Error{"", "", "is empty; a collision needs M or W or two [[body]] tables, V and n"}, 0});
  const auto root = parse_toml(text);
  if (!root) return tl::unexpected(root.error());
  return Reader().read(*root);
}

}  // namespace ricochet::app
