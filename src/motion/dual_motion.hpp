#pragma once
/// Free bodies and mechanisms with lasting contacts and ball joints, in dual numbers: rates of the state, forces of the
/// contacts, and steps (docs/derivatives.md (DV14), (DV15)).

#include <array>
#include <optional>
#include <vector>

#include "motion/contact_frame_kernel.hpp"
#include "motion/dual_tree.hpp"
#include "motion/history.hpp"

namespace ricochet::motion {

/// Thirteen for each body that is free or fixed, in their order (x, q as w, x, y, z; v, ω); then q and u of each
/// mechanism.
using DualState = std::vector<Num>;

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
  VecD speeds;                   ///< their rates
  VecD accelerations;            ///< six for each body, of its centre of mass and of its rotation
};

/// Every body and mechanism at one state.
struct DualPosture {
  std::vector<PoseOf<Num>> poses;
  std::vector<DualTree> trees;
};

/// What a number of the state measures: errors are judged by the largest of its kind.
enum class StateKind : std::uint8_t { place, turn, velocity, spin, joint, joint_speed };
inline constexpr std::size_t state_kinds = 6;

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
  std::vector<Num> mass_ratio;     ///< of each body: mass and inertia in proportion
  std::vector<Num> mu, mu_s;       ///< of each law, in lasting contact
  std::vector<DualJoints> joints;  ///< of each mechanism

  [[nodiscard]] DualState start() const;
  [[nodiscard]] DualPosture at(const DualState& y) const;
  [[nodiscard]] DualForces forces(const DualState& y, const Num& t) const { return forces(at(y), t); }
  [[nodiscard]] DualForces forces(const DualPosture& here, const Num& t) const;
  [[nodiscard]] DualState rates(const DualState& y, const Num& t) const;
  [[nodiscard]] FrameOf<Num> frame(const DualPosture& at, const Feature& feature) const;
  [[nodiscard]] FrameOf<Num> frame(const DualState& y, const Feature& feature) const { return frame(at(y), feature); }
  /// From t to `end`; false where steps become too small or stay so.
  [[nodiscard]] bool advance(DualState& y, double t, double end) const;

  /// Where a free or fixed body, or a mechanism, has its numbers in a state; of a body of a mechanism nothing.
  [[nodiscard]] std::optional<std::size_t> numbers_of_body(std::uint32_t body) const;
  [[nodiscard]] std::size_t numbers_of_mechanism(std::size_t mechanism) const { return mechanism_at_[mechanism]; }
  [[nodiscard]] StateKind kind(std::size_t number) const { return kinds_[number]; }
  /// All speeds, those of free bodies first, then those of each mechanism.
  [[nodiscard]] Eigen::Index speed_count() const { return speeds_; }
  [[nodiscard]] Eigen::Index speeds_of_body(std::uint32_t body) const { return speed_of_body_[body]; }
  [[nodiscard]] Eigen::Index speeds_of_mechanism(std::size_t mechanism) const { return speed_of_mechanism_[mechanism]; }
  void add_speeds(DualState& y, const VecD& change) const;
  /// Along one direction, the positions or the speeds are moved by a small way in the speeds.
  void move(DualState& y, std::size_t direction, const VecX& way, bool speeds) const;
  /// The way in the speeds by which positions, or speeds, move along one direction.
  [[nodiscard]] VecX way(const DualState& y, std::size_t direction, bool speeds) const;

  /// Rows of gaps and open joints, or of the velocities that are zero.
  [[nodiscard]] HeldRows held(const DualState& y, bool velocities) const;
  /// Rows of all three components of the velocity of b at a point, relative to a.
  [[nodiscard]] MatD point_rows(const DualPosture& at, const Feature& feature, const Vec3D& point) const;
  /// 𝓜⁻¹ X.
  [[nodiscard]] MatD mass_solve(const DualPosture& at, const MatD& X) const;
  /// Rows of the joints that hold, and of joints that follow others.
  [[nodiscard]] MatD joint_rows(const DualPosture& at) const;
  /// Whether any of these rows has to do with the body.
  [[nodiscard]] bool joined(std::uint32_t body) const;
  [[nodiscard]] std::size_t law_of(const Feature& feature) const;

 private:
  struct Joint {
    std::uint32_t a = 0, b = 0;
    Vec3 arm_a, arm_b;
  };
  /// A link of a mechanism.
  struct Part {
    int mechanism = -1, link = -1;
  };
  const World& world_;
  const History& history_;
  std::vector<Part> part_;                   ///< of each body
  std::vector<std::size_t> body_at_;         ///< of each free or fixed body: its numbers in a state
  std::vector<std::size_t> mechanism_at_;    ///< as above
  std::vector<Eigen::Index> speed_of_body_;  ///< −1: fixed, or of a mechanism
  std::vector<Eigen::Index> speed_of_mechanism_;
  std::vector<StateKind> kinds_;
  Eigen::Index speeds_ = 0;
  std::vector<Mat3> inverse_;  ///< J⁻¹ of free bodies in body axes, without axes of zero moment
  std::vector<Joint> joints_;

  void put(MatD& J, Eigen::Index row, const DualPosture& at, std::uint32_t body, double sign, const Vec3D& point,
           const Vec3D& along) const;
  [[nodiscard]] Mat3D world_inverse(const DualPosture& at, std::uint32_t body) const;
  [[nodiscard]] VecD free_speeds(const DualPosture& at, const Num& t) const;
  [[nodiscard]] VecD accelerations(const DualPosture& at, const VecD& speeds) const;
  [[nodiscard]] Eigen::Index constraint_count() const;
};

/// The least solution of A x = b and its derivatives, for A of constant rank and b in its range.
[[nodiscard]] MatD solve_least(const MatD& A, const MatD& b);

}  // namespace ricochet::motion
