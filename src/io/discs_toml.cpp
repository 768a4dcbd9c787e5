#include "ricochet/io/discs_toml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "io/toml_reader.hpp"
#include "ricochet/base/error_path.hpp"
#include "ricochet/base/suggest.hpp"

namespace ricochet {
namespace {

constexpr std::array<std::string_view, 10> keys{"title", "disc",     "wheel",   "stiffness", "kappa",
                                                "mu",    "drilling", "gravity", "duration",  "tolerance"};
constexpr std::array<std::string_view, 10> disc_keys{"radius",   "half_thickness",  "fillet",   "blend",
                                                     "mass",     "inertia",         "position", "axis",
                                                     "velocity", "angular_velocity"};
constexpr std::array<std::string_view, 11> wheel_keys{"radius",   "mass", "inertia", "load",   "stiffness", "mu",
                                                      "velocity", "spin", "force",   "torque", "deflection"};

long long line_of_node(const toml::node& node) { return node.source().begin.line; }

tl::unexpected<Fault> unknown(const std::string& path, std::string_view key, std::span<const std::string_view> known,
                              long long line) {
  return fault(ErrorCode::unknown_name, join_path(path, key_step(key)), "", with_suggestion("unknown key", key, known),
               line);
}

/// Infinity is a valid friction coefficient; for other fields the library reports it.
Read<double> number(const std::string& field, const toml::node& node) {
  const std::optional<double> x = node.value<double>();
  if (!node.is_number() || !x)
    return fault(ErrorCode::wrong_type, field, toml_text(node), "must be a number", line_of_node(node));
  return *x;
}

Read<std::vector<double>> numbers(const std::string& field, const toml::node& node, std::size_t count) {
  const toml::array* list = node.as_array();
  if (list == nullptr || list->size() != count)
    return fault(ErrorCode::wrong_type, field, toml_text(node), fmt::format("must be a list of {} numbers", count),
                 line_of_node(node));
  std::vector<double> out;
  for (const toml::node& item : *list) {
    const auto x = number(field, item);
    if (!x) return tl::unexpected(x.error());
    out.push_back(*x);
  }
  return out;
}

Read<void> read_disc(const toml::table& table, const std::string& path, DiscScene& scene) {
  Disc disc;
  std::optional<Vec3> position;
  std::optional<std::vector<double>> inertia;
  const long long here = line_of_node(table);
  for (const std::string_view key : {"radius", "mass"})
    if (!table.contains(key)) return fault(ErrorCode::missing, join_path(path, key), "", "missing from the disc", here);
  for (const auto& [key, node] : table) {
    const std::string_view name = key.str();
    const std::string field = join_path(path, name);
    if (std::find(disc_keys.begin(), disc_keys.end(), name) == disc_keys.end())
      return unknown(path, name, disc_keys, line_of_node(node));
    scene.lines.emplace_back(field, line_of_node(node));
    if (name == "inertia") {
      auto list = numbers(field, node, 2);
      if (!list) return tl::unexpected(list.error());
      inertia = *std::move(list);
    } else if (name == "position" || name == "axis" || name == "velocity" || name == "angular_velocity") {
      const auto list = numbers(field, node, 3);
      if (!list) return tl::unexpected(list.error());
      const Vec3 v((*list)[0], (*list)[1], (*list)[2]);
      if (name == "position") position = v;
      if (name == "velocity") disc.velocity = v;
      if (name == "angular_velocity") disc.angular_velocity = v;
      if (name == "axis") {
        if (!v.allFinite() || !(v.norm() > 0))
          return fault(ErrorCode::out_of_range, field, toml_text(node), "must be finite and not zero",
                       line_of_node(node));
        disc.axis = v.normalized();
      }
    } else {
      const auto x = number(field, node);
      if (!x) return tl::unexpected(x.error());
      (name == "radius"           ? disc.shape.radius
       : name == "half_thickness" ? disc.shape.half_thickness
       : name == "fillet"         ? disc.shape.fillet
       : name == "blend"          ? disc.shape.blend
                                  : disc.mass) = *x;
    }
  }
  const Disc solid = solid_disc(disc.mass, disc.shape);
  disc.axial_inertia = inertia ? (*inertia)[0] : solid.axial_inertia;
  disc.transverse_inertia = inertia ? (*inertia)[1] : solid.transverse_inertia;
  // Without a position it lies on the plane.
  disc.position = position ? *position : Vec3(0, 0, support(disc.shape, disc.axis, -Vec3::UnitZ()).h);
  if (const auto fine = check(disc, path); !fine)
    return tl::unexpected(Fault{fine.error(), scene.line_of(fine.error().path)});
  scene.discs.push_back(disc);
  return {};
}

double* wheel_number(Wheel& wheel, std::string_view name) {
  const std::array<double*, 11> places{&wheel.radius,    &wheel.mass,   &wheel.inertia,   &wheel.load,
                                       &wheel.stiffness, &wheel.mu,     &wheel.velocity,  &wheel.spin,
                                       &wheel.force,     &wheel.torque, &wheel.deflection};
  const auto found = std::find(wheel_keys.begin(), wheel_keys.end(), name);
  return found == wheel_keys.end() ? nullptr : places[static_cast<std::size_t>(found - wheel_keys.begin())];
}

double* run_number(DiscScene& scene, std::string_view name) {
  if (name == "duration") return &scene.run.duration;
  if (scene.wheel) return wheel_number(*scene.wheel, name);
  if (name == "tolerance") return &scene.run.tolerance;
  if (name == "stiffness") return &scene.contact.stiffness;
  if (scene.discs.size() == 2) return nullptr;
  if (name == "kappa") return &scene.contact.kappa;
  if (name == "mu") return &scene.contact.mu;
  if (name == "drilling") return &scene.contact.drilling;
  return name == "gravity" ? &scene.run.gravity : nullptr;
}

Error not_here(const DiscScene& scene, std::string_view name) {
  const bool known = std::find(keys.begin() + 3, keys.end(), name) != keys.end();  // the first three are no numbers
  if (scene.wheel && known)
    return {ErrorCode::conflict, std::string(name), "", "does not belong to the top level of a wheel's file"};
  if (known) return {ErrorCode::conflict, std::string(name), "", "is not read for two discs: no friction, no gravity"};
  std::vector<std::string_view> numbers;
  for (const std::string_view key : scene.wheel ? std::span<const std::string_view>(wheel_keys) : keys)
    if (DiscScene copy = scene; run_number(copy, key) != nullptr) numbers.push_back(key);
  if (scene.wheel) numbers.emplace_back("duration");
  return {ErrorCode::unknown_name, key_step(name), "", with_suggestion("unknown key", name, numbers)};
}

Read<void> read_bodies(const toml::table& root, DiscScene& scene) {
  const toml::node* discs = root.get("disc");
  const toml::node* wheel = root.get("wheel");
  if ((discs == nullptr) == (wheel == nullptr))
    return fault(discs == nullptr ? ErrorCode::missing : ErrorCode::conflict, "disc", "",
                 "must be one [[disc]], two of them, or a [wheel]", 0);
  if (wheel != nullptr) {
    const toml::table* table = wheel->as_table();
    if (table == nullptr)
      return fault(ErrorCode::wrong_type, "wheel", toml_text(*wheel), "must be a table", line_of_node(*wheel));
    scene.wheel.emplace();
    for (const std::string_view key : {"radius", "mass", "inertia", "load", "stiffness", "mu"})
      if (!table->contains(key))
        return fault(ErrorCode::missing, std::string(key), "", "missing from the wheel", line_of_node(*wheel));
    for (const auto& [key, node] : *table) {
      double* place = wheel_number(*scene.wheel, key.str());
      if (place == nullptr) return unknown("", key.str(), wheel_keys, line_of_node(node));
      const auto x = number(std::string(key.str()), node);
      if (!x) return tl::unexpected(x.error());
      *place = *x;
      scene.lines.emplace_back(key.str(), line_of_node(node));
    }
    return {};
  }
  const toml::array* list = discs->as_array();
  if (list == nullptr || list->empty() || list->size() > 2 || !list->is_array_of_tables())
    return fault(ErrorCode::wrong_type, "disc", toml_text(*discs), "must be one [[disc]] or two", line_of_node(*discs));
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string path = list->size() == 1 ? "" : entry_path("disc", i);
    if (const auto fine = read_disc(*list->get(i)->as_table(), path, scene); !fine) return fine;
  }
  return {};
}

Read<DiscScene> from_table(const toml::table& root, const std::vector<std::pair<std::string, double>>& settings) {
  DiscScene scene;
  for (const auto& [key, node] : root)
    if (std::find(keys.begin(), keys.end(), key.str()) == keys.end())
      return unknown("", key.str(), keys, line_of_node(node));
  if (const auto fine = read_bodies(root, scene); !fine) return tl::unexpected(fine.error());
  for (const auto& [key, node] : root) {
    const std::string name(key.str());
    if (name == "disc" || name == "wheel") continue;
    if (name == "title") {
      const toml::value<std::string>* text = node.as_string();
      if (text == nullptr)
        return fault(ErrorCode::wrong_type, "title", toml_text(node), "must be a string", line_of_node(node));
      scene.title = text->get();
      continue;
    }
    double* place = scene.wheel && name != "duration" ? nullptr : run_number(scene, name);
    if (place == nullptr) return tl::unexpected(Fault{not_here(scene, name), line_of_node(node)});
    const auto x = number(name, node);
    if (!x) return tl::unexpected(x.error());
    *place = *x;
    scene.lines.emplace_back(name, line_of_node(node));
  }
  for (const auto& [name, value] : settings) {
    double* place = run_number(scene, name);
    if (place == nullptr) return tl::unexpected(Fault{not_here(scene, name), -1});
    *place = value;
    std::erase_if(scene.lines, [&key = name](const auto& entry) { return entry.first == key; });
    scene.lines.emplace_back(name, -1);
  }
  if (!scene.wheel && scene.line_of("stiffness") == 0) return fault(ErrorCode::missing, "stiffness", "", "missing", 0);
  if (scene.wheel && scene.line_of("duration") == 0) return fault(ErrorCode::missing, "duration", "", "missing", 0);
  return scene;
}

}  // namespace

Read<DiscScene> read_discs(std::string_view text, const std::vector<std::pair<std::string, double>>& settings) {
  const auto root = parse_toml(text);
  if (!root) return tl::unexpected(root.error());
  return from_table(*root, settings);
}

}  // namespace ricochet
