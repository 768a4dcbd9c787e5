#pragma once
/// Random kinematic trees for property tests.

#include <fmt/format.h>

#include <cmath>

#include "random_contact.hpp"
#include "ricochet/mechanism/articulated.hpp"

namespace ricochet::testing {

inline Vec3 random_vector(Rng& rng, double size) {
  return {uniform(rng, -size, size), uniform(rng, -size, size), uniform(rng, -size, size)};
}

inline Link random_link(Rng& rng, int index) {
  Link link;
  link.name = fmt::format("link{}", index);
  link.position = random_vector(rng, 0.5);
  link.rotation = random_rotation(rng);
  link.axis = random_unit(rng) * uniform(rng, 0.5, 2);
  link.mass = log_uniform(rng, -1, 1);
  link.centre = random_vector(rng, 0.3);
  const Mat3 Q = random_rotation(rng);
  // Moments of a solid box, so that they are those of a body.
  const Vec3 b = Vec3(uniform(rng, 0.05, 0.5), uniform(rng, 0.05, 0.5), uniform(rng, 0.05, 0.5)).array().square();
  const Vec3 moments = link.mass / 12 * Vec3(b.y() + b.z(), b.z() + b.x(), b.x() + b.y());
  link.inertia = Q * moments.asDiagonal() * Q.transpose();
  link.inertia = Mat3(0.5 * (link.inertia + link.inertia.transpose()));
  return link;
}

/// Any joint, any parent; some links without mass under one that has it, some joints with a rotor.
inline Tree random_tree(Rng& rng, int count) {
  Tree tree;
  for (int i = 0; i < count; ++i) {
    Link link = random_link(rng, i);
    link.parent = static_cast<int>(std::floor(uniform(rng, -1, i)));
    const double kind = uniform(rng, 0, 1);
    link.joint = kind < 0.1   ? JointType::fixed
                 : kind < 0.5 ? JointType::revolute
                 : kind < 0.7 ? JointType::prismatic
                 : kind < 0.9 ? JointType::ball
                              : JointType::free;
    if (chance(rng, 0.3)) link.rotor = log_uniform(rng, -3, 0);
    tree.links.push_back(link);
  }
  return tree;
}

/// A chain of rods hung from the world, each turning about a random axis across it.
inline Tree random_chain(Rng& rng, int count) {
  Tree tree;
  for (int i = 0; i < count; ++i) {
    Link link;
    link.name = fmt::format("rod{}", i);
    link.parent = i - 1;
    link.joint = JointType::revolute;
    link.axis = random_unit(rng);
    link.position = i == 0 ? Vec3(Vec3::Zero()) : Vec3(0, 0, -0.1);
    link.mass = uniform(rng, 0.5, 1.5);
    link.centre = Vec3(0, 0, -0.05);
    link.inertia = link.mass * Vec3(1e-3, 1e-3, 2e-4).asDiagonal();
    tree.links.push_back(link);
  }
  return tree;
}

inline VecX random_position(Rng& rng, const Tree& tree) {
  VecX q(tree.position_count());
  int k = 0;
  const auto turn = [&] {
    Eigen::Vector4d r;
    do {
      r << uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1);
    } while (!(r.norm() > 0.1 && r.norm() <= 1));
    q.segment<4>(k) = r.normalized();
    k += 4;
  };
  for (const Link& link : tree.links) {
    const bool free = link.joint == JointType::free;
    if (free) {
      q.segment<3>(k) = random_vector(rng, 1);
      k += 3;
    }
    if (free || link.joint == JointType::ball) {
      turn();
    } else if (position_count(link.joint) == 1) {
      q(k++) = uniform(rng, -2, 2);
    }
  }
  return q;
}

inline VecX random_speeds(Rng& rng, int dof) {
  VecX u(dof);
  for (double& x : u) x = uniform(rng, -1, 1);
  return u;
}

}  // namespace ricochet::testing
