#pragma once
/// A scene for motion: bodies with shapes between which contacts are found, the laws of their pairs, gravity, applied
/// forces and hinges (docs/command-line.md).

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/law/law_parameters.hpp"
#include "ricochet/motion/world.hpp"
#include "ricochet/scene/robot_scene.hpp"

namespace ricochet {

/// A law for two bodies, or for all bodies of two materials.
struct ScenePair {
  bool materials = false;
  std::string first, second;
  std::string law;         ///< empty: that of the scene
  LawParameters settings;  ///< its own, before those of the scene
};

/// A force on a joint of a robot, "dog/knee", that turns about one axis or slides along it.
struct SceneJointForce {
  std::string joint;
  std::vector<double> times;   ///< increasing [s]; empty: constant
  std::vector<double> values;  ///< one for each time, or one [N m] or [N]
  std::size_t entry = 0;       ///< among the [[force]] tables, from 0
};

struct MotionScene {
  std::string title;
  Vec3 gravity = {0, 0, -9.81};  ///< [m/s²]
  std::vector<SceneBody> bodies;
  std::vector<PlacedRobot> robots;
  bool robot_file = false;     ///< the scene is a robot file by itself: it gets a floor where it has nothing fixed
  std::optional<double> drop;  ///< height from which the robot of the file falls [m]; absent: as the file has it
  std::vector<SceneJointForce> joint_forces;
  std::string law;         ///< of every pair that has none of its own; empty: not given
  LawParameters settings;  ///< as above
  std::vector<ScenePair> pairs;
  std::vector<motion::AppliedForce> forces;
  std::vector<motion::BallJoint> joints;
  std::optional<double> stiffness;                      ///< [compliance]: of compliant contacts [N/m]
  bool states_contacts = false;                         ///< which are not used: contacts are found
  std::map<std::string, long long, std::less<>> lines;  ///< in the file, of paths like "body[2].mass" and "law.e"
};

/// Fills in what the scene does not say: the law chatterjee-ruina, and 0.5 for e and mu where the law needs them.
/// Returns what was filled in, "law chatterjee-ruina, e = 0.5, mu = 0.5"; empty where nothing was.
[[nodiscard]] std::string assume_missing(MotionScene& scene);

/// Every pair by this law, with its own parameters.
void use_law(MotionScene& scene, std::string_view law);

/// Sets a parameter of every pair.
[[nodiscard]] Expected<void> set_parameter(MotionScene& scene, std::string_view name, const Value& value);

/// What can be simulated. Sliding friction of a lasting contact is the parameter mu of the law, 0 where the law has
/// none; sticking friction is mu_s where that is given, else mu. A [[pair]] of bodies goes before one of materials.
/// Paths of errors are "law.e", "pair[1].mu", "body[2].mass".
/// Robots are read from their files: their links follow the bodies of the scene, "dog/shin". `notes` gets what is to be
/// said of them.
[[nodiscard]] Expected<motion::World> make_world(const MotionScene& scene, std::vector<std::string>* notes = nullptr);

/// The line of an error's path, or of the longest part of it that has one; 0 where none has.
[[nodiscard]] long long line_of(const MotionScene& scene, const Error& error);

/// Bodies that cannot touch anything, since they have no shape.
[[nodiscard]] std::vector<std::string> bodies_without_shape(const MotionScene& scene);

}  // namespace ricochet
