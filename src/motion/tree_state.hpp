#pragma once
/// A mechanism at one state, and what its motion needs of it (docs/simulation.md (MO29), (MO30)).

#include <optional>
#include <span>

#include "ricochet/mechanism/tree_dynamics.hpp"
#include "ricochet/motion/simulation.hpp"

namespace ricochet::motion {

class TreeState {
 public:
  /// Quaternions in q need not have unit length. Nothing where 𝓜 is singular or a number is not finite.
  [[nodiscard]] static std::optional<TreeState> at(const Mechanism& mechanism, VecX q, VecX u);

  /// Of the bodies of the mechanism, in their order.
  [[nodiscard]] Pose pose(std::size_t body) const;
  /// 6 × dof: velocity of the centre of mass and angular velocity of a body.
  [[nodiscard]] MatX jacobian(std::size_t body) const;
  /// Accelerations of every body at these rates of the speeds, (MO30).
  [[nodiscard]] std::vector<Eigen::Matrix<double, 6, 1>> accelerations(const VecX& rates) const;
  /// 𝓜⁻¹ X; joints that follow others still do.
  [[nodiscard]] MatX solve(const MatX& X) const;

  struct Driven {
    VecX acceleration;                           ///< u̇ without contacts and ball joints
    double applied_power = 0, damped_power = 0;  ///< [W]
  };
  /// `applied`: one for each body.
  [[nodiscard]] Driven driven(const Vec3& gravity, std::span<const LinkForce> applied, double t) const;
  [[nodiscard]] VecX position_rates() const;

  [[nodiscard]] const VecX& q() const { return q_; }
  [[nodiscard]] const VecX& u() const { return u_; }

 private:
  const Mechanism* mechanism_ = nullptr;
  VecX q_, u_;
  Kinematics posture_;
  std::vector<LinkMotion> motions_;
  std::optional<Articulated> articulated_;
  MatX held_;  ///< 𝓜⁻¹Gᵀ (G 𝓜⁻¹ Gᵀ)⁻¹
};

/// Value of a joint force at a time.
[[nodiscard]] double force_at(const JointForce& force, double t);

/// Poses of the bodies alone; not numbers where q and u are none.
[[nodiscard]] std::vector<Pose> tree_poses(const Mechanism& mechanism, VecX q, const VecX& u);

/// q with quaternions of unit length.
void normalise(const Tree& tree, Eigen::Ref<VecX> q);

/// Energy of springs and of the rotors of motors [J]: what is not that of a body.
[[nodiscard]] double spring_energy(const Mechanism& mechanism, const VecX& q);
[[nodiscard]] double rotor_energy(const Mechanism& mechanism, const VecX& u);

}  // namespace ricochet::motion
