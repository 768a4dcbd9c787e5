#pragma once
/// Worlds with one mechanism above the ground.

#include <utility>
#include <vector>

#include "motion/worlds.hpp"

namespace ricochet::motion::testing {

/// The ground, and one mechanism whose links are the bodies after it.
inline World tree_world(Mechanism mechanism, std::vector<WorldBody> links, const PairLaw& law) {
  std::vector<WorldBody> bodies{ground()};
  for (std::size_t i = 0; i < links.size(); ++i) {
    mechanism.bodies.push_back(static_cast<std::uint32_t>(i + 1));
    mechanism.links.push_back(static_cast<int>(i));
    bodies.push_back(std::move(links[i]));
  }
  World out = world_of(std::move(bodies), law);
  out.mechanisms.push_back(std::move(mechanism));
  return out;
}

inline Link link_of(const WorldBody& body, JointType joint, const Vec3& axis) {
  Link out;
  out.name = body.name;
  out.joint = joint;
  out.axis = axis;
  out.mass = body.body.mass;
  out.inertia = body.body.inertia;
  return out;
}

/// A body as a tree of one link that floats.
inline Mechanism floating(const WorldBody& body) {
  Mechanism out;
  out.tree.links = {link_of(body, JointType::free, Vec3::UnitZ())};
  const Quaternion& o = body.body.orientation;
  out.q.resize(7);
  out.q << body.body.position, o.w(), o.x(), o.y(), o.z();
  out.u.resize(6);
  out.u << body.body.velocity, o.conjugate() * body.body.angular_velocity;
  return out;
}

/// Two rods about y from a pivot above the ground, the second with a ball at its end.
inline World leg_world(double height, const VecX& q, const VecX& u, const PairLaw& law) {
  Mechanism leg;
  std::vector<WorldBody> links;
  for (int k = 0; k < 2; ++k) {
    WorldBody body = ball(0.03, k == 0 ? 2 : 1, Vec3::Zero());
    body.name = k == 0 ? "thigh" : "shin";
    body.body.inertia = body.body.mass * 0.25 / 12 * Vec3(1, 1, 0.02).asDiagonal();
    if (k == 0)
      body.shapes.clear();
    else
      body.shapes[0].position = {0, 0, -0.25};
    Link link = link_of(body, JointType::revolute, -Vec3::UnitY());
    link.parent = k - 1;
    link.position = k == 0 ? Vec3(0, 0, height) : Vec3(0, 0, -0.5);
    link.centre = {0, 0, -0.25};
    leg.tree.links.push_back(link);
    links.push_back(body);
  }
  leg.q = q;
  leg.u = u;
  return tree_world(std::move(leg), std::move(links), law);
}

}  // namespace ricochet::motion::testing
