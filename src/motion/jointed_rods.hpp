#pragma once
/// Rods, which have no moment about their axis, on ball joints off that axis (docs/simulation.md, Mechanisms). By
/// itself such a rod has no 𝓜⁻¹; as a link it turns about the joint, about which its moments are positive.

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <vector>

#include "motion/tree_state.hpp"
#include "ricochet/base/error_path.hpp"

namespace ricochet::motion {

/// Whether the joint lies off an axis of the body about which it has no moment.
[[nodiscard]] inline bool off_its_axis(const RigidBody& body, const Vec3& point) {
  if (body.fixed) return false;
  const Eigen::SelfAdjointEigenSolver<Mat3> principal(body.inertia);
  const Vec3 arm = body.orientation.normalized().conjugate() * (point - body.position);
  for (int k = 0; k < 3; ++k)
    if (principal.eigenvalues()(k) <= 1e-14 * principal.eigenvalues()(2) &&
        arm.cross(principal.eigenvectors().col(k)).norm() > 1e-9 * arm.norm())
      return true;
  return false;
}

/// The world with these rods, and all bodies that ball joints connect with them, as links of mechanisms: trees of ball
/// joints, from a fixed body that does not move or else from a body that floats. Joints that close a loop stay joints.
/// At the start the speeds of links are those nearest to the velocities of the bodies, by kinetic energy.
class JointedRods {
 public:
  [[nodiscard]] static Expected<World> as_links(World world) {
    JointedRods own(std::move(world));
    return own.run();
  }

 private:
  explicit JointedRods(World world) : world_(std::move(world)) {}

  Expected<World> run() {
    World& w = world_;
    left_.assign(w.joints.size(), true);
    taken_.assign(w.bodies.size(), false);
    for (std::size_t k = 0; k < w.joints.size(); ++k)
      for (const std::size_t i : {w.joints[k].first, w.joints[k].second}) {
        if (taken_[i] || !off_its_axis(w.bodies[i].body, w.joints[k].point)) continue;
        if (const auto fine = connect(i); !fine) return tl::unexpected(fine.error());
      }
    std::size_t k = 0;
    std::erase_if(w.joints, [&](const BallJoint&) { return !left_[k++]; });
    std::sort(w.apart.begin(), w.apart.end());
    w.apart.erase(std::unique(w.apart.begin(), w.apart.end()), w.apart.end());
    return std::move(world_);
  }

  [[nodiscard]] bool fixed(std::size_t i) const { return world_.bodies[i].body.fixed; }
  [[nodiscard]] static std::size_t other(const BallJoint& joint, std::size_t i) {
    return joint.first == i ? joint.second : joint.first;
  }
  [[nodiscard]] static bool has(const BallJoint& joint, std::size_t i) { return joint.first == i || joint.second == i; }

  /// The mechanism of all bodies that joints connect with this one.
  Expected<void> connect(std::size_t rod) {
    World& w = world_;
    std::vector<std::size_t> members{rod};
    for (std::size_t at = 0; at < members.size(); ++at)
      for (const BallJoint& joint : w.joints) {
        if (!has(joint, members[at])) continue;
        const std::size_t next = other(joint, members[at]);
        if (!fixed(next) && std::find(members.begin(), members.end(), next) == members.end()) members.push_back(next);
      }
    Mechanism out;
    out.name = w.bodies[rod].name;
    // The root: at a joint to what is fixed, or the first body with a moment about every axis.
    for (std::size_t k = 0; k < w.joints.size() && out.bodies.empty(); ++k) {
      const BallJoint& joint = w.joints[k];
      for (const std::size_t i : {joint.first, joint.second})
        if (out.bodies.empty() && !fixed(i) && rests(other(joint, i)) &&
            std::find(members.begin(), members.end(), i) != members.end())
          add(out, i, -1, k);
    }
    for (const std::size_t i : members) {
      const RigidBody& body = w.bodies[i].body;
      const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(body.inertia).eigenvalues();
      if (out.bodies.empty() && moments(0) > 1e-14 * moments(2)) add_floating(out, i);
    }
    if (out.bodies.empty())
      return fail(
          ErrorCode::invalid, join_path(entry_path("body", rod), "inertia"), w.bodies[rod].name,
          "has no moment about an axis that a joint is off, and no body that its joints connect to it is at rest "
          "or has a moment about every axis");
    for (std::size_t at = 0; at < out.bodies.size(); ++at)
      for (std::size_t k = 0; k < w.joints.size(); ++k)
        if (left_[k] && has(w.joints[k], out.bodies[at]) && !fixed(other(w.joints[k], out.bodies[at])) &&
            !taken_[other(w.joints[k], out.bodies[at])])
          add(out, other(w.joints[k], out.bodies[at]), static_cast<int>(at), k);
    for (const std::uint32_t i : out.bodies)
      if (std::any_of(w.mechanisms.begin(), w.mechanisms.end(), [&](const Mechanism& m) {
            return std::find(m.bodies.begin(), m.bodies.end(), i) != m.bodies.end();
          }))
        return fail(ErrorCode::invalid, join_path(entry_path("body", rod), "inertia"), w.bodies[rod].name,
                    "has no moment about an axis that its joint to a robot is off");
    if (const auto fine = start(out); !fine) return fine;
    w.mechanisms.push_back(std::move(out));
    return {};
  }

