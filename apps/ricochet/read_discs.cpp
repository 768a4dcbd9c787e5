#include "read_discs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "ricochet/base/suggest.hpp"
#include "toml_reader.hpp"

namespace ricochet::app {
namespace {

template <class T>
using Read = tl::expected<T, Fault>;

constexpr std::array<std::string_view, 10> keys{"title", "disc",     "wheel",   "stiffness", "kappa",
                                                "mu",    "drilling", "gravity", "duration",  "tolerance"};
constexpr std::array<std::string_view, 10> disc_keys{"radius",   "half_thickness",  "fillet",   "blend",
                                                     "mass",     "inertia",         "position", "axis",
                                                     "velocity", "angular_velocity"};
constexpr std::array<std::string_view, 11> wheel_keys{"radius",   "mass", "inertia", "load",   "stiffness", "mu",
                                                      "velocity", "spin", "force",   "torque", "deflection"};

tl::unexpected<Fault> refuse(std::string field, std::string value, std::string allowed, long long line) {
  return tl::unexpected(Fault{Error{std::move(field), std::move(value), std::move(allowed)}, line});
}

long long line_of_node(const toml::node& node) { return node.source().begin.line; }

tl::unexpected<Fault> unknown(const std::string& prefix, std::string_view key, std::span<const std::string_view> known,
                              long long line) {
  const std::string_view guess = closest(key, known);
  return refuse(prefix + std::string(key), "",
                guess.empty() ? fmt::format("unknown key; one of {}", fmt::join(known, ", "))
                              : fmt::format("unknown key; did you mean {}?", guess),
                line);
}

/// Infinity is a friction coefficient; what else must be finite the library refuses by its name.
Read<double> number(const std::string& field, const toml::node& node) {
  const std::optional<double> x = node.value<double>();
  if (!node.is_number() || !x) return refuse(field, toml_text(node), "must be a number", line_of_node(node));
  return *x;
}

Read<std::vector<double>> numbers(const std::string& field, const toml::node& node, std::size_t count) {
  const toml::array* list = node.as_array();
  if (list == nullptr || list->size() != count)
    return refuse(field, toml_text(node), fmt::format("must be a list of {} numbers", count), line_of_node(node));
  std::vector<double> out;
  for (const toml::node& item : *list) {
    const auto x = number(field, item);
    if (!x) return tl::unexpected(x.error());
    out.push_back(*x);
  }
  return out;
}

Read<void> read_disc(const toml::table& table, const std::string& prefix, DiscScene& scene) {
  Disc disc;
  std::optional<Vec3> position;
  std::optional<std::vector<double>> inertia;
  const long long here = line_of_node(table);
  for (const std::string_view key : {"radius", "mass"})
    if (!table.contains(key)) return refuse(prefix + std::string(key), "", "missing from the disc", here);
  for (const auto& [key, node] : table) {
    const std::string_view name = key.str();
    const std::string field = prefix + std::string(name);
    if (std::find(disc_keys.begin(), disc_keys.end(), name) == disc_keys.end())
      return unknown(prefix, name, disc_keys, line_of_node(node));
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
          return refuse(field, toml_text(node), "must be finite and not zero", line_of_node(node));
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
  if (scene.wheel) return {std::string(name), "", "does not belong to the top level of a wheel's file"};
  const bool pair = scene.discs.size() == 2;
  if (pair && std::find(keys.begin(), keys.end(), name) != keys.end())
    return {std::string(name), "", "is not read for two discs: no friction, no gravity"};
  return {
      std::string(name), "",
      fmt::format("unknown; one of stiffness, {}duration, tolerance", pair ? "" : "kappa, mu, drilling, gravity, ")};
}

Read<void> read_bodies(const toml::table& root, DiscScene& scene) {
  const toml::node* discs = root.get("disc");
  const toml::node* wheel = root.get("wheel");
  if ((discs == nullptr) == (wheel == nullptr))
    return refuse("disc", "", "must be one [[disc]], two of them, or a [wheel]", 0);
  if (wheel != nullptr) {
    const toml::table* table = wheel->as_table();
    if (table == nullptr) return refuse("wheel", "", "must be a table", line_of_node(*wheel));
    scene.wheel.emplace();
    for (const std::string_view key : {"radius", "mass", "inertia", "load", "stiffness", "mu"})
      if (!table->contains(key)) return refuse(std::string(key), "", "missing from the wheel", line_of_node(*wheel));
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
    return refuse("disc", "", "must be one [[disc]] or two", line_of_node(*discs));
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string prefix = list->size() == 1 ? "" : i == 0 ? "A." : "B.";
    if (const auto fine = read_disc(*list->get(i)->as_table(), prefix, scene); !fine) return fine;
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
      if (text == nullptr) return refuse("title", toml_text(node), "must be a string", line_of_node(node));
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
    if (place == nullptr) {
      Error error = not_here(scene, name);
      if (scene.wheel) error.allowed = fmt::format("unknown; one of duration, {}", fmt::join(wheel_keys, ", "));
      return tl::unexpected(Fault{std::move(error), -1});
    }
    *place = value;
    std::erase_if(scene.lines, [&key = name](const auto& entry) { return entry.first == key; });
    scene.lines.emplace_back(name, -1);
  }
  if (!scene.wheel && scene.line_of("stiffness") == 0) return refuse("stiffness", "", "missing", 0);
  if (scene.wheel && scene.line_of("duration") == 0) return refuse("duration", "", "missing", 0);
  return scene;
}

}  // namespace

long long DiscScene::line_of(std::string_view field) const {
  for (const auto& [name, line] : lines)
    if (name == field) return line;
  return 0;
}

tl::expected<DiscScene, Fault> read_discs(std::string_view text,
                                          const std::vector<std::pair<std::string, double>>& settings) {
  const auto root = parse_toml(text);
  if (!root) return tl::unexpected(root.error());
  return from_table(*root, settings);
}

}  // namespace ricochet::app
