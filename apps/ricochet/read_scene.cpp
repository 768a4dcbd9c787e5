#include "read_scene.hpp"

#include <map>
#include <unordered_map>

#include "toml_reader.hpp"

namespace ricochet::app {
namespace {

constexpr std::array<std::string_view, 5> top_keys{"title", "law", "body", "contact", "hinge"};
constexpr std::array<std::string_view, 12> scene_body_keys{"name",     "mass",        "fixed",    "inertia",
                                                           "position", "orientation", "velocity", "angular_velocity",
                                                           "shape",    "radius",      "length",   "size"};
constexpr std::array<std::string_view, 4> contact_keys{"bodies", "point", "normal", "law"};
constexpr std::array<std::string_view, 2> hinge_keys{"bodies", "point"};

class Reader : TomlReader {
 public:
  tl::expected<BodiesScene, Fault> read(const toml::table& root) {
    for (const auto& [key, node] : root) {
      if (key == "title") {
        scene_.title = string("title", node);
      } else if (std::find(top_keys.begin(), top_keys.end(), key.str()) == top_keys.end()) {
        unknown(key.str(), node, top_keys);
      }
    }
    default_law(root);
    each(root, "body", "[[body]]", [this](std::size_t i, const toml::table& table) { body(i, table); });
    if (!fault_ && scene_.names.empty()) refuse("body", "", "missing; a scene needs [[body]] tables", 0);
    each(root, "contact", "[[contact]]", [this](std::size_t i, const toml::table& table) { contact(i, table); });
    each(root, "hinge", "[[hinge]]", [this](std::size_t i, const toml::table& table) { hinge(i, table); });
    if (!fault_) {
      if (const auto assembled = assemble(scene_.arrangement); !assembled) blame(root, assembled.error());
    }
    if (fault_) return tl::unexpected(*std::move(fault_));
    return std::move(scene_);
  }

 private:
  template <class Read>
  void each(const toml::table& root, std::string_view key, const char* written, Read read) {
    const toml::node* node = root.get(key);
    if (node == nullptr || fault_) return;
    const toml::array* array = node->as_array();
    if (array == nullptr || !array->is_array_of_tables())
      return refuse(key, *node, fmt::format("must be tables {}", written));
    for (std::size_t i = 0; i < array->size() && !fault_; ++i) read(i, *array->get(i)->as_table());
  }

  void default_law(const toml::table& root) {
    const toml::node* node = root.get("law");
    if (node == nullptr) return;
    const toml::table* table = node->as_table();
    if (table == nullptr) return refuse("law", *node, "must be a table [law] with a name and parameters");
    for (const auto& [key, value_node] : *table) {
      if (key == "name") {
        law_ = string("law name", value_node);
        law_line_ = line_of(value_node);
      } else {
        parameter(key.str(), value_node, settings_, {});
        lines_[std::string(key.str())] = line_of(value_node);
      }
    }
  }

  void parameter(std::string_view key, const toml::node& node, Settings& settings,
                 std::span<const std::string_view> own) {
    const auto known = parameter_names();
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      std::vector<std::string_view> all(own.begin(), own.end());
      if (own.empty()) all.emplace_back("name");
      all.insert(all.end(), known.begin(), known.end());
      return unknown(key, node, all);
    }
    const std::optional<Value> given = value(key, node);
    if (!given) return;
    if (const auto fine = set(settings, key, *given); !fine)
      refuse(fine.error().field, fine.error().value, fine.error().allowed, line_of(node));
  }

