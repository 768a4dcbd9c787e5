#pragma once
/// Mechanisms that every library here is given alike: made by rule, so that no file format comes between them. Joints
/// are hinges, besides a free trunk; link frames are parallel at q = 0. Reads as C++17, for Simbody's sake.

#include <cmath>
#include <string>
#include <vector>

#include "ricochet/mechanism/articulated.hpp"

namespace ricochet::bench {

struct Robot {
  std::string name;
  Tree tree;
  std::vector<VecX> q;  ///< two configurations that differ by 1e-6: taken in turn, so that no library reuses its last
  VecX u;
  int foot = 0;  ///< link that strikes
  Vec3 sole;     ///< where, in its frame
  [[nodiscard]] int dof() const { return tree.speed_count(); }
};

namespace robots_detail {

inline Link limb_link(int parent, int k, const Vec3& position, double length) {
  Link link;
  link.name = "link" + std::to_string(k);
  link.parent = parent;
  link.joint = JointType::revolute;
  const Vec3 axes[] = {Vec3::UnitY(), Vec3::UnitX(), Vec3::UnitY()};
  link.axis = axes[k % 3];
  link.position = position;
  // Masses and moments of no symmetry, all physically possible.
  link.mass = 1 + 0.3 * std::sin(k);
  link.centre = Vec3(0.01 * std::cos(k), 0.02 * std::sin(2 * k), -length / 2);
  link.inertia = (link.mass * length * length * Vec3(0.09, 0.08 + 0.01 * std::cos(k), 0.02)).asDiagonal();
  return link;
}

inline Robot posed(Robot robot) {
  const int positions = robot.tree.position_count(), speeds = robot.dof();
  VecX q(positions), u(speeds);
  for (int i = 0; i < positions; ++i) q(i) = 0.3 * std::sin(1.0 + 0.7 * i);
  for (int i = 0; i < speeds; ++i) u(i) = 0.5 * std::cos(0.4 * i);
  if (robot.tree.links[0].joint == JointType::free) q.segment<4>(3) = q.segment<4>(3).normalized();
  robot.q = {q, q};
  robot.q[1](positions - 1) += 1e-6;
  robot.u = u;
  return robot;
}

}  // namespace robots_detail

/// `count` links in a row from the world.
inline Robot chain(const std::string& name, int count, double length) {
  Robot robot;
  robot.name = name;
  robot.foot = count - 1;
  robot.sole = Vec3(0, 0, -length);
  for (int k = 0; k < count; ++k)
    robot.tree.links.push_back(
        robots_detail::limb_link(k - 1, k, k == 0 ? Vec3(0, 0, 0) : Vec3(0, 0, -length), length));
  return robots_detail::posed(std::move(robot));
}

/// A free trunk with `limbs` limbs of `joints` hinges each.
inline Robot walker(const std::string& name, int limbs, int joints) {
  Robot robot;
  robot.name = name;
  robot.foot = limbs * joints;
  robot.sole = Vec3(0, 0, -0.25);
  Link trunk;
  trunk.name = "trunk";
  trunk.joint = JointType::free;
  trunk.mass = 10;
  trunk.centre = Vec3(0.02, -0.01, 0.05);
  trunk.inertia = Vec3(0.4, 0.5, 0.3).asDiagonal();
  robot.tree.links.push_back(trunk);
  for (int limb = 0; limb < limbs; ++limb) {
    const double angle = 6.28 * limb / limbs;
    for (int k = 0; k < joints; ++k) {
      const int next = static_cast<int>(robot.tree.links.size());
      robot.tree.links.push_back(robots_detail::limb_link(
          k == 0 ? 0 : next - 1, next,
          k == 0 ? Vec3(0.3 * std::cos(angle), 0.3 * std::sin(angle), 0) : Vec3(0, 0, -0.25), 0.25));
    }
  }
  return robots_detail::posed(std::move(robot));
}

/// 2, 12, 36 and 1,000 degrees of freedom. The sole approaches a floor.
const std::vector<Robot>& robots();

/// What all must agree on before they are timed.
struct Struck {
  Vec3 point;  ///< the sole in the world, at q[0]
  Mat3 W;      ///< dense, world axes
};
[[nodiscard]] const Struck& expected(const Robot& robot);

/// ‖W − expected‖ / ‖expected‖.
[[nodiscard]] double mobility_error(const Robot& robot, const Mat3& W);
inline constexpr double mobility_tolerance = 1e-8;

void register_mechanisms();
void register_dart_mechanisms();
void register_mujoco_mechanisms();
void register_simbody_mechanisms();

}  // namespace ricochet::bench
