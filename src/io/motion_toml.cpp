#include "ricochet/io/motion_toml.hpp"

#include "io/scene_reader.hpp"

namespace ricochet {
namespace {

constexpr std::array<std::string_view, 10> motion_top_keys{"title", "gravity", "law",   "body",    "robot",
                                                           "pair",  "force",   "hinge", "contact", "compliance"};
constexpr std::array<std::string_view, 1> compliance_keys{"stiffness"};
constexpr std::array<std::string_view, 3> pair_keys{"bodies", "materials", "law"};
constexpr std::array<std::string_view, 6> force_keys{"body", "force", "torque", "times", "forces", "torques"};
constexpr std::array<std::string_view, 4> joint_force_keys{"joint", "value", "times", "values"};
constexpr std::array<std::string_view, 2> joint_keys{"bodies", "point"};

class MotionReader : SceneReader {
 public:
  explicit MotionReader(MeshReader mesh) : SceneReader(std::move(mesh)) {}

  Read<MotionScene> read(const toml::table& root) {
    for (const auto& [key, node] : root) {
      if (key == "title") {
        out_.title = string("title", node);
      } else if (key == "gravity") {
        out_.gravity = finite("gravity", node);
      } else if (key == "compliance") {
        compliance(node);
      } else if (std::find(motion_top_keys.begin(), motion_top_keys.end(), key.str()) == motion_top_keys.end()) {
        unknown("", key.str(), node, motion_top_keys);
      }
    }
    default_law(root);
    each(root, "body", "[[body]]", [this](std::size_t i, const toml::table& table) { add_body(i, table); });
    each(root, "robot", "[[robot]]", [this](std::size_t i, const toml::table& table) {
      if (auto read = robot(i, table)) out_.robots.push_back(*std::move(read));
    });
    if (!fault_ && out_.bodies.empty() && out_.robots.empty())
      refuse(ErrorCode::missing, "body", "", "missing; a scene needs [[body]] or [[robot]] tables", 0);
    each(root, "pair", "[[pair]]", [this](std::size_t i, const toml::table& table) { law_of_pair(i, table); });
    each(root, "force", "[[force]]", [this](std::size_t i, const toml::table& table) { force(i, table); });
    each(root, "hinge", "[[hinge]]", [this](std::size_t i, const toml::table& table) { hinge(i, table); });
    each(root, "contact", "[[contact]]", [this](std::size_t, const toml::table&) { out_.states_contacts = true; });
    out_.law = law_;
    out_.settings = settings_;
    keep_lines(root);
    if (!fault_ && out_.robots.empty()) check();  // names of links are known when the files of robots are read
    if (fault_) return tl::unexpected(*std::move(fault_));
    return std::move(out_);
  }

 private:
  void compliance(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (table == nullptr) return refuse(ErrorCode::wrong_type, "compliance", node, "must be a table, [compliance]");
    for (const auto& [key, value] : *table) {
      if (key != "stiffness") return unknown("compliance", key.str(), value, compliance_keys);
      const double c = number("compliance.stiffness", value);
      if (fault_) return;
      if (!(c > 0 && std::isfinite(c)))
        return refuse(ErrorCode::out_of_range, "compliance.stiffness", value, "must be positive and finite");
      out_.stiffness = c;
    }
  }

  void add_body(std::size_t i, const toml::table& table) {
    body(i, table);
    if (fault_) return;
    const RigidBody& body = scene_.arrangement.bodies[i];
    if (scene_.shapes[i].kind == Shape::Kind::plane && !body.fixed)
      return refuse(ErrorCode::conflict, join_path(entry_path("body", i), "shape"), *table.get("shape"),
                    "has no end, so that its body must have fixed = true");
    out_.bodies.push_back({scene_.names[i], scene_.shapes[i], body, line_of(table), materials_[i]});
  }