  void body(std::size_t i, const toml::table& table) {
    RigidBody body;
    Shape shape;
    std::string name = fmt::format("body {}", i + 1);
    long long name_line = line_of(table);
    for (const auto& [key, node] : table) {
      const std::string field = fmt::format("body {} {}", i + 1, key.str());
      if (key == "name") {
        name = string(field, node);
        name_line = line_of(node);
        if (!fault_ && name.empty()) refuse(field, node, "must not be empty");
      } else if (key == "shape") {
        shape.kind = kind(field, node);
      } else if (key == "radius") {
        shape.radius = length(field, node);
      } else if (key == "length") {
        shape.length = length(field, node);
      } else if (key == "size") {
        shape.size = vector(field, node);
        if (!fault_ && !(shape.size.minCoeff() > 0 && shape.size.allFinite()))
          refuse(field, node, "must be three positive lengths");
      } else if (!body_key(key.str(), field, node, body)) {
        unknown(key.str(), node, scene_body_keys);
      }
    }
    if (fault_) return;
    check_shape(i, table, shape);
    const bool known_inertia = shape.kind != Shape::Kind::none && shape.kind != Shape::Kind::plane;
    for (const char* needed : {"mass", "inertia"}) {
      const bool given = table.contains(needed) || (std::string_view(needed) == "inertia" && known_inertia);
      if (!body.fixed && !given)
        return refuse(fmt::format("body {} {}", i + 1, needed), "",
                      "missing; a body needs mass and inertia (or a shape that tells it), or fixed = true",
                      line_of(table));
    }
    if (!body.fixed && !table.contains("inertia")) body.inertia = homogeneous_inertia(shape, body.mass).asDiagonal();
    const auto [there, added] = index_.emplace(name, i);
    if (!added)
      return refuse(fmt::format("body {} name", i + 1), fmt::format("\"{}\"", name),
                    fmt::format("is taken by body {}; names must differ", there->second + 1), name_line);
    scene_.names.push_back(std::move(name));
    scene_.shapes.push_back(shape);
    scene_.arrangement.bodies.push_back(body);
  }

  Shape::Kind kind(std::string_view field, const toml::node& node) {
    using enum Shape::Kind;
    const std::string word = string(field, node);
    for (const auto& [known, kind] :
         {std::pair{"sphere", sphere}, std::pair{"box", box}, std::pair{"rod", rod}, std::pair{"plane", plane}})
      if (word == known) return kind;
    refuse(field, node, "must be sphere, box, rod or plane");
    return none;
  }
  double length(std::string_view field, const toml::node& node) {
    const double x = number(field, node);
    if (!fault_ && !(x > 0 && std::isfinite(x))) refuse(field, node, "must be positive and finite");
    return x;
  }
  void check_shape(std::size_t i, const toml::table& table, const Shape& shape) {
    using enum Shape::Kind;
    const auto needs = [&](bool wanted, const char* key, const char* of) {
      if (wanted && !table.contains(key))
        refuse(fmt::format("body {} {}", i + 1, key), "", fmt::format("missing; a {} has one", of), line_of(table));
    };
    needs(shape.kind == sphere, "radius", "sphere");
    needs(shape.kind == box, "size", "box");
    needs(shape.kind == rod, "length", "rod");
    if (shape.kind != none) return;
    for (const char* key : {"radius", "size", "length"})
      if (const toml::node* node = table.get(key))
        refuse(fmt::format("body {} {}", i + 1, key), *node, "belongs to a shape, and none is named");
  }

  bool pair(const std::string& what, const toml::table& table, std::size_t& first, std::size_t& second) {
    const toml::node* node = table.get("bodies");
    const std::string field = what + " bodies";
    if (node == nullptr) {
      refuse(field, "", "missing; two names of bodies", line_of(table));
      return false;
    }
    const toml::array* array = node->as_array();
    const auto is_string = [](const toml::node& item) { return item.is_string(); };
    if (array == nullptr || array->size() != 2 || !std::all_of(array->begin(), array->end(), is_string)) {
      refuse(field, *node, "must be the names of two bodies");
      return false;
    }
    for (std::size_t k = 0; k < 2; ++k) {
      const std::string name = array->get(k)->as_string()->get();
      const auto at = index_.find(name);
      if (at == index_.end()) {
        const std::vector<std::string_view> names(scene_.names.begin(), scene_.names.end());
        const std::string_view guess = names.size() <= 1000 ? closest(name, names) : std::string_view{};
        refuse(field, fmt::format("\"{}\"", name),
               guess.empty() ? "no body has this name" : fmt::format("no body has this name; did you mean {}?", guess),
               line_of(*array->get(k)));
        return false;
      }
      (k == 0 ? first : second) = at->second;
    }
    return true;
  }

