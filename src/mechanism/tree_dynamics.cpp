#include "ricochet/mechanism/tree_dynamics.hpp"

#include <Eigen/Geometry>

namespace ricochet {

std::vector<LinkMotion> link_motions(const Tree& tree, const Kinematics& posture, const VecX& u, const VecX* rates) {
  /// Of the link's origin.
  struct Origin {
    Vec3 v = Vec3::Zero(), w = Vec3::Zero(), a = Vec3::Zero(), alpha = Vec3::Zero();
  };
  std::vector<Origin> origins(tree.links.size());
  std::vector<LinkMotion> out;
  out.reserve(tree.links.size());
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Kinematics::Place& at = posture.places[i];
    const int parent = tree.links[i].parent;
    const Origin before = parent >= 0 ? origins[static_cast<std::size_t>(parent)] : Origin{};
    const Vec3 arm =
        parent >= 0 ? Vec3(at.origin - posture.places[static_cast<std::size_t>(parent)].origin) : Vec3(Vec3::Zero());
    Vec3 w = Vec3::Zero(), v = Vec3::Zero();  // relative to the parent
    Eigen::Matrix<double, 6, 1> change = Eigen::Matrix<double, 6, 1>::Zero();
    if (at.S.cols() > 0) {
      const Eigen::Matrix<double, 6, 1> twist = at.S * u.segment(at.first, at.S.cols());
      w = twist.head<3>();
      v = twist.tail<3>();
      if (rates != nullptr) change = at.S * rates->segment(at.first, at.S.cols());
    }
    Origin& here = origins[i];
    here.w = before.w + w;
    here.alpha = before.alpha + before.w.cross(w) + change.head<3>();
    here.v = before.v + v;
    here.a = before.a + 2 * before.w.cross(v) + change.tail<3>();
    if (parent >= 0) {
      here.v += before.w.cross(arm);
      here.a += before.alpha.cross(arm) + before.w.cross(before.w.cross(arm));
    }
    const Vec3 c = at.centre - at.origin;
    out.push_back(
        {here.v + here.w.cross(c), here.w, here.a + here.alpha.cross(c) + here.w.cross(here.w.cross(c)), here.alpha});
  }
  return out;
}

VecX generalised_force(const Tree& tree, const Kinematics& posture, std::span<const LinkForce> forces) {
  // Force and moment about the link's origin of what it carries.
  std::vector<LinkForce> carried(tree.links.size());
  VecX out = VecX::Zero(posture.dof);
  for (std::size_t i = tree.links.size(); i-- > 0;) {
    const Kinematics::Place& at = posture.places[i];
    LinkForce& own = carried[i];
    own.force += forces[i].force;
    own.torque += forces[i].torque + (at.centre - at.origin).cross(forces[i].force);
    if (at.S.cols() > 0) {
      Eigen::Matrix<double, 6, 1> wrench;
      wrench << own.torque, own.force;
      out.segment(at.first, at.S.cols()) = at.S.transpose() * wrench;
    }
    const int parent = tree.links[i].parent;
    if (parent < 0) continue;
    LinkForce& below = carried[static_cast<std::size_t>(parent)];
    below.force += own.force;
    below.torque += own.torque + (at.origin - posture.places[static_cast<std::size_t>(parent)].origin).cross(own.force);
  }
  return out;
}

VecX bias_force(const Tree& tree, const Kinematics& posture, std::span<const LinkMotion> motions) {
  std::vector<LinkForce> forces(tree.links.size());
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Mat3& R = posture.places[i].R;
    const Mat3 J = R * tree.links[i].inertia * R.transpose();
    const Vec3& w = motions[i].angular_velocity;
    forces[i].force = tree.links[i].mass * motions[i].acceleration;
    forces[i].torque = J * motions[i].angular_acceleration + w.cross(J * w);
  }
  return generalised_force(tree, posture, forces);
}

MatX link_jacobian(const Tree& tree, const Kinematics& posture, int link) {
  MatX out = MatX::Zero(6, posture.dof);
  if (link < 0) return out;
  const Vec3 centre = posture.places[static_cast<std::size_t>(link)].centre;
  for (int i = link; i >= 0; i = tree.links[static_cast<std::size_t>(i)].parent) {
    const Kinematics::Place& at = posture.places[static_cast<std::size_t>(i)];
    for (Eigen::Index k = 0; k < at.S.cols(); ++k) {
      const Vec3 w = at.S.col(k).head<3>(), v = at.S.col(k).tail<3>();
      out.col(at.first + k) << v + w.cross(centre - at.origin), w;
    }
  }
  return out;
}

VecX position_rates(const Tree& tree, const VecX& q, const VecX& u) {
  VecX out(q.size());
  Eigen::Index at = 0, speed = 0;
  const auto turn = [&](Eigen::Index position, Eigen::Index first) {
    const Eigen::Quaterniond r(q(position), q(position + 1), q(position + 2), q(position + 3));
    const Eigen::Quaterniond rate = r * Eigen::Quaterniond(0, u(first), u(first + 1), u(first + 2));
    out.segment<4>(position) << 0.5 * rate.w(), 0.5 * rate.x(), 0.5 * rate.y(), 0.5 * rate.z();
  };
  for (const Link& link : tree.links) {
    switch (link.joint) {
      case JointType::fixed: break;
      case JointType::revolute:
      case JointType::prismatic: out(at) = u(speed); break;
      case JointType::ball: turn(at, speed); break;
      case JointType::free:
        out.segment<3>(at) = u.segment<3>(speed);
        turn(at + 3, speed + 3);
        break;
    }
    at += position_count(link.joint);
    speed += speed_count(link.joint);
  }
  return out;
}

}  // namespace ricochet
