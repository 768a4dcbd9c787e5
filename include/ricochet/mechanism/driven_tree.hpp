#pragma once
/// A robot as it moves between impacts: its tree, what acts on its joints, and what ties links together.

#include <string>
#include <vector>

#include "ricochet/mechanism/articulated.hpp"

namespace ricochet {

struct DrivenTree {
  /// Two points that stay together, as by a ball joint.
  struct Connection {
    int first = -1, second = -1;  ///< links; −1: the world
    Vec3 point = Vec3::Zero();    ///< in the frame of the first
  };

  /// Of a joint with one speed.
  struct Limit {
    int position = 0, speed = 0;
    double lower = 0, upper = 0;
  };

  Tree tree;
  std::vector<int> link_of;  ///< the link of each number in LinkShape::link; −1: the world
  VecX damping;              ///< of each speed
  VecX stiffness, rest;      ///< of each speed, and the position without force; zero for balls and free roots
  VecX dry_friction;         ///< of each speed [N m] or [N]
  std::vector<Limit> limits;
  MatX constraints;  ///< G u = 0, constant; may have no rows
  std::vector<Connection> connections;
  std::vector<std::string> ignored;  ///< what the file has and the motion does not
};

}  // namespace ricochet
