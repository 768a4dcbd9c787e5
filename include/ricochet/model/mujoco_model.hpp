#pragma once
/// Mechanisms from URDF and MJCF files, read by MuJoCo. Only its kinematics and smooth dynamics are used, never its
/// contact forces, and its distances only where they are exact; the others come from FCL. Target ricochet_models;
/// docs/mechanisms.md.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/mechanism/articulated.hpp"
#include "ricochet/mechanism/response.hpp"

namespace ricochet {

/// A joint with its place in q and u. Conventions are those of JointType; a revolute or prismatic joint's q is the
/// file's, offset by its reference value.
struct ModelJoint {
  std::string name;
  JointType type;
  int position;  ///< index of its first position
  int speed;     ///< index of its first speed
};

/// A shape of one of the bodies, for pictures: the convex hull of `corners`, each of them a ball of `radius`.
struct ModelShape {
  std::string name, body;     ///< as contacts that were found name it, and as one that is stated does
  std::vector<Vec3> corners;  ///< world [m]
  double radius = 0;          ///< [m]
  bool fixed = false;         ///< to the world
  bool bone = false;          ///< no shape of the file: a line from a joint to what hangs on it, where nothing else is
  Vec3 centre = Vec3::Zero();
  MatX J;  ///< 3 × dof: velocity of the centre = J u
};

class ModelState;

/// A robot file, read once; a cheap handle that may be copied. A default-made one is empty: assign to it first.
class MujocoModel {
 public:
  /// URDF or MJCF, told apart by content. Every complaint of MuJoCo's (malformed XML, a missing mesh, an unknown joint)
  /// comes back as an Error that quotes it.
  [[nodiscard]] static Expected<MujocoModel> load(const std::string& file);
  /// The same from memory; meshes are then not found.
  [[nodiscard]] static Expected<MujocoModel> parse(std::string_view xml);

  /// Whether this was built with FCL, and so knows the distance of every pair of convex shapes.
  [[nodiscard]] static bool has_every_distance();

  [[nodiscard]] int position_count() const;
  [[nodiscard]] int speed_count() const;
  [[nodiscard]] const std::vector<ModelJoint>& joints() const;
  [[nodiscard]] std::vector<std::string> bodies() const;  ///< "world" first
  /// Positions as the file draws the mechanism.
  [[nodiscard]] VecX reference() const;
  /// What MuJoCo remarked while reading; empty: nothing.
  [[nodiscard]] const std::string& remark() const;

  /// Fails with the nearest name.
  [[nodiscard]] Expected<ModelJoint> joint(std::string_view name) const;
  /// Sets one joint's entries of q or of u.
  [[nodiscard]] Expected<void> set_position(VecX& q, std::string_view joint, const std::vector<double>& values) const;
  [[nodiscard]] Expected<void> set_speed(VecX& u, std::string_view joint, const std::vector<double>& values) const;

  /// q moved so that every loop closes, by Newton's method from q; fails where that does not converge.
  [[nodiscard]] Expected<VecX> close_loops(const VecX& q) const;
  /// u without what breaks the loops at q.
  [[nodiscard]] Expected<VecX> admissible_speeds(const VecX& q, const VecX& u) const;

  /// Refuses a q that leaves a loop open by more than 1e-6 and a u that breaks one by more than 1e-9 of its size.
  [[nodiscard]] Expected<ModelState> at(const VecX& q, const VecX& u) const;

  /// The same mechanism as our own tree, loops cut open. Speeds are the same; positions are `tree_position(q)`.
  [[nodiscard]] Tree tree() const;
  [[nodiscard]] VecX tree_position(const VecX& q) const;

 private:
  friend class ModelState;
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

/// The mechanism in one state: nothing here changes it. A default-made one is empty, too.
class ModelState {
 public:
  [[nodiscard]] const VecX& q() const;
  [[nodiscard]] const VecX& u() const;

  [[nodiscard]] MatX mass_matrix() const;    ///< of the open tree
  [[nodiscard]] MatX loop_jacobian() const;  ///< G: the loops allow G u = 0; no rows without loops
  [[nodiscard]] double kinetic_energy() const;

  /// 𝓜⁻¹, with the loops closed (G8).
  [[nodiscard]] MassSolver solver() const;

  /// Every place where two bodies that the file lets collide are nearer than `reach` [m]; meshes count as their convex
  /// hulls. Fails, naming the two, where a pair of shapes within reach is one whose distance is not known exactly
  /// (height fields; without FCL also others, docs/mechanisms.md): one that is wrong by centimetres would be worse than
  /// none.
  [[nodiscard]] Expected<std::vector<ContactPoint>> contacts(double reach) const;

  /// A contact that is known from elsewhere: bodies by name ("world"), the point on both of them, n from first to
  /// second.
  [[nodiscard]] Expected<ContactPoint> contact_point(std::string_view first, std::string_view second, const Vec3& point,
                                                     const Vec3& n) const;

  /// Every shape that has an end, round ones by as many corners as a picture needs; and a bone for each link that is
  /// nothing or a ball.
  [[nodiscard]] std::vector<ModelShape> shapes() const;

  /// Generalised accelerations of the open tree under its own forces (gravity, springs, Coriolis) and `force`.
  [[nodiscard]] Expected<VecX> smooth_acceleration(const VecX& force) const;

 private:
  friend class MujocoModel;
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace ricochet
