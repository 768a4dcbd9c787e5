#pragma once
/// Motion of a kinematic tree under forces, in time linear in the number of links: docs/mechanisms.md (G13) to (G15).
///   𝓜(q) u̇ = τ + Σ Jᵀ(f, t) − b(q, u)                                                                        (G13)

#include <span>
#include <vector>

#include "ricochet/mechanism/articulated.hpp"

namespace ricochet {

/// Velocity and acceleration of a link, of the centre of mass; world axes.
template <class T>
struct LinkMotionOf {
  Eigen::Matrix<T, 3, 1> velocity, angular_velocity;
  Eigen::Matrix<T, 3, 1> acceleration, angular_acceleration;
};
using LinkMotion = LinkMotionOf<double>;

/// A force at the centre of mass of a link, and a torque; world axes.
template <class T>
struct LinkForceOf {
  Eigen::Matrix<T, 3, 1> force = Eigen::Matrix<T, 3, 1>::Zero(), torque = Eigen::Matrix<T, 3, 1>::Zero();
};
using LinkForce = LinkForceOf<double>;

/// Of every link, at speeds u, (G14); with the accelerations of their `rates` where these are given.
[[nodiscard]] std::vector<LinkMotion> link_motions(const Tree& tree, const Kinematics& posture, const VecX& u,
                                                   const VecX* rates = nullptr);

/// Σ Jᵀ(f, t): one force for each link.
[[nodiscard]] VecX generalised_force(const Tree& tree, const Kinematics& posture, std::span<const LinkForce> forces);

/// b: what holds u̇ at zero without gravity, (G15).
[[nodiscard]] VecX bias_force(const Tree& tree, const Kinematics& posture, std::span<const LinkMotion> motions);

/// 6 × dof: velocity of the centre of mass, then angular velocity of the link.
[[nodiscard]] MatX link_jacobian(const Tree& tree, const Kinematics& posture, int link);

/// q̇ at speeds u.
[[nodiscard]] VecX position_rates(const Tree& tree, const VecX& q, const VecX& u);

}  // namespace ricochet
