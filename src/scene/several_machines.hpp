#pragma once
/// Several mechanisms in one world, each placed and with a name: docs/robots.md (LD6).

#include <memory>
#include <string>
#include <vector>

#include "ricochet/scene/robot_scene.hpp"

namespace ricochet {

struct PlacedMachine {
  std::string name;  ///< before its joints, links and shapes, "dog/hip"; empty: they keep their names
  std::unique_ptr<Machine> machine;
  Vec3 position = Vec3::Zero();  ///< of the origin of its world
  Mat3 rotation = Mat3::Identity();
  VecX q, u;  ///< the default state
};

/// The robot from its file, in the state that the scene gives it, at its place.
[[nodiscard]] Expected<PlacedMachine> open_placed(const PlacedRobot& robot);

[[nodiscard]] std::unique_ptr<Machine> make_several(std::vector<PlacedMachine> machines, const Vec3& gravity);

}  // namespace ricochet
