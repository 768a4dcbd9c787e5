#include "ricochet/io/collision_toml.hpp"

#include "io/collision_table.hpp"
#include "io/toml_reader.hpp"
#include "io/toml_text.hpp"
#include "ricochet/contact/between.hpp"

namespace ricochet {
namespace {

constexpr std::array<std::string_view, 10> own_keys{"title", "M",   "W",     "V",    "n",
                                                    "spin",  "law", "point", "body", "parameters"};

class Reader : TomlReader {
 public:
  Read<Collision> read(const toml::table& root) {
    for (const char* key : {"contact", "hinge"})
      if (const toml::node* node = root.get(key))
        refuse(ErrorCode::conflict, key, "", "belongs to a scene of many contacts, which `ricochet simultaneous` reads",
               line_of(*node));
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
      if (table == nullptr) return refuse(ErrorCode::wrong_type, key, node, "must be a table of law parameters");
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
    } else if (key == "spin") {
      given_.spin = vector(key, node);
    } else {
      point_ = vector(key, node);
    }
  }

  void parameter(std::string_view key, const toml::node& node) {
    const std::string_view name = parameter_name(key);
    if (name.empty()) {
      const auto known = parameter_names();
      std::vector<std::string_view> all(own_keys.begin(), own_keys.end());
      all.insert(all.end(), known.begin(), known.end());
      return unknown("", key, node, all);
    }
    if (collision_.line_of(name) != 0)
      return refuse(ErrorCode::conflict, std::string(key), "", given_twice(key, name, collision_.line_of(name)),
                    line_of(node));
    const std::optional<Value> given = value(key, node);
    if (!given) return;
    const Expected<void> fine = set(collision_.settings, key, *given);
    if (!fine) return refuse(fine.error(), line_of(node));
    collision_.lines.emplace_back(name, line_of(node));
  }

  void bodies(const toml::node& node) {
    const toml::array* array = node.as_array();
    if (array == nullptr || array->size() != 2 || !array->is_array_of_tables()) {
      const std::string found = array == nullptr ? toml_text(node) : fmt::format("{} of them", array->size());
      return refuse(ErrorCode::wrong_type, "body", found, "must be two tables, [[body]] and [[body]]", line_of(node));
    }
    body_line_ = line_of(node);
    for (std::size_t i = 0; i < 2; ++i) body(i, *array->get(i)->as_table());
  }

  void body(std::size_t which, const toml::table& table) {
    RigidBody& body = bodies_[which];
    std::string& name = which == 0 ? collision_.body_a : collision_.body_b;
    name = fmt::format("body {}", which + 1);
    const std::string path = entry_path("body", which);
    for (const auto& [key, node] : table) {
      const std::string field = join_path(path, key.str());
      collision_.lines.emplace_back(field, line_of(node));
      if (key == "name") {
        name = string(field, node);
      } else if (!body_key(key.str(), field, node, body)) {
        unknown(path, key.str(), node, body_keys);
      }
    }
    for (const char* needed : {"mass", "inertia"}) {
      if (!body.fixed && !table.contains(needed))
        refuse(ErrorCode::missing, join_path(path, needed), "",
               "missing; a body needs mass and inertia, or fixed = true", line_of(table));
    }
  }

  void make() {
    if (body_line_ == 0) {
      if (point_)
        return refuse(ErrorCode::conflict, "point", "", "belongs to two [[body]] tables, and there are none",
                      line("point"));
      adopt(make_contact(given_));
      return;
    }
    for (const char* field : {"M", "W", "V", "spin"})
      if (line(field) != 0)
        return refuse(ErrorCode::conflict, field, "", "must not be given beside [[body]], from which it follows",
                      line(field));
    if (!point_)
      return refuse(ErrorCode::missing, "point", "",
                    "missing; two bodies need the point where they touch, three numbers [m]", 0);
    if (!given_.n)
      return refuse(ErrorCode::missing, "n", "",
                    "missing; two bodies need n, from the first to the second, three numbers", 0);
    collision_.bodies = BodyPair{bodies_[0], bodies_[1]};
    collision_.point = *point_;
    adopt(contact_between(bodies_[0], bodies_[1], *point_, *given_.n, {.A = "body[1]", .B = "body[2]"}));
  }

  void adopt(Expected<Contact> contact) {
    if (contact) {
      collision_.contact = *std::move(contact);
      return;
    }
    refuse(contact.error(), line(contact.error().path));
  }

  [[nodiscard]] long long line(std::string_view field) const { return collision_.line_of(field); }

  Collision collision_;
  Given given_;
  std::array<RigidBody, 2> bodies_;
  std::optional<Vec3> point_;
  long long body_line_ = 0;
};

}  // namespace

Read<Collision> read_collision_table(const toml::table& table) { return Reader().read(table); }

Read<Collision> read_toml(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return tl::unexpected(Fault{
        Error{ErrorCode::missing, "", "", "is empty; a collision needs M or W or two [[body]] tables, V and n"}, 0});
  const auto root = parse_toml(text);
  if (!root) return tl::unexpected(root.error());
  return Reader().read(*root);
}

std::string write_toml(const Collision& collision) {
  std::string out;
  if (!collision.title.empty()) out += toml_line("title", toml_value(collision.title));
  if (collision.law) out += toml_line("law", toml_value(*collision.law));
  const Contact& c = collision.contact;
  if (collision.bodies) {
    out += toml_line("point", toml_value(collision.point));
  } else {
    out += c.mass_given ? toml_line("M", toml_value(c.M)) : toml_line("W", toml_value(c.W));
    out += toml_line("V", toml_value(c.V));
    if (!c.spin.isZero(0)) out += toml_line("spin", toml_value(c.spin));
  }
  out += toml_line("n", toml_value(c.n));
  out += toml_lines(collision.settings);
  if (!collision.bodies) return out;
  for (const auto& [body, name] :
       {std::pair{&collision.bodies->A, &collision.body_a}, std::pair{&collision.bodies->B, &collision.body_b}})
    out += "\n[[body]]\n" + toml_line("name", toml_value(*name)) + toml_lines(*body);
  return out;
}

TomlContentKey toml_content(std::string_view text) {
  const auto root = parse_toml(text);
  if (!root) return {};
  const auto found = [&](TomlContent content, const char* key) {
    return TomlContentKey{content, key, line_of(*root->get(key))};
  };
  for (const char* key : {"robot", "contact", "hinge"})
    if (root->contains(key) && root->get(key)->is_array()) return found(TomlContent::scene, key);
  if (root->contains("law") && root->get("law")->is_table()) return found(TomlContent::scene, "law");
  for (const char* key : {"q", "u", "size"})
    if (root->contains(key)) return found(TomlContent::mechanism_state, key);
  return {};
}

}  // namespace ricochet
