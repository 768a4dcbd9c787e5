#pragma once
/// A scene that may hold robots beside bodies: docs/robots.md.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/body/rigid_body.hpp"
#include "ricochet/geometry/shape.hpp"
#include "ricochet/scene/machine.hpp"

namespace ricochet {

struct PlacedRobot {
  std::string name, file;                           ///< of a robot, or the name of a bundled system
  Vec3 position = Vec3::Zero();                     ///< of the origin of the file's world [m]
  Quaternion orientation = Quaternion::Identity();  ///< turns axes of the file's world into those of the scene
  std::optional<Vec3> velocity;                     ///< of a root that floats, axes of the scene [m/s]
  std::optional<Vec3> angular_velocity;             ///< as above [rad/s]
  std::string key;                                  ///< keyframe; empty: "home", or the first, or the drawn pose
  std::vector<NamedNumbers> q, u;
  RobotOptions options;
  long long line = 0;
  std::vector<NamedNumbers> sizes = {};  ///< of a bundled system
  double stop_e = 0;                     ///< restitution of the stops of its joints, in motion
};

struct SceneBody {
  std::string name;
  Shape shape;
  RigidBody body;
  long long line = 0;
  std::string material = {};  ///< for laws of pairs of materials; empty: none
};

/// A contact that the scene states.
struct SceneContact {
  StatedContact at;
  std::string law;         ///< empty: the one that is asked
  LawParameters settings;  ///< its own, before those of the scene
};

struct RobotScene {
  std::string title;
  Vec3 gravity = {0, 0, -9.81};  ///< [m/s²]
  std::vector<PlacedRobot> robots;
  std::vector<SceneBody> bodies;
  std::vector<SceneContact> contacts;  ///< empty: contacts are found
  std::optional<std::string> law;
  LawParameters settings;
  std::vector<std::pair<std::string, long long>> lines;  ///< of the law, "law", and of each parameter
};

/// Everything in the scene as one mechanism, with the state that the scene gives as its default. Paths of errors are
/// "robot[1]" and "body[2]".
[[nodiscard]] Expected<std::unique_ptr<Machine>> make_machine(const RobotScene& scene);

}  // namespace ricochet
