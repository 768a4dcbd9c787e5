#pragma once
/// Mechanisms from URDF and MJCF files, read by MuJoCo. Only its kinematics and smooth dynamics are used, never its
/// contact forces, and its distances only where they are exact; the other distances come from FCL. Target
/// ricochet_models; docs/mechanisms.md.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ricochet/mechanism/articulated.hpp"
#include "ricochet/mechanism/driven_tree.hpp"
#include "ricochet/mechanism/response.hpp"
#include "ricochet/mechanism/robot_description.hpp"

namespace ricochet {

/// A joint and its indices in q and u. Conventions are those of JointType; a revolute or prismatic joint's q is the
/// file's, offset by its reference value.
struct ModelJoint {
  std::string name;
  JointType type;
  int position;  ///< index of its first position
  int speed;     ///< index of its first speed
};

/// A shape of one of the bodies, for drawing: the convex hull of `corners`, each of them a ball of `radius`.
struct ModelShape {
  std::string name, body;     ///< the name used in contacts
  std::vector<Vec3> corners;  ///< world [m]
  double radius = 0;          ///< [m]
  bool fixed = false;         ///< to the world
  bool bone = false;  ///< not a shape of the file: a line from a joint to its child, drawn for links without shapes
  Vec3 centre = Vec3::Zero();
  MatX J;  ///< 3 × dof: velocity of the centre = J u
};

class ModelState;

/// A robot file, read once; a cheap handle that may be copied. A default-constructed one is empty.
class MujocoModel {
 public:
  /// URDF or MJCF, told apart by content. What the installed MuJoCo cannot read and has no part in smooth dynamics and
  /// collision geometry is left out first (description().left_out). MuJoCo reads in a process of its own: every error
  /// of it (malformed XML, a missing mesh, an unknown joint), and its end, is returned as an Error that says so.
  [[nodiscard]] static Expected<MujocoModel> load(const std::string& file);
  /// The same from memory; meshes are looked for in the working directory.
  [[nodiscard]] static Expected<MujocoModel> parse(std::string_view xml);

  /// Whether this was built with FCL, and can therefore compute the distance of every pair of convex shapes.
  [[nodiscard]] static bool has_every_distance();

  [[nodiscard]] int position_count() const;
  [[nodiscard]] int speed_count() const;
  [[nodiscard]] const std::vector<ModelJoint>& joints() const;
  [[nodiscard]] std::vector<std::string> bodies() const;  ///< "world" first
  /// Positions as the file draws the mechanism.
  [[nodiscard]] VecX reference() const;
  /// MuJoCo's warnings while reading; may be empty.
  [[nodiscard]] const std::string& remark() const;

  [[nodiscard]] const RobotDescription& description() const;
  /// By name, or by its number from 0.
  [[nodiscard]] Expected<Keyframe> keyframe(std::string_view name) const;
  [[nodiscard]] Vec3 gravity() const;
  /// Free joints, and slides of roots along gravity.
  [[nodiscard]] std::vector<FloatingRoot> floating_roots() const;
  /// Ranges of speeds, first and count, that the mass matrix does not couple: one for each tree; all of them in one
  /// range where there are loops.
  [[nodiscard]] std::vector<std::pair<int, int>> independent_speeds() const;
  /// Whether the file lets two shapes collide, by their numbers in LinkShape: MuJoCo's own rules.
  [[nodiscard]] bool may_collide(int shape_a, int shape_b) const;

  /// Fails with the closest known name.
  [[nodiscard]] Expected<ModelJoint> joint(std::string_view name) const;
  /// Sets one joint's entries of q or of u.
  [[nodiscard]] Expected<void> set_position(VecX& q, std::string_view joint, const std::vector<double>& values) const;
  [[nodiscard]] Expected<void> set_speed(VecX& u, std::string_view joint, const std::vector<double>& values) const;

  /// q moved so that every loop closes, by Newton's method from q; fails where that does not converge. Joints whose
  /// speeds are `held` stay where they are.
  [[nodiscard]] Expected<VecX> close_loops(const VecX& q, const std::vector<bool>& held = {}) const;
  /// u without the part that violates the loops at q, in the metric of the kinetic energy; where speeds are `held`, the
  /// others changed as little as possible. Fails where that is not enough.
  [[nodiscard]] Expected<VecX> admissible_speeds(const VecX& q, const VecX& u,
                                                 const std::vector<bool>& held = {}) const;

  /// Fails on a q that leaves a loop open by more than 1e-6 and on a u that violates one by more than 1e-9 of its size.
  [[nodiscard]] Expected<ModelState> at(const VecX& q, const VecX& u) const;

  /// The same mechanism as a `Tree`, with its loops opened. Speeds are the same; positions are `tree_position(q)`.
  [[nodiscard]] Tree tree() const;
  [[nodiscard]] VecX tree_position(const VecX& q) const;
  /// The tree with dampers and springs of its joints. Loops that connect two points and joints that follow others in
  /// proportion are kept; fails on other loops.
  [[nodiscard]] Expected<DrivenTree> driven_tree() const;

 private:
  friend class ModelState;
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

/// The mechanism in one state, immutable. A default-constructed one is empty.
class ModelState {
 public:
  [[nodiscard]] const VecX& q() const;
  [[nodiscard]] const VecX& u() const;

  [[nodiscard]] MatX mass_matrix() const;    ///< of the open tree
  [[nodiscard]] MatX loop_jacobian() const;  ///< G: the loops allow G u = 0; no rows without loops
  [[nodiscard]] double kinetic_energy() const;

  /// 𝓜⁻¹, with the loops closed (G8).
  [[nodiscard]] MassSolver solver() const;

  /// All contacts between bodies that the file allows to collide and that are nearer than `reach` [m]; a mesh stands
  /// for its convex hull. A pair that may be within reach and whose distance is not known exactly
  /// (docs/mechanisms.md) is among the uncertain: a wrong distance would be worse than none.
  /// With `moving_only` pairs of bodies that move as one piece are left out.
  [[nodiscard]] Expected<FoundContacts> contacts(double reach, bool moving_only = false) const;

  /// A contact known from another source: bodies by name ("world"), the point on both of them, n from first to
  /// second.
  [[nodiscard]] Expected<ContactPoint> contact_point(std::string_view first, std::string_view second, const Vec3& point,
                                                     const Vec3& n) const;

  [[nodiscard]] std::vector<LinkShape> link_shapes() const;
  /// 3 × dof: velocity of the point of a body, by its number in LinkShape::link.
  [[nodiscard]] MatX jacobian(int body, const Vec3& point) const;

  /// Every bounded shape, round ones approximated for drawing, and a line for each link without a shape or with only a
  /// ball.
  [[nodiscard]] std::vector<ModelShape> shapes() const;

  /// Generalised accelerations of the open tree under its own forces (gravity, springs, Coriolis) and `force`.
  [[nodiscard]] Expected<VecX> smooth_acceleration(const VecX& force) const;

 private:
  friend class MujocoModel;
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace ricochet
