#include "ricochet/io/scene_toml.hpp"

#include <filesystem>
#include <limits>
#include <map>
#include <unordered_map>

#include "io/scene_table.hpp"
#include "io/toml_numbers.hpp"
#include "io/toml_reader.hpp"
#include "io/toml_text.hpp"
#include "ricochet/simultaneous/assemble.hpp"

namespace ricochet {
namespace {

constexpr std::array<std::string_view, 5> top_keys{"title", "law", "body", "contact", "hinge"};
constexpr std::array<std::string_view, 6> robot_top_keys{"title", "gravity", "law", "robot", "body", "contact"};
constexpr std::array<std::string_view, 11> robot_keys{
    "name", "file", "position", "orientation", "velocity", "angular_velocity", "key", "q", "u", "base", "packages"};
constexpr std::array<std::string_view, 12> scene_body_keys{"name",     "mass",        "fixed",    "inertia",
                                                           "position", "orientation", "velocity", "angular_velocity",
                                                           "shape",    "radius",      "length",   "size"};
constexpr std::array<std::string_view, 4> contact_keys{"bodies", "point", "normal", "law"};
constexpr std::array<std::string_view, 2> hinge_keys{"bodies", "point"};

class Reader : TomlReader {
 public:
  Read<Scene> read(const toml::table& root) {
    if (const toml::node* robot = root.get("robot"))
      refuse(ErrorCode::conflict, "robot", "", "a scene with robots goes to impact or simultaneous", line_of(*robot));
    for (const auto& [key, node] : root) {
      if (key == "title") {
        scene_.title = string("title", node);
      } else if (std::find(top_keys.begin(), top_keys.end(), key.str()) == top_keys.end()) {
        unknown("", key.str(), node, top_keys);
      }
    }
    default_law(root);
    each(root, "body", "[[body]]", [this](std::size_t i, const toml::table& table) { body(i, table); });
    if (!fault_ && scene_.names.empty())
      refuse(ErrorCode::missing, "body", "", "missing; a scene needs [[body]] tables", 0);
    each(root, "contact", "[[contact]]", [this](std::size_t i, const toml::table& table) { contact(i, table); });
    each(root, "hinge", "[[hinge]]", [this](std::size_t i, const toml::table& table) { hinge(i, table); });
    if (!fault_) {
      if (const auto assembled = assemble(scene_.arrangement); !assembled)
        refuse(assembled.error(), line_of(root, assembled.error().path));
    }
    if (fault_) return tl::unexpected(*std::move(fault_));
    return std::move(scene_);
  }

  Read<RobotScene> read_with_robots(const toml::table& root) {
    RobotScene out;
    for (const auto& [key, node] : root) {
      if (key == "title") {
        out.title = string("title", node);
      } else if (key == "gravity") {
        out.gravity = vector("gravity", node);
        if (!fault_ && !out.gravity.allFinite()) refuse(ErrorCode::out_of_range, "gravity", node, "must be finite");
      } else if (key == "hinge") {
        refuse(ErrorCode::conflict, "hinge", "", "goes with a scene of bodies whose contacts are stated",
               line_of(node));
      } else if (key == "q" || key == "u" || key == "size" || key == "parameters") {
        refuse(ErrorCode::conflict, std::string(key.str()), "", "belongs to a state, which goes with --state",
               line_of(node));
      } else if (std::find(robot_top_keys.begin(), robot_top_keys.end(), key.str()) == robot_top_keys.end()) {
        unknown("", key.str(), node, robot_top_keys);
      }
    }
    default_law(root);
    if (!law_.empty()) out.law = law_;
    out.settings = settings_;
    out.lines.assign(lines_.begin(), lines_.end());
    each(root, "robot", "[[robot]]", [&](std::size_t i, const toml::table& table) { robot(i, table, out); });
    each(root, "body", "[[body]]", [&](std::size_t i, const toml::table& table) {
      body(i, table);
      if (!fault_)
        out.bodies.push_back({scene_.names[i], scene_.shapes[i], scene_.arrangement.bodies[i], line_of(table)});
    });
    if (!fault_ && out.bodies.empty() && out.robots.empty())
      refuse(ErrorCode::missing, "robot", "", "missing; a scene needs [[robot]] or [[body]] tables", 0);
    each(root, "contact", "[[contact]]",
         [&](std::size_t i, const toml::table& table) { stated_contact(i, table, out); });
    if (fault_) return tl::unexpected(*std::move(fault_));
    return out;
  }

