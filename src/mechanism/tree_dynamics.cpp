#include "ricochet/mechanism/tree_dynamics.hpp"

#include "ricochet/mechanism/tree_kernel.hpp"

namespace ricochet {

std::vector<LinkMotion> link_motions(const Tree& tree, const Kinematics& posture, const VecX& u, const VecX* rates) {
  return tree_kernel::link_motions<double>(tree, posture.places, u, rates);
}

VecX generalised_force(const Tree& tree, const Kinematics& posture, std::span<const LinkForce> forces) {
  return tree_kernel::generalised_force<double>(tree, posture.places, posture.dof, forces);
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
  return tree_kernel::link_jacobian<double>(tree, posture.places, posture.dof, link);
}

VecX position_rates(const Tree& tree, const VecX& q, const VecX& u) {
  return tree_kernel::position_rates<double>(tree, q, u);
}

}  // namespace ricochet
