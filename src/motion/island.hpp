#pragma once
/// Bodies that lasting contacts and joints hold together, integrated as one system (docs/simulation.md (MO15) to
/// (MO20)).

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "motion/contact_forces.hpp"
#include "motion/feature.hpp"
#include "motion/piece.hpp"
#include "motion/tree_state.hpp"

namespace ricochet::motion {

struct IslandBody {
  std::uint32_t body = 0;
  const RigidBody* inertia = nullptr;
  Vec3 force = Vec3::Zero();                   ///< constant, gravity apart [N]
  Vec3 weight = Vec3::Zero();                  ///< [N]
  std::vector<const AppliedForce*> tabulated;  ///< with torques or times
  std::size_t system = 0;                      ///< that it belongs to
  std::size_t index = 0;                       ///< its number there
};

/// A free body, or a mechanism with all bodies that it has.
struct IslandSystem {
  const Mechanism* mechanism = nullptr;  ///< absent: a free body
  std::vector<std::size_t> places;       ///< of its bodies in the island
  Eigen::Index at = 0, positions = 7;    ///< of its numbers in a state: positions, then speeds
  Eigen::Index speed_at = 0, speeds = 6;
};

/// A body of the island by its place in it, or a fixed one by its motion.
struct IslandSide {
  int place = -1;
  const Piece* fixed = nullptr;
};

struct IslandContact {
  Feature feature;
  const ShapePart *part_a = nullptr, *part_b = nullptr;
  IslandSide a, b;
  double mu = 0, mu_s = 0;
  ContactMode mode = ContactMode::open;
  Vec3 s = Vec3::Zero();  ///< direction of slip at the start of the step, world
  double slip_limit = 0;  ///< slower slip has no direction of its own [m/s]
  double slip_speed = 0;  ///< as above [m/s]
  bool released = false;
  bool stopped = false;  ///< its slip, though not yet zero, ends now
  bool settled = false;  ///< its friction may be at the limit: slip that began at this instant has ended
  bool yields = false;   ///< its friction is at the limit and would pass it: it slides along s, at first without speed
  bool creeps = false;   ///< slides so slowly that its friction has the direction of its acceleration
  Vec3 point = Vec3::Zero(), n = Vec3::UnitZ();  ///< when it was found
  double gap = 0;                                ///< when it began to last, up to the tolerance of touching; it is kept
};

struct IslandJoint {
  IslandSide a, b;
  Vec3 arm_a = Vec3::Zero(), arm_b = Vec3::Zero();  ///< body axes
};

/// A joint at a stop: sign (q − bound) ≥ 0, (MO40).
struct IslandStop {
  std::uint32_t mechanism = 0, limit = 0;  ///< of the world, and among the limits of it
  std::size_t system = 0;
  Eigen::Index position = 0, speed = 0;  ///< in a state, and among all speeds
  double sign = 1, bound = 0;
  ContactMode mode = ContactMode::open;  ///< or stick
  bool released = false;
};

/// Dry friction of a joint, (MO41).
struct IslandDry {
  Eigen::Index speed = 0;  ///< among all speeds
  double limit = 0;
  ContactMode mode = ContactMode::stick;  ///< or slide
  double s = 1;                           ///< sign of the speed, where it slides
  bool yields = false;                    ///< as above
};

class Island {
 public:
  std::vector<IslandBody> bodies;
  std::vector<IslandSystem> systems;
  Vec3 gravity = Vec3::Zero();  ///< of mechanisms; bodies have their weight
  std::vector<IslandContact> contacts;
  std::vector<IslandJoint> joints;
  std::vector<IslandStop> stops;
  std::vector<IslandDry> dry;  ///< of all mechanisms
  double size = 1;             ///< length by which errors are judged [m]
  double tolerance = 1e-13;

  double start = 0;  ///< of the present step [s]
  VecX y;            ///< state there: positions and speeds of each system, then friction loss and applied work
  double step = 0;   ///< length of the present step
  double next_step = 0;
  VecX y_end;
  /// Contacts that yield at the start of the step, numbered as in ModeChange, with the directions of their slip.
  std::vector<std::pair<std::uint32_t, Vec3>> yields;
  /// Where accelerations are constant over the present step: these, six for each body, then the power of friction at
  /// both ends and that of applied forces. Empty otherwise.
  VecX uniform;
  /// Where slip is stiff and the step was found by collocation: the rates of the state at its start and at its five
  /// nodes, whose polynomial the motion follows. Empty otherwise.
  VecX collocated;
  mutable std::optional<bool>
      redundancy;  ///< whether forces of the present modes are not unique; absent: not asked yet