 private:
  void robot(std::size_t i, const toml::table& table, RobotScene& out) {
    PlacedRobot robot;
    robot.line = line_of(table);
    const std::string path = entry_path("robot", i);
    for (const auto& [key, node] : table) {
      const std::string field = join_path(path, key.str());
      if (key == "name" || key == "file" || key == "key") {
        (key == "name" ? robot.name : key == "file" ? robot.file : robot.key) = word(field, node);
      } else if (key == "position") {
        robot.position = finite(field, node);
      } else if (key == "orientation") {
        robot.orientation = orientation(field, node);
      } else if (key == "velocity" || key == "angular_velocity") {
        (key == "velocity" ? robot.velocity : robot.angular_velocity) = finite(field, node);
      } else if (key == "q" || key == "u") {
        auto list = toml_named_numbers(field, node);
        if (!list) {
          refuse(list.error().error, list.error().line);
        } else {
          (key == "q" ? robot.q : robot.u) = *std::move(list);
        }
      } else if (key == "base") {
        const std::string base = word(field, node);
        if (!fault_ && base != "free" && base != "fixed")
          refuse(ErrorCode::out_of_range, field, node, "must be free or fixed");
        robot.options.free_base = base == "free";
      } else if (key == "packages") {
        packages(field, node, robot.options);
      } else {
        unknown(path, key.str(), node, robot_keys);
      }
    }
    if (fault_) return;
    if (robot.file.empty())
      return refuse(ErrorCode::missing, join_path(path, "file"), "", "missing; the name of a robot file", robot.line);
    if (robot.name.empty()) robot.name = std::filesystem::path(robot.file).stem().string();
    take_name(robot.name, path, line_of(table.contains("name") ? *table.get("name") : table));
    out.robots.push_back(std::move(robot));
  }

  std::string word(std::string_view field, const toml::node& node) {
    std::string text = string(field, node);
    if (!fault_ && text.empty()) refuse(ErrorCode::out_of_range, field, node, "must not be empty");
    return text;
  }
  Vec3 finite(std::string_view field, const toml::node& node) {
    const Vec3 x = vector(field, node);
    if (!fault_ && !x.allFinite()) refuse(ErrorCode::out_of_range, field, node, "must be finite");
    return x;
  }
  void packages(std::string_view field, const toml::node& node, RobotOptions& options) {
    const toml::table* table = node.as_table();
    if (table == nullptr)
      return refuse(ErrorCode::wrong_type, field, node, "must be a table of folders by the names of packages");
    for (const auto& [name, folder] : *table)
      options.packages[std::string(name.str())] = word(join_path(field, key_step(name.str())), folder);
  }

  void take_name(const std::string& name, const std::string& path, long long line) {
    if (name == "world")
      return refuse(ErrorCode::conflict, join_path(path, "name"), "\"world\"", "is what all fixed things are", line);
    if (!index_.emplace(name, a_robot).second)
      refuse(ErrorCode::conflict, join_path(path, "name"), fmt::format("\"{}\"", name),
             "is taken; names of robots and bodies must differ", line);
  }

  /// Bodies are looked for when the files of the robots are read.
  void stated_contact(std::size_t i, const toml::table& table, RobotScene& out) {
    const std::string what = entry_path("contact", i);
    SceneContact contact;
    const auto names = two_names(what, table);
    if (!names) return;
    contact.at.first = names->first;
    contact.at.second = names->second;
    contact.at.line = line_of(table);
    contact.at.point = needed(what, table, "point");
    const Vec3 n = needed(what, table, "normal");
    if (fault_) return;
    if (!contact.at.point.allFinite())
      return refuse(ErrorCode::out_of_range, join_path(what, "point"), *table.get("point"), "must be finite");
    if (!(n.norm() > 0) || !n.allFinite())
      return refuse(ErrorCode::out_of_range, join_path(what, "normal"), *table.get("normal"),
                    "must be finite and not zero");
    contact.at.n = n.normalized();
    for (const auto& [key, node] : table) {
      if (key == "law") {
        contact.law = string(join_path(what, "law"), node);
        if (!fault_ && find_law(contact.law) == nullptr) refuse(under(what, unknown_law(contact.law)), line_of(node));
      } else if (std::find(contact_keys.begin(), contact_keys.end(), key.str()) == contact_keys.end()) {
        parameter(what, key.str(), node, contact.settings, table, contact_keys);
      }
    }
    if (!fault_) out.contacts.push_back(std::move(contact));
  }

