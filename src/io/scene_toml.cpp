#include "ricochet/io/scene_toml.hpp"

#include <filesystem>

#include "io/scene_reader.hpp"
#include "io/scene_table.hpp"
#include "io/toml_numbers.hpp"
#include "io/toml_text.hpp"
#include "ricochet/simultaneous/assemble.hpp"

namespace ricochet {
namespace {

constexpr std::array<std::string_view, 5> top_keys{"title", "law", "body", "contact", "hinge"};
constexpr std::array<std::string_view, 6> robot_top_keys{"title", "gravity", "law", "robot", "body", "contact"};
constexpr std::array<std::string_view, 4> contact_keys{"bodies", "point", "normal", "law"};
constexpr std::array<std::string_view, 2> hinge_keys{"bodies", "point"};

constexpr std::array<std::string_view, 3> motion_keys{"gravity", "pair", "force"};

class Reader : SceneReader {
 public:
  explicit Reader(MeshReader mesh = {}) : SceneReader(std::move(mesh)) {}

  Read<Scene> read(const toml::table& root) {
    if (const toml::node* robot = root.get("robot"))
      refuse(ErrorCode::conflict, "robot", "", "a scene with robots goes to impact or simultaneous", line_of(*robot));
    for (const auto& [key, node] : root) {
      if (key == "title") {
        scene_.title = string("title", node);
      } else if (std::find(motion_keys.begin(), motion_keys.end(), key.str()) != motion_keys.end()) {
        refuse(ErrorCode::conflict, std::string(key.str()), "", "belongs to a scene for simulate", line_of(node));
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
    each(root, "robot", "[[robot]]", [&](std::size_t i, const toml::table& table) {
      if (auto read = robot(i, table)) out.robots.push_back(*std::move(read));
    });
    each(root, "body", "[[body]]", [&](std::size_t i, const toml::table& table) {
      body(i, table);
      if (!fault_)
        out.bodies.push_back(
            {scene_.names[i], scene_.shapes[i], scene_.arrangement.bodies[i], line_of(table), materials_[i]});
    });
    if (!fault_ && out.bodies.empty() && out.robots.empty())
      refuse(ErrorCode::missing, "robot", "", "missing; a scene needs [[robot]] or [[body]] tables", 0);
    each(root, "contact", "[[contact]]",
         [&](std::size_t i, const toml::table& table) { stated_contact(i, table, out); });
    if (fault_) return tl::unexpected(*std::move(fault_));
    return out;
  }

 private:
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
};

std::string shape_lines(const Shape& shape) {
  if (shape.kind == Shape::Kind::none) return {};
  std::string out = toml_line("shape", toml_value(name(shape.kind)));
  if (shape.radius > 0) out += toml_line("radius", toml_value(shape.radius));
  if (shape.length > 0) out += toml_line("length", toml_value(shape.length));
  if (shape.size.minCoeff() > 0) out += toml_line("size", toml_value(shape.size));
  if (shape.hull) {
    std::string points;
    for (const Vec3& v : shape.hull->vertices) points += (points.empty() ? "" : ", ") + toml_value(v);
    out += toml_line("points", fmt::format("[{}]", points));
  }
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

Read<RobotScene> read_robot_scene(std::string_view text, const MeshReader& mesh) {
  const auto root = parse_scene(text);
  if (!root) return tl::unexpected(root.error());
  return Reader(mesh).read_with_robots(*root);
}

Read<std::variant<Scene, RobotScene>> read_any_scene(std::string_view text, const MeshReader& mesh) {
  using Any = std::variant<Scene, RobotScene>;
  const auto root = parse_scene(text);
  if (!root) return tl::unexpected(root.error());
  if (!root->contains("robot")) return Reader().read(*root).map([](Scene&& scene) { return Any(std::move(scene)); });
  return Reader(mesh).read_with_robots(*root).map([](RobotScene&& scene) { return Any(std::move(scene)); });
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