  /// A free body joins; its state is the pose.
  void add(const IslandBody& body, const Pose& pose);
  /// A mechanism joins, with its bodies, whose system and index are set.
  void add(const Mechanism& mechanism, std::span<const IslandBody> own, const VecX& q, const VecX& u);
  [[nodiscard]] Eigen::Index speed_count() const;
  [[nodiscard]] Eigen::Index state_count() const;
  [[nodiscard]] Pose pose(const VecX& state, std::size_t k) const;
  [[nodiscard]] std::vector<Pose> poses(const VecX& state) const;
  [[nodiscard]] VecX positions_of(const VecX& state, const IslandSystem& system) const;
  [[nodiscard]] VecX speeds_of(const VecX& state, const IslandSystem& system) const;
  /// All speeds, those of one system after the other.
  [[nodiscard]] VecX speeds(const VecX& state) const;
  void add_speeds(const VecX& change);
  [[nodiscard]] double kinetic(const VecX& state) const;
  [[nodiscard]] double potential(const VecX& state) const;  ///< of gravity and springs

  /// At the state y: velocities V of all contacts and joints, three rows each, in axes (n, t₁, t₂) and world axes, then
  /// of stops and, if they are wanted, of joints with dry friction at rest, and their response V = W P + …, with the
  /// changes of speed L P. Points and normals as they were found.
  struct ContactMatrix {
    MatX W, L, J;
    VecX V;
    std::vector<Mat3> axes;
  };
  [[nodiscard]] ContactMatrix contact_matrix(bool with_dry = false) const;
  /// X ↦ 𝓜⁻¹ X at the state y, with the joints closed and these stops held.
  [[nodiscard]] MassSolver solver(std::span<const IslandStop> held = {}) const;

  /// All rates of speeds at the state y and at the end of the step.
  struct SpeedRates {
    VecX first, last;
  };
  [[nodiscard]] SpeedRates speed_rates() const;
  [[nodiscard]] double speed_rate(Eigen::Index speed) const;  ///< of one of all speeds, at the state y
  /// Speed of a joint below which its dry friction may hold it.
  [[nodiscard]] double joint_tolerance(double slip_tolerance) const { return slip_tolerance / std::min(size, 1.0); }

  /// Chooses modes and directions of slip at the state y. `slip_tolerance`: slower slip is none [m/s].
  VecX mode_forces;  ///< with which the modes were found
  [[nodiscard]] ForceAnswer solve_modes(double slip_tolerance, const VecX& guess = {}) const;
  /// The four points that carry a flat end are turned so that one of them is where the load is off the middle: (MO42).
  /// By these forces or, without, by those of the contacts if all of them last. Whether anything turned.
  bool align_flat_ends(double slip_tolerance, const VecX& forces_of_contacts = {});
  [[nodiscard]] bool has_flat_ends() const;
  void adopt(const ForceAnswer& answer, double slip_tolerance);
  /// d(n·V)/dt of a contact, of this island or not, under the present modes [m/s²].
  [[nodiscard]] double normal_acceleration(const IslandContact& c) const;
  /// Contacts that are not open lose their normal velocity, sticking ones all of it: energy lost [J].
  double project_velocities();
  /// Whether slip is no longer along the direction with which modes were chosen.
  [[nodiscard]] bool slip_has_changed() const;
  /// All contacts lose their normal velocity, whatever their modes: energy lost [J].
  double stop_bounces();
  /// Sliding contacts slower than this creep if they slide along the direction of their acceleration: (MO36).
  void mark_creeping(double speed);
  /// Contacts whose slip decelerates so much that it ends within this time [s].
  [[nodiscard]] std::vector<std::size_t> ending_slip(double within) const;
  /// Slip that begins has the direction of its acceleration.
  void align_beginning_slip();
  /// Gaps and joints are closed again where they have drifted by more than this [m].
  void project_positions(double drift);
  /// The step from y, at most `longest`; false: no step is small enough.
  [[nodiscard]] bool take_step(double longest);
  /// The sliding contact whose force at the state y is beyond all measure, as it is where slip turns to a direction in
  /// which no force holds the contact (Painlevé).
  [[nodiscard]] std::optional<std::size_t> unlimited_force() const;
  /// State at a time within the step.
  [[nodiscard]] VecX state(double t) const;
  /// Whether that state is as accurate as the end. It need not be where slip ends within the step: beyond its end
  /// friction keeps its direction, so that a step may pass over a fast turn of slow slip without an error.
  [[nodiscard]] bool accurate(double t) const;
  [[nodiscard]] std::vector<Piece> pieces() const;
  /// Of a centre of mass, or of a rotation times the size, at the state y [m/s²].
  [[nodiscard]] double largest_acceleration() const;
  [[nodiscard]] double friction_loss(const VecX& state) const { return state(state.size() - 2); }
  [[nodiscard]] double applied_work(const VecX& state) const { return state(state.size() - 1); }

