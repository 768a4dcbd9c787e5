#pragma once
/// Free bodies with lasting contacts and ball joints, in dual numbers: rates of the state, forces of the contacts, and
/// steps (docs/derivatives.md (DV14), (DV15)).

#include <array>
#include <optional>
#include <vector>

#include "motion/contact_frame_kernel.hpp"
#include "motion/history.hpp"
#include "ricochet/base/dual.hpp"

namespace ricochet::motion {

inline constexpr int dual_width = 12;
using Num = Dual<dual_width>;
using Vec3D = Vector3Of<Num>;
using VecD = Eigen::Matrix<Num, Eigen::Dynamic, 1>;
using MatD = Eigen::Matrix<Num, Eigen::Dynamic, Eigen::Dynamic>;
using DualState = std::vector<Num>;  ///< 13 for each body, fixed ones too: x, q (w, x, y, z), v, ω

inline constexpr std::size_t numbers_of_pose = 13;

/// A contact that lasts, in the replay.
struct DualContact {
  RecordedContact recorded;
  Vec3D s = Vec3D::Zero();  ///< direction of slip where that is held
  bool held = false;        ///< slip is too slow to have a direction of its own
};

struct DualForces {
  std::vector<FrameOf<Num>> frames;
  std::vector<Vec3D> force;      ///< of the contacts, on b
  std::vector<Vec3D> direction;  ///< of slip
  VecD accelerations;            ///< six for each moving body
};

/// A velocity that a contact or a joint holds at zero: its value, its row in the speeds, and its gap where it has one.
struct HeldRows {
  MatD J;       ///< rows in the speeds of the moving bodies
  VecD values;  ///< velocities, or gaps
};

class DualMotion {
 public:
  DualMotion(const World& world, const History& history);

  std::vector<DualContact> contacts;
  Vec3D gravity;
  std::vector<Num> mass_ratio;  ///< of each body: mass and inertia in proportion
  std::vector<Num> mu, mu_s;    ///< of each law, in lasting contact
  const std::vector<std::uint32_t>& moving() const { return moving_; }

  [[nodiscard]] DualState start() const;
  [[nodiscard]] PoseOf<Num> pose(const DualState& y, std::uint32_t body) const;
  [[nodiscard]] DualForces forces(const DualState& y, const Num& t) const;
  [[nodiscard]] DualState rates(const DualState& y, const Num& t) const;
  [[nodiscard]] FrameOf<Num> frame(const DualState& y, const Feature& feature) const;
  /// From t to `end`; false where steps become too small or stay so.
  [[nodiscard]] bool advance(DualState& y, double t, double end) const;

  /// Rows of gaps and open joints, or of the velocities that are zero.
  [[nodiscard]] HeldRows held(const DualState& y, bool velocities) const;
  /// Rows of all three components of the velocity of b at a point, relative to a.
  [[nodiscard]] MatD point_rows(const DualState& y, const Feature& feature, const Vec3D& point) const;
  /// M⁻¹ X.
  [[nodiscard]] MatD mass_solve(const DualState& y, const MatD& X) const;
  /// Rows of the joints that hold.
  [[nodiscard]] MatD joint_rows(const DualState& y) const;
  [[nodiscard]] bool joined(std::uint32_t body) const;
  [[nodiscard]] std::size_t law_of(const Feature& feature) const;

 private:
  struct Joint {
    std::uint32_t a = 0, b = 0;
    Vec3 arm_a, arm_b;
  };
  const World& world_;
  const History& history_;
  std::vector<std::uint32_t> moving_;
  std::vector<int> place_;     ///< of each body among the moving ones; −1: fixed
  std::vector<Mat3> inverse_;  ///< J⁻¹ in body axes, without axes of zero moment
  std::vector<Joint> joints_;

  void put(MatD& J, Eigen::Index row, const DualState& y, std::uint32_t body, double sign, const Vec3D& point,
           const Vec3D& along) const;
  [[nodiscard]] Eigen::Matrix<Num, 3, 3> world_inverse(const DualState& y, std::uint32_t body) const;
};

/// The least solution of A x = b and its derivatives, for A of constant rank and b in its range.
[[nodiscard]] MatD solve_least(const MatD& A, const MatD& b);

}  // namespace ricochet::motion
