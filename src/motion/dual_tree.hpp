#pragma once
/// A mechanism at one state in dual numbers: poses, Jacobians, 𝓜⁻¹ and the rates of its speeds (docs/mechanisms.md
/// (G13) to (G15)).

#include <Eigen/Cholesky>
#include <map>
#include <span>
#include <vector>

#include "motion/contact_frame_kernel.hpp"
#include "motion/dual_numbers.hpp"
#include "ricochet/mechanism/tree_kernel.hpp"
#include "ricochet/motion/world.hpp"

namespace ricochet::motion {

/// What the motion of a mechanism depends on besides its state: one number for each speed.
struct DualJoints {
  VecD force;  ///< in addition to those of the mechanism, constant
  VecD damping, stiffness, rest;
};

class DualTree {
 public:
  /// `mass_ratio`: of each link, mass and inertia in proportion.
  DualTree(const Mechanism& mechanism, VecD q, VecD u, std::vector<Num> mass_ratio);

  [[nodiscard]] PoseOf<Num> pose(int link) const;
  /// 6 × dof: velocity of the centre of mass and angular velocity.
  [[nodiscard]] const MatD& jacobian(int link) const;
  /// 𝓜⁻¹ X, of the tree alone: joints that follow others are held by rows of their own.
  [[nodiscard]] MatD solve(const MatD& X) const;
  /// u̇ under gravity, forces on the links and what acts on the joints.
  [[nodiscard]] VecD driven(const Vec3D& gravity, std::span<const LinkForceOf<Num>> applied, const DualJoints& joints,
                            const Num& t) const;
  /// Of every link at these rates of the speeds.
  [[nodiscard]] std::vector<LinkMotionOf<Num>> motions(const VecD& rates) const;
  [[nodiscard]] VecD position_rates() const;

 private:
  const Mechanism* mechanism_;
  VecD q_, u_;
  std::vector<Num> mass_ratio_;
  std::vector<LinkPlace<Num>> places_;
  std::vector<LinkMotionOf<Num>> motions_;  ///< at constant speeds
  MatD mass_;
  Eigen::LLT<MatX> factor_;
  mutable std::map<int, MatD> jacobians_;

  [[nodiscard]] int dof() const { return static_cast<int>(u_.size()); }
  void fill_mass();
};

}  // namespace ricochet::motion