  /// The first time within the step at which a contact has to change its mode, and that contact; stops are numbered
  /// after the contacts, then joints with dry friction.
  struct ModeChange {
    double time = 0;
    std::size_t contact = 0;
    bool slip_ends = false, opens = false;
    /// All that yield there, with the directions of the slip that begins; of a joint its x.
    std::vector<std::pair<std::uint32_t, Vec3>> yields = {};
  };
  [[nodiscard]] std::optional<ModeChange> first_mode_change(double slip_tolerance) const;
  [[nodiscard]] double load_scale() const;  ///< weights and forces on the bodies [N]
  /// Contacts and stops that carry nothing at a time within the step: where one opens, these open with it.
  [[nodiscard]] std::vector<std::size_t> unloaded(double t, double slip_tolerance) const;

 private:
  struct Forces;
  /// How much is wanted: where contacts are, forces and rates of the speeds, accelerations of all bodies as well.
  enum class Part : std::uint8_t { frames, speeds, bodies };
  /// Friction of sliding contacts is against `along_slip` where that is given, and against their slip otherwise.
  [[nodiscard]] Forces forces(const VecX& state, double t, Part part = Part::bodies,
                              const std::vector<Vec3>* along_slip = nullptr) const;
  [[nodiscard]] Pose side_pose(const IslandSide& side, const VecX& state, double t) const;
  [[nodiscard]] VecX rates(const VecX& state, double t) const;
  [[nodiscard]] VecX rates(const VecX& state, const Forces& f) const;
  void normalise_state(VecX& state) const;
  [[nodiscard]] MatX mass_solve(const Forces& f, const MatX& X) const;
  /// J L for L = 𝓜⁻¹ Jᵀ: two rows meet only in the systems that they share.
  [[nodiscard]] MatX mobility(const MatX& J, const MatX& L) const;
  /// Rows that hold contacts and joints, as velocities or as gaps.
  struct Rows {
    MatX J, L;
    VecX values;
  };
  [[nodiscard]] std::optional<Rows> held_rows(const Forces& f, bool velocities, double drift = 0) const;
  [[nodiscard]] std::size_t system_of_speed(Eigen::Index speed) const;
  /// Dry friction of joints that move, in the accelerations without contacts.
  void add_sliding_dry(const VecX& state, Forces& out) const;
  void fill_accelerations(const Forces& f, const VecX& speeds, VecX& accelerations) const;
  [[nodiscard]] VecX advance(double h, VecX* error) const;
  /// Error of a step of the length h from y in units of the tolerance.
  [[nodiscard]] double relative_error(double h, const VecX& end, const VecX& error, double usual_speed) const;
  /// Whether slip is neither along its direction at the start nor against it at the end of a step: then friction, which
  /// keeps its direction beyond the end of slip, has not followed it.
  [[nodiscard]] bool slip_has_turned(const VecX& end, double h) const;
  /// Whether two halves of the step end where it does, asked where slip changes by much of itself. The error of the
  /// method is estimated from the rates at both ends alone, and these do not show how slip has turned between them.
  [[nodiscard]] bool accurate_where_slip_turns(double h, const VecX& end, double usual_speed) const;
  /// In which slip that turns at the state y changes by as much as it is; infinite where none turns [s].
  [[nodiscard]] double turning_time() const;
  /// The same of the slowest slip that creeps, from what `usual_speed` says; zero where none creeps.
  [[nodiscard]] double creeping_time(double usual) const;
  [[nodiscard]] double usual_speed() const;  ///< what the accelerations give over the size [m/s]
  /// A step of constant accelerations, accepted where the forces along it are those at its start.
  [[nodiscard]] bool take_uniform_step(double h);
  /// Whether the accelerations after a part of a step of the length h are those that it takes as constant.
  [[nodiscard]] bool keeps_accelerations(double by, double h, Forces& there) const;
  [[nodiscard]] VecX uniform_state(double h) const;
  struct SlipResponse;
  [[nodiscard]] SlipResponse slip_response() const;
  /// A step of the length h by collocation, with directions of slip that are those at the nodes: its end, or nothing
  /// where the iteration does not converge.
  [[nodiscard]] std::optional<VecX> collocate(const SlipResponse& response, double h, double usual_speed, VecX& error);
  /// A step by collocation where slip is stiff; false: it is not, or no such step is accurate.
  [[nodiscard]] bool take_collocated_step(double longest);
  [[nodiscard]] VecX collocated_state(double h) const;
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