  template <class Read>
  void each(const toml::table& root, std::string_view key, const char* written, Read read) {
    const toml::node* node = root.get(key);
    if (node == nullptr || fault_) return;
    const toml::array* array = node->as_array();
    if (array == nullptr || !array->is_array_of_tables())
      return refuse(ErrorCode::wrong_type, key, *node, fmt::format("must be tables {}", written));
    for (std::size_t i = 0; i < array->size() && !fault_; ++i) read(i, *array->get(i)->as_table());
  }

  void default_law(const toml::table& root) {
    const toml::node* node = root.get("law");
    if (node == nullptr) return;
    const toml::table* table = node->as_table();
    if (table == nullptr)
      return refuse(ErrorCode::wrong_type, "law", *node, "must be a table [law] with a name and parameters");
    for (const auto& [key, value_node] : *table) {
      if (key == "name") {
        law_ = string("law.name", value_node);
        lines_["law"] = line_of(value_node);
      } else {
        parameter("law", key.str(), value_node, settings_, *table, {});
        lines_[std::string(parameter_name(key.str()))] = line_of(value_node);
      }
    }
  }

  void parameter(std::string_view path, std::string_view key, const toml::node& node, LawParameters& settings,
                 const toml::table& table, std::span<const std::string_view> own) {
    const std::string_view name = parameter_name(key);
    if (name.empty()) {
      const auto known = parameter_names();
      std::vector<std::string_view> all(own.begin(), own.end());
      if (own.empty()) all.emplace_back("name");
      all.insert(all.end(), known.begin(), known.end());
      return unknown(path, key, node, all);
    }
    if (const toml::node* other = name == key ? nullptr : table.get(name))
      return refuse(ErrorCode::conflict, join_path(path, key), "", given_twice(key, name, line_of(*other)),
                    line_of(node));
    const std::optional<Value> given = value(join_path(path, key), node);
    if (!given) return;
    if (const auto fine = set(settings, key, *given); !fine) refuse(under(path, fine.error()), line_of(node));
  }

  void body(std::size_t i, const toml::table& table) {
    RigidBody body;
    Shape shape;
    std::string name = fmt::format("body {}", i + 1);
    long long name_line = line_of(table);
    const std::string path = entry_path("body", i);
    for (const auto& [key, node] : table) {
      const std::string field = join_path(path, key.str());
      if (key == "name") {
        name = string(field, node);
        name_line = line_of(node);
        if (!fault_ && name.empty()) refuse(ErrorCode::out_of_range, field, node, "must not be empty");
      } else if (key == "shape") {
        shape.kind = kind(field, node);
      } else if (key == "radius") {
        shape.radius = length(field, node);
      } else if (key == "length") {
        shape.length = length(field, node);
      } else if (key == "size") {
        shape.size = vector(field, node);
        if (!fault_ && !(shape.size.minCoeff() > 0 && shape.size.allFinite()))
          refuse(ErrorCode::out_of_range, field, node, "must be three positive lengths");
      } else if (!body_key(key.str(), field, node, body)) {
        unknown(path, key.str(), node, scene_body_keys);
      }
    }
    if (fault_) return;
    check_shape(path, table, shape);
    const bool known_inertia = shape.kind != Shape::Kind::none && shape.kind != Shape::Kind::plane;
    for (const char* needed : {"mass", "inertia"}) {
      const bool given = table.contains(needed) || (std::string_view(needed) == "inertia" && known_inertia);
      if (!body.fixed && !given)
        return refuse(ErrorCode::missing, join_path(path, needed), "",
                      "missing; a body needs mass and inertia (or a shape that determines it), or fixed = true",
                      line_of(table));
    }
    if (!body.fixed && !table.contains("inertia")) body.inertia = homogeneous_inertia(shape, body.mass).asDiagonal();
    const auto [there, added] = index_.emplace(name, i);
    if (!added)
      return refuse(ErrorCode::conflict, join_path(path, "name"), fmt::format("\"{}\"", name),
                    there->second == a_robot ? "is taken by a robot; names must differ"
                                             : fmt::format("is taken by body {}; names must differ", there->second + 1),
                    name_line);
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
    refuse(ErrorCode::out_of_range, field, node, "must be sphere, box, rod or plane");
    return none;
  }
  double length(std::string_view field, const toml::node& node) {
    const double x = number(field, node);
    if (!fault_ && !(x > 0 && std::isfinite(x)))
      refuse(ErrorCode::out_of_range, field, node, "must be positive and finite");
    return x;
  }
  void check_shape(const std::string& path, const toml::table& table, const Shape& shape) {
    using enum Shape::Kind;
    const auto needs = [&](bool wanted, const char* key, const char* of) {
      if (wanted && !table.contains(key))
        refuse(ErrorCode::missing, join_path(path, key), "", fmt::format("missing; a {} has one", of), line_of(table));
    };
    needs(shape.kind == sphere, "radius", "sphere");
    needs(shape.kind == box, "size", "box");
    needs(shape.kind == rod, "length", "rod");
    if (shape.kind != none) return;
    for (const char* key : {"radius", "size", "length"})
      if (const toml::node* node = table.get(key))
        refuse(ErrorCode::conflict, join_path(path, key), *node, "belongs to a shape, and none is named");
  }

