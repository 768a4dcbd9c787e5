#pragma once
/// Bodies that lasting contacts and joints hold together, integrated as one system (docs/simulation.md (MO15) to
/// (MO20)).

#include <optional>
#include <span>
#include <vector>

#include "motion/contact_forces.hpp"
#include "motion/feature.hpp"
#include "motion/piece.hpp"

namespace ricochet::motion {

struct IslandBody {
  std::uint32_t body = 0;
  const RigidBody* inertia = nullptr;
  Vec3 force = Vec3::Zero();                   ///< constant, gravity apart [N]
  Vec3 weight = Vec3::Zero();                  ///< [N]
  std::vector<const AppliedForce*> tabulated;  ///< with torques or times
};

/// A body of the island by its place in it, or a fixed one by its motion.
struct IslandSide {
  int place = -1;
  const Piece* fixed = nullptr;
};

struct IslandContact {
  Feature feature;
  const ShapePart* part_b = nullptr;
  IslandSide a, b;
  double mu = 0, mu_s = 0;
  ContactMode mode = ContactMode::open;
  Vec3 s = Vec3::Zero();  ///< direction of slip at the start of the step, world
  double slip_limit = 0;  ///< slower slip has no direction of its own [m/s]
  double slip_speed = 0;  ///< as above [m/s]
  bool released = false;
  Vec3 point = Vec3::Zero(), n = Vec3::UnitZ();  ///< when it was found
  double gap = 0;                                ///< when it began to last, up to the tolerance of touching; it is kept
};

struct IslandJoint {
  IslandSide a, b;
  Vec3 arm_a = Vec3::Zero(), arm_b = Vec3::Zero();  ///< body axes
};

class Island {
 public:
  std::vector<IslandBody> bodies;
  std::vector<IslandContact> contacts;
  std::vector<IslandJoint> joints;
  double size = 1;  ///< length by which errors are judged [m]
  double tolerance = 1e-13;

  double start = 0;  ///< of the present step [s]
  VecX y;            ///< state there: 13 numbers for each body, then friction loss and applied work
  double step = 0;   ///< length of the present step
  double next_step = 0;
  VecX y_end;
  /// Where accelerations are constant over the present step: these, six for each body, then the power of friction at
  /// both ends and that of applied forces. Empty otherwise.
  VecX uniform;
  mutable std::optional<bool>
      redundancy;  ///< whether forces of the present modes are not unique; absent: not asked yet

  static VecX pack(std::span<const Pose> poses);
  [[nodiscard]] Pose pose(const VecX& state, std::size_t k) const;

  /// At the state y: velocities V of all contacts and joints, three rows each, in axes (n, t₁, t₂) and world axes, and
  /// their response V = W P + …, with the changes of speed L P. Points and normals as they were found.
  struct ContactMatrix {
    MatX W, L;
    VecX V;
    std::vector<Mat3> axes;
  };
  [[nodiscard]] ContactMatrix contact_matrix() const;

  /// Chooses modes and directions of slip at the state y. `slip_tolerance`: slower slip is none [m/s].
  VecX mode_forces;  ///< with which the modes were found
  [[nodiscard]] ForceAnswer solve_modes(double slip_tolerance, const VecX& guess = {}) const;
  void adopt(const ForceAnswer& answer, double slip_tolerance);
  /// d(n·V)/dt of a contact, of this island or not, under the present modes [m/s²].
  [[nodiscard]] double normal_acceleration(const IslandContact& c) const;
  /// Contacts that are not open lose their normal velocity, sticking ones all of it: energy lost [J].
  double project_velocities();
  /// Slip that begins has the direction of its acceleration.
  void align_beginning_slip();
  /// Gaps and joints are closed again where they have drifted.
  void project_positions();
  /// The step from y, at most `longest`; false: no step is small enough.
  [[nodiscard]] bool take_step(double longest);
  /// State at a time within the step.
  [[nodiscard]] VecX state(double t) const;
  [[nodiscard]] std::vector<Piece> pieces() const;
  /// Of a centre of mass, or of a rotation times the size, at the state y [m/s²].
  [[nodiscard]] double largest_acceleration() const;
  [[nodiscard]] double friction_loss(const VecX& state) const { return state(state.size() - 2); }
  [[nodiscard]] double applied_work(const VecX& state) const { return state(state.size() - 1); }

  /// The first time within the step at which a contact has to change its mode, and that contact.
  struct ModeChange {
    double time = 0;
    std::size_t contact = 0;
    bool slip_ends = false, opens = false;
  };
  [[nodiscard]] std::optional<ModeChange> first_mode_change(double slip_tolerance) const;

 private:
  struct Forces;
  [[nodiscard]] Forces forces(const VecX& state, double t) const;
  [[nodiscard]] Pose side_pose(const IslandSide& side, const VecX& state, double t) const;
  [[nodiscard]] VecX rates(const VecX& state, double t) const;
  [[nodiscard]] VecX advance(double h, VecX* error) const;
  /// A step of constant accelerations, accepted where the forces along it are those at its start.
  [[nodiscard]] bool take_uniform_step(double h);
  [[nodiscard]] VecX uniform_state(double h) const;
  [[nodiscard]] bool redundant() const;
  /// Two contacts at rest or more of one body that would slip as they would without friction: they stick if the
  /// friction of sticking slows this down, and slide if that of sliding does not turn it. Otherwise, and for fewer
  /// contacts, nothing: sweeps decide, which converge slowly near the limit.
  [[nodiscard]] std::optional<ForceAnswer> slip_together(const ForceProblem& problem, const VecX& free) const;
  /// V̇ of a contact, (MO16), and its part along the tangent plane, for accelerations of the bodies, six each.
  [[nodiscard]] Vec3 contact_acceleration(const IslandContact& c, const ContactFrame& fr,
                                          const VecX& accelerations) const;
  [[nodiscard]] Vec3 slip_acceleration(const IslandContact& c, const VecX& accelerations) const;
};

}  // namespace ricochet::motion