  [[nodiscard]] bool rests(std::size_t i) const {
    const RigidBody& body = world_.bodies[i].body;
    return body.fixed && body.velocity.isZero(0) && body.angular_velocity.isZero(0);
  }

  [[nodiscard]] Link link_of(std::size_t i) const {
    Link out;
    out.name = world_.bodies[i].name;
    out.mass = world_.bodies[i].body.mass;
    out.inertia = world_.bodies[i].body.inertia;
    return out;
  }
  static void grow(VecX& x, const VecX& by) {
    VecX out(x.size() + by.size());
    out << x, by;
    x = std::move(out);
  }
  void take(Mechanism& out, const Link& link, std::size_t i) {
    taken_[i] = true;
    out.bodies.push_back(static_cast<std::uint32_t>(i));
    out.links.push_back(static_cast<int>(out.tree.links.size()));
    out.tree.links.push_back(link);
  }

  /// On the joint k, with its axes those of the body and its origin at the joint.
  void add(Mechanism& out, std::size_t i, int parent, std::size_t k) {
    const RigidBody& body = world_.bodies[i].body;
    const Vec3& point = world_.joints[k].point;
    const Mat3 R = body.orientation.normalized().toRotationMatrix();
    Link link = link_of(i);
    link.parent = parent;
    link.joint = JointType::ball;
    link.position = point;
    link.rotation = R;
    if (parent >= 0) {
      const auto above = static_cast<std::size_t>(parent);
      const RigidBody& up = world_.bodies[out.bodies[above]].body;
      const Mat3 back = up.orientation.normalized().toRotationMatrix().transpose();
      link.position = back * (point - up.position) + out.tree.links[above].centre;
      link.rotation = back * R;
    }
    link.centre = R.transpose() * (body.position - point);
    grow(out.q, (VecX(4) << 1, 0, 0, 0).finished());
    left_[k] = false;
    const auto first = static_cast<std::uint32_t>(world_.joints[k].first);
    const auto second = static_cast<std::uint32_t>(world_.joints[k].second);
    world_.apart.emplace_back(std::min(first, second), std::max(first, second));
    take(out, link, i);
  }
  void add_floating(Mechanism& out, std::size_t i) {
    const RigidBody& body = world_.bodies[i].body;
    Link link = link_of(i);
    link.joint = JointType::free;
    const Quaternion r = body.orientation.normalized();
    grow(out.q, (VecX(7) << body.position, r.w(), r.x(), r.y(), r.z()).finished());
    take(out, link, i);
  }

  /// 𝓜 u = Σ Jᵀ (m v, J ω).
  Expected<void> start(Mechanism& out) const {
    const auto posture = forward_kinematics(out.tree, out.q);
    if (!posture) return tl::unexpected(posture.error());
    const auto whole = Articulated::at(out.tree, *posture);
    if (!whole) return tl::unexpected(whole.error());
    VecX momentum = VecX::Zero(posture->dof);
    for (std::size_t k = 0; k < out.bodies.size(); ++k) {
      const RigidBody& body = world_.bodies[out.bodies[k]].body;
      const Quaternion r = body.orientation.normalized();
      Eigen::Matrix<double, 6, 1> own;
      own << body.mass * body.velocity, r * (body.inertia * (r.conjugate() * body.angular_velocity));
      momentum += link_jacobian(out.tree, *posture, out.links[k]).transpose() * own;
    }
    out.u = whole->solve(momentum);
    return {};
  }

  World world_;
  std::vector<bool> left_, taken_;  ///< joints that stay joints, bodies that are links
};

}  // namespace ricochet::motion