  /// What `bodies` says.
  std::optional<std::pair<std::string, std::string>> two_names(const std::string& what, const toml::table& table) {
    const toml::node* node = table.get("bodies");
    const std::string field = join_path(what, "bodies");
    if (node == nullptr) {
      refuse(ErrorCode::missing, field, "", "missing; two names of bodies", line_of(table));
      return std::nullopt;
    }
    const toml::array* array = node->as_array();
    const auto is_string = [](const toml::node& item) { return item.is_string(); };
    if (array == nullptr || array->size() != 2 || !std::all_of(array->begin(), array->end(), is_string)) {
      refuse(ErrorCode::wrong_type, field, *node, "must be the names of two bodies");
      return std::nullopt;
    }
    return std::pair(array->get(0)->as_string()->get(), array->get(1)->as_string()->get());
  }

  bool pair(const std::string& what, const toml::table& table, std::size_t& first, std::size_t& second) {
    const auto names = two_names(what, table);
    if (!names) return false;
    const std::string field = join_path(what, "bodies");
    const toml::array* array = table.get("bodies")->as_array();
    for (std::size_t k = 0; k < 2; ++k) {
      const std::string& name = k == 0 ? names->first : names->second;
      const auto at = index_.find(name);
      if (at == index_.end()) {
        const std::vector<std::string_view> known(scene_.names.begin(), scene_.names.end());
        const std::string_view guess = known.size() <= 1000 ? closest(name, known) : std::string_view{};
        refuse(ErrorCode::unknown_name, field, fmt::format("\"{}\"", name),
               guess.empty() ? "no body has this name" : fmt::format("no body has this name; did you mean {}?", guess),
               line_of(*array->get(k)));
        return false;
      }
      (k == 0 ? first : second) = at->second;
    }
    return true;
  }

  Vec3 needed(const std::string& what, const toml::table& table, const char* key) {
    const std::string field = join_path(what, key);
    if (const toml::node* node = table.get(key)) return vector(field, *node);
    refuse(ErrorCode::missing, field, "", "missing; three numbers", line_of(table));
    return Vec3::Zero();
  }

  void contact(std::size_t i, const toml::table& table) {
    const std::string what = entry_path("contact", i);
    ContactSpec touch;
    if (!pair(what, table, touch.first, touch.second)) return;
    touch.point = needed(what, table, "point");
    touch.n = needed(what, table, "normal");
    std::string law = law_;
    const toml::node* law_node = table.get("law");
    if (law_node != nullptr) law = string(join_path(what, "law"), *law_node);
    LawParameters settings = settings_;
    for (const auto& [key, node] : table)
      if (std::find(contact_keys.begin(), contact_keys.end(), key.str()) == contact_keys.end())
        parameter(what, key.str(), node, settings, table, contact_keys);
    if (fault_) return;
    if (law.empty())
      return refuse(ErrorCode::missing, join_path(what, "law"), "", "missing; a law here, or [law] name for all",
                    line_of(table));
    const auto made = make_law(law, settings);
    if (!made) {
      // The name or the parameter is given here or in [law]; a missing one is reported here.
      const Error& error = made.error();
      const toml::node* own = table.get(error.path);
      const auto common = lines_.find(error.path);
      const long long line = own != nullptr                                               ? line_of(*own)
                             : common != lines_.end() && error.code != ErrorCode::missing ? common->second
                                                                                          : line_of(table);
      return refuse(under(what, error), line);
    }
    touch.law = *made;
    scene_.arrangement.contacts.push_back(std::move(touch));
    scene_.contact_lines.push_back(line_of(table));
    scene_.laws.push_back(std::move(law));
    scene_.settings.push_back(std::move(settings));
  }

