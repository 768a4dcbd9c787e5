#include "ricochet/io/open_scene.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "ricochet/base/error_path.hpp"
#include "ricochet/base/suggest.hpp"
#include "ricochet/io/input.hpp"
#include "ricochet/io/motion_toml.hpp"
#include "ricochet/io/named_scene.hpp"
#include "ricochet/io/scene_toml.hpp"
#include "ricochet/io/text.hpp"
#include "ricochet/scene/bundled_scenes.hpp"
#include "ricochet/scene/bundled_systems.hpp"
#include "ricochet/scene/mechanism_impact.hpp"

namespace ricochet {
namespace {

tl::unexpected<Fault> fault_of(const std::string& file, const Error& error) {
  return tl::unexpected(Fault{error, 0, file});
}

bool is_file(const std::string& name) { return name == "-" || access(name.c_str(), F_OK) == 0; }

}  // namespace

bool is_bundled_scene(const std::string& name) { return !is_file(name) && named_scene(name).has_value(); }

namespace {

/// A bundled scene; nothing where the name is that of a file.
std::optional<Read<Scene>> bundled_scene(const std::string& name) {
  if (is_file(name)) return std::nullopt;
  if (auto bundled = named_scene(name)) {
    if (!*bundled) return fault_of(name, bundled->error());
    return *std::move(*bundled);
  }
  if (name.find('/') != std::string::npos || name.ends_with(".toml")) return std::nullopt;
  std::vector<std::string_view> names;
  for (const NamedScene& known : named_scenes()) names.push_back(known.name);
  return fault_of(name,
                  Error{ErrorCode::unknown_name, "", "",
                        with_suggestion("neither a file nor a bundled scene", name.substr(0, name.find(':')), names)});
}

template <class Reader>
auto read_file(const std::string& name, Reader reader) -> decltype(reader("")) {
  Expected<Input> input = Input::open(name);
  if (!input) return fault_of(name, input.error());
  const Expected<std::string> text = input->rest(scene_limit);
  if (!text) return fault_of(input->name(), text.error());
  auto scene = reader(*text);
  if (!scene) scene.error().file = input->name();
  return scene;
}

MeshReader meshes_beside(const std::string& file) {
  return meshes_in(file == "-" ? "" : std::filesystem::path(file).parent_path().string());
}

/// Files of robots are beside that of the scene.
template <class WithRobots>
WithRobots beside(const std::string& file, WithRobots scene) {
  using std::filesystem::path;
  const path folder = file == "-" ? path() : path(file).parent_path();
  for (PlacedRobot& robot : scene.robots) {
    const path file_beside = folder / robot.file;
    if (find_bundled(robot.file) == nullptr || is_file(file_beside.string())) robot.file = file_beside.string();
    for (auto& [name, where] : robot.options.packages) where = (folder / where).string();
  }
  return scene;
}

/// A robot file by itself.
MotionScene of_robot(const std::string& file) {
  MotionScene out;
  out.title = std::filesystem::path(file).stem().string();
  PlacedRobot robot;
  robot.file = file;
  out.robots.push_back(std::move(robot));
  out.robot_file = true;
  return out;
}

/// A bundled system by itself, with the gravity that it has.
MotionScene of_system(const std::string& name) {
  MotionScene out = of_robot(name);
  if (const auto machine = open_machine(name, {})) out.gravity = (*machine)->gravity();
  return out;
}

}  // namespace

Read<Scene> open_scene(const std::string& name) {
  if (auto bundled = bundled_scene(name)) return *std::move(bundled);
  return read_file(name, [](std::string_view text) { return read_scene(text); });
}

Read<std::variant<Scene, RobotScene>> open_any_scene(const std::string& name) {
  using Any = std::variant<Scene, RobotScene>;
  if (auto bundled = bundled_scene(name)) return bundled->map([](const Scene& scene) { return Any(scene); });
  auto any = read_file(name, [&](std::string_view text) { return read_any_scene(text, meshes_beside(name)); });
  if (any)
    if (auto* robots = std::get_if<RobotScene>(&*any)) *robots = beside(name, std::move(*robots));
  return any;
}

Read<RobotScene> open_robot_scene(const std::string& file) {
  return read_file(file, [&](std::string_view text) { return read_robot_scene(text, meshes_beside(file)); })
      .map([&](RobotScene&& scene) { return beside(file, std::move(scene)); });
}

Read<MotionScene> open_motion_scene(const std::string& name) {
  if (!is_file(name)) {
    for (const BundledScene& motion : bundled_motions()) {
      if (motion.name != name) continue;
      auto scene = read_motion_scene(motion.text);
      if (!scene) scene.error().file = name;
      return scene;
    }
    if (auto bundled = named_scene(name)) {
      if (!*bundled) return fault_of(name, bundled->error());
      auto scene = read_motion_scene(write_toml(**bundled));
      if (!scene) {
        scene.error().file = name;
        return scene;
      }
      // The law of its contacts, of which the first is like all others in the bundled scenes.
      if (!(*bundled)->laws.empty()) {
        scene->law = (*bundled)->laws.front();
        scene->settings = (*bundled)->settings.front();
      }
      scene->lines.clear();
      return scene;
    }
    if (find_bundled(name) != nullptr) return of_system(name);
    if (name.find('/') == std::string::npos && !name.ends_with(".toml")) {
      std::vector<std::string_view> names;
      for (const Bundled& system : bundled_systems()) names.push_back(system.name);
      for (const BundledScene& motion : bundled_motions()) names.push_back(motion.name);
      for (const NamedScene& known : named_scenes()) names.push_back(known.name);
      return fault_of(name, Error{ErrorCode::unknown_name, "", "",
                                  with_suggestion("neither a file nor a bundled scene or system", name, names)});
    }
  }
  if (name != "-" && is_mechanism(name)) return of_robot(name);
  return read_file(name, [&](std::string_view text) { return read_motion_scene(text, meshes_beside(name)); })
      .map([&](MotionScene&& scene) { return beside(name, std::move(scene)); });
}

long long line_of(const Scene& scene, const Error& error) {
  const std::vector<PathStep> steps = path_steps(error.path);
  if (steps.empty() || steps[0].entry == 0) return 0;
  for (const auto& [list, lines] : {std::pair{std::string_view("contact"), &scene.contact_lines},
                                    std::pair{std::string_view("hinge"), &scene.hinge_lines}})
    if (steps[0].name == list && steps[0].entry <= lines->size()) return (*lines)[steps[0].entry - 1];
  return 0;
}

}  // namespace ricochet
