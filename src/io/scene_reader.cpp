#include "io/scene_reader.hpp"

#include <cmath>
#include <filesystem>

#include "io/toml_numbers.hpp"
#include "ricochet/geometry/height_field.hpp"
#include "ricochet/geometry/hull_inertia.hpp"

namespace ricochet {
namespace {

constexpr std::array<std::string_view, 13> robot_keys{
    "name", "file", "position", "orientation", "velocity", "angular_velocity", "key", "q",
    "u",    "size", "base",     "packages",    "stop_e"};

constexpr std::array<std::string_view, 17> scene_body_keys{
    "name",   "mass",   "fixed", "inertia",  "position", "orientation", "velocity", "angular_velocity", "shape",
    "radius", "length", "size",  "material", "file",     "scale",       "points",   "heights"};

}  // namespace

std::string SceneReader::word(std::string_view field, const toml::node& node) {
  std::string text = string(field, node);
  if (!fault_ && text.empty()) refuse(ErrorCode::out_of_range, field, node, "must not be empty");
  return text;
}
Vec3 SceneReader::finite(std::string_view field, const toml::node& node) {
  const Vec3 x = vector(field, node);
  if (!fault_ && !x.allFinite()) refuse(ErrorCode::out_of_range, field, node, "must be finite");
  return x;
}

void SceneReader::default_law(const toml::table& root) {
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

void SceneReader::parameter(std::string_view path, std::string_view key, const toml::node& node,
                            LawParameters& settings, const toml::table& table, std::span<const std::string_view> own) {
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

void SceneReader::body(std::size_t i, const toml::table& table) {
  RigidBody body;
  Shape shape;
  std::string name = fmt::format("body {}", i + 1);
  std::string material;
  long long name_line = line_of(table);
  const std::string path = entry_path("body", i);
  for (const auto& [key, node] : table) {
    const std::string field = join_path(path, key.str());
    if (key == "name") {
      name = string(field, node);
      name_line = line_of(node);
      if (!fault_ && name.empty()) refuse(ErrorCode::out_of_range, field, node, "must not be empty");
    } else if (key == "material") {
      material = word(field, node);
    } else if (key == "file" || key == "scale" || key == "points" || key == "heights") {
      // Of a mesh or a height field, which is read when the whole table is known.
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
  if (fault_) return;
  const bool known_inertia = has_inertia(shape.kind);
  for (const char* needed : {"mass", "inertia"}) {
    const bool given = table.contains(needed) || (std::string_view(needed) == "inertia" && known_inertia);
    if (!body.fixed && !given)
      return refuse(ErrorCode::missing, join_path(path, needed), "",
                    "missing; a body needs mass and inertia (or a shape that determines it), or fixed = true",
                    line_of(table));
  }
  if (shape.kind == Shape::Kind::mesh) read_hull(path, table, shape);
  if (shape.kind == Shape::Kind::height_field) {
    if (!body.fixed || !body.velocity.isZero(0) || !body.angular_velocity.isZero(0))
      return refuse(ErrorCode::conflict, join_path(path, "shape"), *table.get("shape"),
                    "its body must have fixed = true and no velocity");
    read_field(path, table, shape);
  }
  if (fault_) return;
  if (!table.contains("inertia")) {
    if (shape.kind == Shape::Kind::mesh) {
      if (shape.hull->faces.empty())
        return refuse(ErrorCode::unavailable, join_path(path, "inertia"), "",
                      "missing; to find it, this program would have to be built with libqhull-dev", line_of(table));
      const HullMass mass = mass_of(*shape.hull);
      shape.hull = std::make_shared<const Hull>(moved(*shape.hull, -mass.centroid));
      if (!body.fixed) body.inertia = body.mass * mass.inertia;
    } else if (!body.fixed) {
      body.inertia = homogeneous_inertia(shape, body.mass).asDiagonal();
    }
  }
  const auto [there, added] = index_.emplace(name, i);
  if (!added)
    return refuse(ErrorCode::conflict, join_path(path, "name"), fmt::format("\"{}\"", name),
                  there->second == a_robot ? "is taken by a robot; names must differ"
                                           : fmt::format("is taken by body {}; names must differ", there->second + 1),
                  name_line);
  scene_.names.push_back(std::move(name));
  scene_.shapes.push_back(std::move(shape));
  materials_.push_back(std::move(material));
  scene_.arrangement.bodies.push_back(body);
}

Shape::Kind SceneReader::kind(std::string_view field, const toml::node& node) {
  using enum Shape::Kind;
  const std::string word = string(field, node);
  for (const Shape::Kind kind :
       {sphere, box, rod, plane, capsule, cylinder, disc, wheel, ellipsoid, mesh, height_field})
    if (word == name(kind)) return kind;
  refuse(ErrorCode::out_of_range, field, node,
         "must be sphere, box, rod, plane, capsule, cylinder, disc, wheel, ellipsoid, mesh or height-field");
  return none;
}
double SceneReader::length(std::string_view field, const toml::node& node) {
  const double x = number(field, node);
  if (!fault_ && !(x > 0 && std::isfinite(x)))
    refuse(ErrorCode::out_of_range, field, node, "must be positive and finite");
  return x;
}
void SceneReader::check_shape(const std::string& path, const toml::table& table, const Shape& shape) {
  using enum Shape::Kind;
  const auto needs = [&](bool wanted, const char* key, const char* of) {
    if (wanted && !table.contains(key))
      refuse(ErrorCode::missing, join_path(path, key), "", fmt::format("missing; a {} has one", of), line_of(table));
  };
  const std::string of(name(shape.kind));
  const bool round_bar = shape.kind == capsule || shape.kind == cylinder || shape.kind == wheel;
  needs(shape.kind == sphere || shape.kind == disc || round_bar, "radius", of.c_str());
  needs(shape.kind == box || shape.kind == ellipsoid || shape.kind == height_field, "size", of.c_str());
  needs(shape.kind == height_field, "heights", of.c_str());
  needs(shape.kind == rod || round_bar, "length", of.c_str());
  needs(shape.kind == mesh && !table.contains("points"), "file", of.c_str());
  for (const char* key : {"file", "scale", "points"})
    if (const toml::node* node = shape.kind == mesh ? nullptr : table.get(key))
      refuse(ErrorCode::conflict, join_path(path, key), *node, "belongs to a mesh");
  if (const toml::node* node = shape.kind == height_field ? nullptr : table.get("heights"))
    refuse(ErrorCode::conflict, join_path(path, "heights"), *node, "belongs to a height-field");
  if (const toml::node* node = shape.kind == disc ? table.get("length") : nullptr)
    refuse(ErrorCode::conflict, join_path(path, "length"), *node, "a disc has none; a cylinder has");
  if (const toml::node* node = shape.kind == wheel ? table.get("length") : nullptr)
    if (!(shape.length < 2 * shape.radius))
      refuse(ErrorCode::out_of_range, join_path(path, "length"), *node,
             "the width of the tyre must be less than 2 radius");
  if (shape.kind != none) return;
  for (const char* key : {"radius", "size", "length"})
    if (const toml::node* node = table.get(key))
      refuse(ErrorCode::conflict, join_path(path, key), *node, "belongs to a shape, and none is named");
}

void SceneReader::read_hull(const std::string& path, const toml::table& table, Shape& shape) {
  const toml::node* listed = table.get("points");
  const char* key = listed != nullptr ? "points" : "file";
  const toml::node& node = *table.get(key);
  if (listed != nullptr && table.contains("file"))
    return refuse(ErrorCode::conflict, join_path(path, "file"), *table.get("file"), "goes without points");
  double scale = 1;
  if (const toml::node* given = table.get("scale")) scale = length(join_path(path, "scale"), *given);
  std::vector<Vec3> points;
  std::string file;
  if (listed != nullptr) {
    points = corners(join_path(path, key), node);
  } else {
    file = word(join_path(path, key), node);
  }
  if (fault_) return;
  if (listed == nullptr && !mesh_)
    return refuse(ErrorCode::conflict, join_path(path, "shape"), *table.get("shape"),
                  "goes with simulate and impact, and with scenes that are files");
  auto hull = listed != nullptr ? hull_of(points) : mesh_(file);
  if (!hull) return refuse(hull.error().code, join_path(path, key), node, hull.error().allowed);
  shape.hull = std::make_shared<const Hull>(scale == 1 ? *std::move(hull) : scaled(*std::move(hull), scale));
}

void SceneReader::read_field(const std::string& path, const toml::table& table, Shape& shape) {
  const std::string field = join_path(path, "heights");
  const toml::node& node = *table.get("heights");
  const toml::array* rows = node.as_array();
  const auto wrong = [&] {
    refuse(ErrorCode::wrong_type, field, node, "must be at least two rows of at least two heights each, all as long");
  };
  if (rows == nullptr || rows->size() < 2) return wrong();
  auto out = std::make_shared<HeightField>();
  out->rows = static_cast<int>(rows->size());
  out->half_x = 0.5 * shape.size.x();
  out->half_y = 0.5 * shape.size.y();
  out->base = shape.size.z();
  for (const toml::node& item : *rows) {
    const toml::array* row = item.as_array();
    if (row == nullptr || row->size() < 2) return wrong();
    if (out->columns == 0) out->columns = static_cast<int>(row->size());
    if (static_cast<int>(row->size()) != out->columns) return wrong();
    for (const toml::node& height : *row) {
      const double z = number(field, height);
      if (fault_) return;
      if (!(std::isfinite(z) && z > -out->base))
        return refuse(ErrorCode::out_of_range, field, height,
                      fmt::format("must be finite and above the base, {} below z = 0", to_text(out->base)));
      out->heights.push_back(z);
    }
  }
  shape.hull = std::make_shared<const Hull>(hull_of(*out));
  shape.field = std::move(out);
}

std::vector<Vec3> SceneReader::corners(const std::string& field, const toml::node& node) {
  std::vector<Vec3> out;
  const toml::array* array = node.as_array();
  if (array == nullptr || array->size() < 4) {
    refuse(ErrorCode::wrong_type, field, node, "must be at least four points");
    return out;
  }
  for (const toml::node& item : *array) out.push_back(finite(field, item));
  return out;
}

std::optional<std::pair<std::string, std::string>> SceneReader::two_names(const std::string& what,
                                                                          const toml::table& table, const char* key) {
  const toml::node* node = table.get(key);
  const std::string field = join_path(what, key);
  if (node == nullptr) {
    refuse(ErrorCode::missing, field, "", fmt::format("missing; two names of {}", key), line_of(table));
    return std::nullopt;
  }
  const toml::array* array = node->as_array();
  const auto is_string = [](const toml::node& item) { return item.is_string(); };
  if (array == nullptr || array->size() != 2 || !std::all_of(array->begin(), array->end(), is_string)) {
    refuse(ErrorCode::wrong_type, field, *node, fmt::format("must be the names of two {}", key));
    return std::nullopt;
  }
  return std::pair(array->get(0)->as_string()->get(), array->get(1)->as_string()->get());
}

std::optional<std::size_t> SceneReader::find_body(const std::string& field, const std::string& name,
                                                  const toml::node& node) {
  const auto at = index_.find(name);
  if (at != index_.end()) return at->second;
  const std::vector<std::string_view> known(scene_.names.begin(), scene_.names.end());
  const std::string_view guess = known.size() <= 1000 ? closest(name, known) : std::string_view{};
  refuse(ErrorCode::unknown_name, field, fmt::format("\"{}\"", name),
         guess.empty() ? "no body has this name" : fmt::format("no body has this name; did you mean {}?", guess),
         line_of(node));
  return std::nullopt;
}

bool SceneReader::pair(const std::string& what, const toml::table& table, std::size_t& first, std::size_t& second) {
  const auto names = two_names(what, table);
  if (!names) return false;
  const toml::array* array = table.get("bodies")->as_array();
  for (std::size_t k = 0; k < 2; ++k) {
    const auto at = find_body(join_path(what, "bodies"), k == 0 ? names->first : names->second, *array->get(k));
    if (!at) return false;
    (k == 0 ? first : second) = *at;
  }
  return true;
}

Vec3 SceneReader::needed(const std::string& what, const toml::table& table, const char* key) {
  const std::string field = join_path(what, key);
  if (const toml::node* node = table.get(key)) return vector(field, *node);
  refuse(ErrorCode::missing, field, "", "missing; three numbers", line_of(table));
  return Vec3::Zero();
}

std::optional<PlacedRobot> SceneReader::robot(std::size_t i, const toml::table& table) {
  PlacedRobot out;
  out.line = line_of(table);
  const std::string path = entry_path("robot", i);
  for (const auto& [key, node] : table) {
    const std::string field = join_path(path, key.str());
    if (key == "name" || key == "file" || key == "key") {
      (key == "name" ? out.name : key == "file" ? out.file : out.key) = word(field, node);
    } else if (key == "position") {
      out.position = finite(field, node);
    } else if (key == "orientation") {
      out.orientation = orientation(field, node);
    } else if (key == "velocity" || key == "angular_velocity") {
      (key == "velocity" ? out.velocity : out.angular_velocity) = finite(field, node);
    } else if (key == "q" || key == "u" || key == "size") {
      auto list = toml_named_numbers(field, node);
      if (!list) {
        refuse(list.error().error, list.error().line);
      } else {
        (key == "q" ? out.q : key == "u" ? out.u : out.sizes) = *std::move(list);
      }
    } else if (key == "base") {
      const std::string base = word(field, node);
      if (!fault_ && base != "free" && base != "fixed")
        refuse(ErrorCode::out_of_range, field, node, "must be free or fixed");
      out.options.free_base = base == "free";
    } else if (key == "packages") {
      packages(field, node, out.options);
    } else if (key == "stop_e") {
      out.stop_e = number(field, node);
      if (!fault_ && !(out.stop_e >= 0 && out.stop_e <= 1))
        refuse(ErrorCode::out_of_range, field, node, "must be in [0, 1]");
    } else {
      unknown(path, key.str(), node, robot_keys);
    }
  }
  if (fault_) return std::nullopt;
  if (out.file.empty()) {
    refuse(ErrorCode::missing, join_path(path, "file"), "", "missing; the name of a robot file or of a bundled system",
           out.line);
    return std::nullopt;
  }
  if (out.name.empty()) out.name = std::filesystem::path(out.file).stem().string();
  take_robot_name(out.name, path, line_of(table.contains("name") ? *table.get("name") : table));
  if (fault_) return std::nullopt;
  return out;
}

void SceneReader::packages(std::string_view field, const toml::node& node, RobotOptions& options) {
  const toml::table* table = node.as_table();
  if (table == nullptr)
    return refuse(ErrorCode::wrong_type, field, node, "must be a table of folders by the names of packages");
  for (const auto& [name, folder] : *table)
    options.packages[std::string(name.str())] = word(join_path(field, key_step(name.str())), folder);
}

void SceneReader::take_robot_name(const std::string& name, const std::string& path, long long line) {
  if (name == "world")
    return refuse(ErrorCode::conflict, join_path(path, "name"), "\"world\"", "is what all fixed things are", line);
  if (!index_.emplace(name, a_robot).second)
    refuse(ErrorCode::conflict, join_path(path, "name"), fmt::format("\"{}\"", name),
           "is taken; names of robots and bodies must differ", line);
}

}  // namespace ricochet
