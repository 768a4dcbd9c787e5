#include "ricochet/scene/robot_scene.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "free_bodies.hpp"
#include "ricochet/base/error_path.hpp"
#include "ricochet/scene/bundled_systems.hpp"
#include "ricochet/scene/mechanism_impact.hpp"
#include "several_machines.hpp"

namespace ricochet {
namespace {

/// The pose of the named keyframe, or of home, or of the first, or as drawn; speeds only of a named one.
Expected<void> take_keyframe(const PlacedRobot& robot, PlacedMachine& out) {
  const Machine& machine = *out.machine;
  out.q = machine.default_q();
  out.u = machine.default_u();
  std::string key = robot.key;
  const RobotDescription* description = machine.description();
  if (key.empty() && description != nullptr && !description->keyframes.empty()) {
    const auto& names = description->keyframes;
    key = std::find(names.begin(), names.end(), "home") != names.end() ? "home" : "0";
  }
  if (key.empty()) return {};
  auto keyframe = machine.keyframe(key);
  if (!keyframe) return tl::unexpected(keyframe.error());
  out.q = keyframe->q;
  if (!robot.key.empty()) out.u = keyframe->u;
  return {};
}

/// The velocities of the root, given in axes of the scene. A free joint has its velocity in axes of the file's world
/// and its angular velocity in those of the root.
Expected<void> move_root(const PlacedRobot& robot, PlacedMachine& out) {
  if (!robot.velocity && !robot.angular_velocity) return {};
  const std::vector<FloatingRoot> roots = out.machine->floating_roots();
  if (roots.size() != 1 || !roots[0].free)
    return fail(ErrorCode::conflict, robot.velocity ? "velocity" : "angular_velocity", "",
                fmt::format("goes with a robot that has one floating root, and this one has {}; give its joints u",
                            roots.size() == 1 ? "a slide" : std::to_string(roots.size())));
  const FloatingRoot& root = roots[0];
  if (robot.velocity) out.u.segment<3>(root.speed) = out.rotation.transpose() * *robot.velocity;
  if (robot.angular_velocity) {
    const auto r = out.q.segment<4>(root.position + 3);
    const Mat3 R = Quaternion(r(0), r(1), r(2), r(3)).normalized().toRotationMatrix();
    out.u.segment<3>(root.speed + 3) = (out.rotation * R).transpose() * *robot.angular_velocity;
  }
  return {};
}

/// Whether every shape that moves falls with the free roots.
Expected<bool> floats_as_a_whole(const PlacedMachine& out, const std::vector<FloatingRoot>& roots) {
  VecX falling = VecX::Zero(out.u.size());
  for (const FloatingRoot& root : roots) {
    if (!root.free) return false;
    falling.segment<3>(root.speed) = Vec3::UnitZ();
  }
  auto placed = out.machine->place(out.q, VecX::Zero(out.u.size()));
  if (!placed && placed.error().code == ErrorCode::open_loop) {
    const auto closed = out.machine->close_loops(out.q, {});
    if (!closed) return tl::unexpected(closed.error());
    placed = out.machine->place(*closed, VecX::Zero(out.u.size()));
  }
  if (!placed) return tl::unexpected(placed.error());
  for (const LinkShape& s : out.machine->link_shapes())
    if (!s.fixed && (out.machine->jacobian(s.link, s.shape.position) * falling - Vec3::UnitZ()).norm() > 1e-6)
      return false;
  return true;
}

/// To where the scene puts the robot: by its free roots, or else with the whole world of its file.
Expected<void> move(const PlacedRobot& robot, PlacedMachine& out) {
  const Mat3 R = robot.orientation.toRotationMatrix();
  const std::vector<FloatingRoot> roots = out.machine->floating_roots();
  if (!roots.empty()) {
    const auto floats = floats_as_a_whole(out, roots);
    if (!floats) return tl::unexpected(floats.error());
    if (*floats) {
      for (const FloatingRoot& root : roots) {
        auto at = out.q.segment<7>(root.position);
        const Quaternion turned = robot.orientation * Quaternion(at(3), at(4), at(5), at(6));
        at << robot.position + R * at.head<3>(), turned.w(), turned.x(), turned.y(), turned.z();
        out.u.segment<3>(root.speed) = R * out.u.segment<3>(root.speed);
      }
      return {};
    }
  }
  out.position = robot.position;
  out.rotation = R;
  return {};
}

}  // namespace

Expected<PlacedMachine> open_placed(const PlacedRobot& robot) {
  auto machine = find_bundled(robot.file) != nullptr || !robot.sizes.empty()
                     ? open_machine(robot.file, robot.sizes, robot.options)
                     : open_robot(robot.file, robot.options);
  if (!machine) {
    Error error = machine.error();
    const bool of_sizes = error.path.starts_with("size");
    if (!of_sizes) error.path = error.path == "model" ? "file" : join_path("file", error.path);
    if (error.value.empty()) error.value = robot.file;
    return tl::unexpected(error);
  }
  PlacedMachine out;
  out.name = robot.name;
  out.machine = *std::move(machine);
  if (const auto fine = take_keyframe(robot, out); !fine) return tl::unexpected(fine.error());
  for (const NamedNumbers& numbers : robot.q)
    if (const auto fine = put(*out.machine, numbers, true, out.q); !fine) return tl::unexpected(fine.error());
  if (const auto fine = move(robot, out); !fine) return tl::unexpected(fine.error());
  if (const auto fine = move_root(robot, out); !fine) return tl::unexpected(fine.error());
  for (const NamedNumbers& numbers : robot.u)
    if (const auto fine = put(*out.machine, numbers, false, out.u); !fine) return tl::unexpected(fine.error());
  return out;
}

Expected<std::unique_ptr<Machine>> make_machine(const RobotScene& scene) {
  std::vector<PlacedMachine> all;
  for (std::size_t i = 0; i < scene.robots.size(); ++i) {
    if (find_bundled(scene.robots[i].file) != nullptr)
      return fail(ErrorCode::unavailable, join_path(entry_path("robot", i), "file"), scene.robots[i].file,
                  "is a bundled system: impact takes it by its name alone, simulate in scenes as well");
    auto robot = open_placed(scene.robots[i]);
    if (!robot) return tl::unexpected(under(entry_path("robot", i), robot.error()));
    all.push_back(*std::move(robot));
  }
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const RigidBody& body = scene.bodies[i].body;
    const std::string path = entry_path("body", i);
    if (const auto fine = check(body, path); !fine) return tl::unexpected(fine.error());
    if (body.fixed && !(body.velocity.isZero(0) && body.angular_velocity.isZero(0)))
      return fail(ErrorCode::conflict, join_path(path, body.velocity.isZero(0) ? "angular_velocity" : "velocity"), "",
                  "a fixed body may move only in a scene whose contacts are stated and that has no robots");
  }
  if (!scene.bodies.empty()) {
    PlacedMachine bodies;
    bodies.machine = make_free_bodies(scene.bodies);
    bodies.q = bodies.machine->default_q();
    bodies.u = bodies.machine->default_u();
    all.push_back(std::move(bodies));
  }
  return make_several(std::move(all), scene.gravity);
}

}  // namespace ricochet