  Vec3 needed(const std::string& what, const toml::table& table, const char* key) {
    const std::string field = fmt::format("{} {}", what, key);
    if (const toml::node* node = table.get(key)) return vector(field, *node);
    refuse(field, "", "missing; three numbers", line_of(table));
    return Vec3::Zero();
  }

  void contact(std::size_t i, const toml::table& table) {
    const std::string what = fmt::format("contact {}", i + 1);
    Touch touch;
    if (!pair(what, table, touch.first, touch.second)) return;
    touch.point = needed(what, table, "point");
    touch.n = needed(what, table, "normal");
    std::string law = law_;
    const toml::node* law_node = table.get("law");
    if (law_node != nullptr) law = string(what + " law", *law_node);
    Settings settings = settings_;
    for (const auto& [key, node] : table)
      if (std::find(contact_keys.begin(), contact_keys.end(), key.str()) == contact_keys.end())
        parameter(key.str(), node, settings, contact_keys);
    if (fault_) return;
    if (law.empty()) return refuse(what + " law", "", "missing; a law here, or [law] name for all", line_of(table));
    const auto made = make_law(law, settings);
    if (!made) {
      const Error& error = made.error();
      const toml::node* own = table.get(error.field);
      const auto common = lines_.find(error.field);
      const long long line = error.field == "law" ? (law_node != nullptr ? line_of(*law_node) : law_line_)
                             : own != nullptr     ? line_of(*own)
                             : common != lines_.end() && !error.value.empty() ? common->second
                                                                              : line_of(table);
      return refuse(fmt::format("{} {}", what, error.field), error.value, error.allowed, line);
    }
    touch.law = *made;
    scene_.arrangement.contacts.push_back(std::move(touch));
    scene_.contact_lines.push_back(line_of(table));
    scene_.laws.push_back(std::move(law));
    scene_.settings.push_back(std::move(settings));
  }

  void hinge(std::size_t i, const toml::table& table) {
    const std::string what = fmt::format("hinge {}", i + 1);
    Hinge hinge;
    if (!pair(what, table, hinge.first, hinge.second)) return;
    hinge.point = needed(what, table, "point");
    for (const auto& [key, node] : table)
      if (std::find(hinge_keys.begin(), hinge_keys.end(), key.str()) == hinge_keys.end())
        unknown(key.str(), node, hinge_keys);
    if (fault_) return;
    scene_.arrangement.hinges.push_back(hinge);
    scene_.hinge_lines.push_back(line_of(table));
  }

  /// A fault of the whole, "contact 3 normal", put on the line where that stands.
  void blame(const toml::table& root, const Error& error) {
    long long line = 0;
    const std::string& field = error.field;
    const std::size_t first = field.find(' ');
    const std::size_t second = field.find(' ', first + 1);
    if (first != std::string::npos) {
      const toml::node* all = root.get(field.substr(0, first));
      const std::size_t index = std::strtoull(field.c_str() + first, nullptr, 10);
      if (all != nullptr && all->is_array() && index >= 1 && index <= all->as_array()->size()) {
        const toml::table& table = *all->as_array()->get(index - 1)->as_table();
        line = line_of(table);
        if (second != std::string::npos)
          if (const toml::node* node = table.get(field.substr(second + 1))) line = line_of(*node);
      }
    }
    refuse(error.field, error.value, error.allowed, line);
  }

  BodiesScene scene_;
  std::unordered_map<std::string, std::size_t> index_;
  std::string law_;
  long long law_line_ = 0;
  Settings settings_;
  std::map<std::string, long long, std::less<>> lines_;  ///< of the parameters in [law]
};

}  // namespace

tl::expected<BodiesScene, Fault> read_bodies_scene(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return tl::unexpected(Fault{Error{"", "", "is empty; a scene needs [[body]] and [[contact]] tables"}, 0});
  const auto root = parse_toml(text);
  if (!root) return tl::unexpected(root.error());
  return Reader().read(*root);
}

}  // namespace ricochet::app