  void hinge(std::size_t i, const toml::table& table) {
    const std::string what = entry_path("hinge", i);
    Hinge hinge;
    if (!pair(what, table, hinge.first, hinge.second)) return;
    hinge.point = needed(what, table, "point");
    for (const auto& [key, node] : table)
      if (std::find(hinge_keys.begin(), hinge_keys.end(), key.str()) == hinge_keys.end())
        unknown(what, key.str(), node, hinge_keys);
    if (fault_) return;
    scene_.arrangement.hinges.push_back(hinge);
    scene_.hinge_lines.push_back(line_of(table));
  }

  Scene scene_;
  static constexpr std::size_t a_robot = std::numeric_limits<std::size_t>::max();
  std::unordered_map<std::string, std::size_t> index_;  ///< of bodies by name
  std::string law_;
  LawParameters settings_;
  std::map<std::string, long long, std::less<>> lines_;  ///< of the parameters in [law], and of its name as "law"
};

std::string shape_lines(const Shape& shape) {
  if (shape.kind == Shape::Kind::none) return {};
  std::string out = toml_line("shape", toml_value(name(shape.kind)));
  if (shape.radius > 0) out += toml_line("radius", toml_value(shape.radius));
  if (shape.length > 0) out += toml_line("length", toml_value(shape.length));
  if (shape.size.minCoeff() > 0) out += toml_line("size", toml_value(shape.size));
  return out;
}

}  // namespace

Read<Scene> read_scene_table(const toml::table& root) { return Reader().read(root); }

namespace {

Read<toml::table> parse_scene(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return fault(ErrorCode::missing, "", "", "is empty; a scene needs [[body]] and [[contact]] tables", 0);
  return parse_toml(text);
}

}  // namespace

Read<RobotScene> read_robot_scene(std::string_view text) {
  const auto root = parse_scene(text);
  if (!root) return tl::unexpected(root.error());
  return Reader().read_with_robots(*root);
}

Read<std::variant<Scene, RobotScene>> read_any_scene(std::string_view text) {
  using Any = std::variant<Scene, RobotScene>;
  const auto root = parse_scene(text);
  if (!root) return tl::unexpected(root.error());
  if (!root->contains("robot")) return Reader().read(*root).map([](Scene&& scene) { return Any(std::move(scene)); });
  return Reader().read_with_robots(*root).map([](RobotScene&& scene) { return Any(std::move(scene)); });
}

Read<Scene> read_scene(std::string_view text) {
  const auto root = parse_scene(text);
  if (!root) return tl::unexpected(root.error());
  return read_scene_table(*root);
}

std::string write_toml(const Scene& scene) {
  std::string out;
  if (!scene.title.empty()) out += toml_line("title", toml_value(scene.title));
  for (std::size_t i = 0; i < scene.names.size(); ++i)
    out += "\n[[body]]\n" + toml_line("name", toml_value(scene.names[i])) + toml_lines(scene.arrangement.bodies[i]) +
           shape_lines(scene.shapes[i]);
  const auto bodies = [&](std::size_t first, std::size_t second) {
    return toml_line("bodies",
                     fmt::format("[{}, {}]", toml_value(scene.names[first]), toml_value(scene.names[second])));
  };
  for (std::size_t i = 0; i < scene.arrangement.contacts.size(); ++i) {
    const ContactSpec& contact = scene.arrangement.contacts[i];
    out += "\n[[contact]]\n" + bodies(contact.first, contact.second) + toml_line("point", toml_value(contact.point)) +
           toml_line("normal", toml_value(contact.n)) + toml_line("law", toml_value(scene.laws[i])) +
           toml_lines(scene.settings[i]);
  }
  for (const Hinge& hinge : scene.arrangement.hinges)
    out += "\n[[hinge]]\n" + bodies(hinge.first, hinge.second) + toml_line("point", toml_value(hinge.point));
  return out;
}

}  // namespace ricochet