  void law_of_pair(std::size_t i, const toml::table& table) {
    const std::string path = entry_path("pair", i);
    ScenePair pair;
    pair.materials = table.contains("materials");
    if (pair.materials && table.contains("bodies"))
      return refuse(ErrorCode::conflict, join_path(path, "materials"), *table.get("materials"),
                    "goes without bodies: a pair is of two bodies or of two materials");
    const auto names = two_names(path, table, pair.materials ? "materials" : "bodies");
    if (!names) return;
    pair.first = names->first;
    pair.second = names->second;
    for (const auto& [key, node] : table) {
      if (key == "law") {
        pair.law = string(join_path(path, "law"), node);
        if (!fault_ && find_law(pair.law) == nullptr) refuse(under(path, unknown_law(pair.law)), line_of(node));
      } else if (key != "bodies" && key != "materials") {
        parameter(path, key.str(), node, pair.settings, table, pair_keys);
      }
    }
    if (!fault_) out_.pairs.push_back(std::move(pair));
  }

  /// One vector, or as many as there are times.
  std::vector<Vec3> vectors(const std::string& field, const toml::node& node, std::size_t count) {
    std::vector<Vec3> out;
    const toml::array* array = node.as_array();
    if (array == nullptr || array->size() != count) {
      refuse(ErrorCode::wrong_type, field, node, fmt::format("must be {} vectors, one for each of times", count));
      return out;
    }
    for (const toml::node& item : *array) out.push_back(finite(field, item));
    return out;
  }

  void force(std::size_t i, const toml::table& table) {
    const std::string path = entry_path("force", i);
    const auto at = [&](const char* key) { return join_path(path, key); };
    if (table.contains("joint")) return joint_force(i, table);
    motion::AppliedForce out;
    const toml::node* body = table.get("body");
    if (body == nullptr)
      return refuse(ErrorCode::missing, at("body"), "", "missing; the name of a body", line_of(table));
    const std::string name = string(at("body"), *body);
    if (fault_) return;
    const auto index = find_body(at("body"), name, *body);
    if (!index) return;
    out.body = *index;
    const toml::node* times = table.get("times");
    for (const auto& [key, node] : table) {
      if (std::find(force_keys.begin(), force_keys.end(), key.str()) == force_keys.end())
        return unknown(path, key.str(), node, force_keys);
      const bool listed = key == "forces" || key == "torques";
      if (listed && times == nullptr)
        return refuse(ErrorCode::missing, at("times"), "", fmt::format("missing; {} go with times", key.str()),
                      line_of(node));
      if ((key == "force" || key == "torque") && times != nullptr)
        return refuse(ErrorCode::conflict, join_path(path, key.str()), node,
                      fmt::format("is constant; with times give {}s", key.str()));
    }
    const std::array<const char*, 2> keys =
        times == nullptr ? std::array{"force", "torque"} : std::array{"forces", "torques"};
    if (!table.contains(keys[0]) && !table.contains(keys[1]))
      return refuse(ErrorCode::missing, at(keys[0]), "", fmt::format("missing; {} or {}", keys[0], keys[1]),
                    line_of(table));
    if (times != nullptr) out.times = increasing(at("times"), *times);
    if (fault_) return;
    const std::size_t count = times == nullptr ? 1 : out.times.size();
    for (std::size_t k = 0; k < 2 && !fault_; ++k) {
      std::vector<Vec3>& values = k == 0 ? out.forces : out.torques;
      const toml::node* node = table.get(keys[k]);
      if (node == nullptr) {
        values.assign(count, Vec3::Zero());
      } else if (times == nullptr) {
        values = {finite(at(keys[k]), *node)};
      } else {
        values = vectors(at(keys[k]), *node, count);
      }
    }
    if (!fault_) out_.forces.push_back(std::move(out));
  }

  std::vector<double> increasing(const std::string& field, const toml::node& node) {
    std::vector<double> out;
    const toml::array* array = node.as_array();
    if (array == nullptr || array->empty()) {
      refuse(ErrorCode::wrong_type, field, node, "must be a list of times");
      return out;
    }
    for (const toml::node& item : *array) {
      const double t = number(field, item);
      if (!fault_ && !(std::isfinite(t) && (out.empty() || t > out.back())))
        refuse(ErrorCode::out_of_range, field, item, "must be finite, and above the one before");
      out.push_back(t);
    }
    return out;
  }

  /// On a joint of a robot: a value, or values with times.
  void joint_force(std::size_t i, const toml::table& table) {
    const std::string path = entry_path("force", i);
    const auto at = [&](const char* key) { return join_path(path, key); };
    SceneJointForce out;
    out.entry = i;
    for (const auto& [key, node] : table) {
      if (key == "joint") {
        out.joint = string(at("joint"), node);
      } else if (key == "value") {
        out.values = {number(at("value"), node)};
      } else if (key == "times" || key == "values") {
        (key == "times" ? out.times : out.values) = numbers_of(join_path(path, key.str()), node);
      } else {
        return unknown(path, key.str(), node, joint_force_keys);
      }
      if (fault_) return;
    }
    if (out.values.empty())
      return refuse(ErrorCode::missing, at("value"), "", "missing; value, or times and values", line_of(table));
    if (table.contains("value") && (table.contains("times") || table.contains("values")))
      return refuse(ErrorCode::conflict, at("value"), *table.get("value"), "is constant; it goes without times");
    if (!table.contains("value") && out.times.size() != out.values.size())
      return refuse(ErrorCode::wrong_type, at("values"), *table.get("values"), "must be one for each of times");
    for (std::size_t k = 1; k < out.times.size(); ++k)
      if (!(out.times[k] > out.times[k - 1]))
        return refuse(ErrorCode::out_of_range, at("times"), *table.get("times"), "must increase");
    out_.joint_forces.push_back(std::move(out));
  }

  std::vector<double> numbers_of(const std::string& field, const toml::node& node) {
    std::vector<double> out;
    const toml::array* array = node.as_array();
    if (array == nullptr || array->empty()) {
      refuse(ErrorCode::wrong_type, field, node, "must be a list of numbers");
      return out;
    }
    for (const toml::node& item : *array) out.push_back(number(field, item));
    return out;
  }

  void hinge(std::size_t i, const toml::table& table) {
    const std::string path = entry_path("hinge", i);
    motion::BallJoint joint;
    if (!pair(path, table, joint.first, joint.second)) return;
    joint.point = needed(path, table, "point");
    if (!fault_ && !joint.point.allFinite())
      refuse(ErrorCode::out_of_range, join_path(path, "point"), *table.get("point"), "must be finite");
    for (const auto& [key, node] : table)
      if (std::find(joint_keys.begin(), joint_keys.end(), key.str()) == joint_keys.end())
        unknown(path, key.str(), node, joint_keys);
    if (!fault_) out_.joints.push_back(joint);
  }

  void keep_lines(const toml::table& root) {
    const auto keep = [this](const std::string& path, const toml::table& table) {
      out_.lines[path] = line_of(table);
      for (const auto& [key, node] : table) {
        const std::string_view parameter = parameter_name(key.str());
        out_.lines[join_path(path, parameter.empty() ? key.str() : parameter)] = line_of(node);
      }
    };
    for (const auto& [key, node] : root) {
      const std::string name(key.str());
      if (const toml::table* table = node.as_table()) {
        keep(name, *table);
      } else if (const toml::array* array = node.as_array(); array != nullptr && array->is_array_of_tables()) {
        for (std::size_t i = 0; i < array->size(); ++i) keep(entry_path(name, i), *array->get(i)->as_table());
      } else {
        out_.lines[name] = line_of(node);
      }
    }
  }

  void check() {
    MotionScene whole = out_;
    (void)assume_missing(whole);
    if (const auto world = make_world(whole); !world) refuse(world.error(), line_of(out_, world.error()));
  }

  MotionScene out_;
};

}  // namespace

bool is_motion_scene(std::string_view text) {
  const auto root = parse_toml(text);
  if (!root) return false;
  const auto tables = [&](const char* key) { return root->contains(key) && root->get(key)->is_array(); };
  if (!tables("body") && !tables("robot")) return false;
  return !tables("contact") && !root->contains("n") && !root->contains("point") && !root->contains("V");
}

Read<MotionScene> read_motion_scene(std::string_view text, const MeshReader& mesh) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return fault(ErrorCode::missing, "", "", "is empty; a scene needs [[body]] tables", 0);
  const auto root = parse_toml(text);
  if (!root) return tl::unexpected(root.error());
  return MotionReader(mesh).read(*root);
}

}  // namespace ricochet
