#pragma once
/// Kinematic trees and their response to impulses in time linear in the number of links: impulses propagate to the root
/// and velocity jumps propagate back, without forming the mass matrix (M11 chapter 3; Featherstone's articulated
/// bodies). Spatial vectors are in world axes and refer to each link's own origin, so that a long chain loses no
/// accuracy to the distance from the world's origin. docs/mechanisms.md (G9), (G10).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/mechanism/response.hpp"

namespace ricochet {

/// How a link moves relative to its parent, and its numbers of positions and speeds:
///   fixed      0, 0
///   revolute   1, 1   angle about the axis, through the link's origin
///   prismatic  1, 1   way along the axis
///   ball       4, 3   unit quaternion (w, x, y, z); angular velocity in the link's axes
///   free       7, 6   origin and quaternion in the placement; velocity of the origin in the placement's axes, then
///                     angular velocity in the link's axes
enum class JointType : std::uint8_t { fixed, revolute, prismatic, ball, free };

[[nodiscard]] int position_count(JointType type);
[[nodiscard]] int speed_count(JointType type);

struct Link {
  std::string name;
  int parent = -1;  ///< index of an earlier link; −1: the world
  JointType joint = JointType::fixed;
  Vec3 axis = Vec3::UnitZ();         ///< of a revolute or prismatic joint, in the link's axes; any length but zero
  Vec3 position = Vec3::Zero();      ///< placement: the link's origin in the parent's frame when q is zero [m]
  Mat3 rotation = Mat3::Identity();  ///< placement: the link's axes in the parent's when q is zero
  double mass = 0;                   ///< [kg]; may be zero if the link carries others with mass
  Vec3 centre = Vec3::Zero();        ///< centre of mass in the link's frame [m]
  Mat3 inertia = Mat3::Zero();       ///< about the centre of mass, in the link's axes [kg m²]
  double rotor = 0;                  ///< additional inertia on the joint's speeds (a geared motor)
};

/// Parents come before their children. Speeds, and positions, are those of the links in order.
struct Tree {
  std::vector<Link> links;

  [[nodiscard]] int position_count() const;
  [[nodiscard]] int speed_count() const;
};

/// A link at one configuration.
template <class T>
struct LinkPlace {
  using Subspace = Eigen::Matrix<T, 6, Eigen::Dynamic, 0, 6, 6>;
  Eigen::Matrix<T, 3, 3> R;       ///< link's axes in the world
  Eigen::Matrix<T, 3, 1> origin;  ///< in the world [m]
  Eigen::Matrix<T, 3, 1> centre;  ///< centre of mass, in the world [m]
  Subspace S;                     ///< (ω; v at the origin) relative to the parent = S u_link
  int first = 0;                  ///< index of the link's first speed
};

/// The tree at one configuration.
struct Kinematics {
  using Place = LinkPlace<double>;
  std::vector<Place> places;
  int dof = 0;
};

/// Checks the tree and the length of q; quaternions must be of unit length to 1e-6.
[[nodiscard]] Expected<Kinematics> forward_kinematics(const Tree& tree, const VecX& q);

/// q after the time dt at constant speeds u (rotations along their own geodesic).
[[nodiscard]] Expected<VecX> advance(const Tree& tree, const VecX& q, const VecX& u, double dt);

/// 3 × dof: velocity of the point of the link that is at `point` (world) = J u. Link −1, the world, gives zero.
[[nodiscard]] MatX point_jacobian(const Tree& tree, const Kinematics& posture, int link, const Vec3& point);

/// A contact between two links, or a link and the world (−1), at one point. Fails on unknown links.
[[nodiscard]] Expected<ContactPoint> contact_point(const Tree& tree, const Kinematics& posture, int first, int second,
                                                   const Vec3& point, const Vec3& n, double gap = 0);

/// 𝓜, dof × dof, from composite bodies: quadratic in the number of links.
[[nodiscard]] MatX mass_matrix(const Tree& tree, const Kinematics& posture);

/// The articulated inertias at one configuration, with which each response costs one sweep down and one up.
class Articulated {
 public:
  /// Fails where some joint carries no inertia (𝓜 is singular).
  [[nodiscard]] static Expected<Articulated> at(const Tree& tree, const Kinematics& posture);

  /// 𝓜⁻¹ X, linear in the number of links for each column.
  [[nodiscard]] MatX solve(const MatX& X) const;
  [[nodiscard]] MassSolver solver() const&;  ///< holds its own copy
  [[nodiscard]] MassSolver solver() &&;

  /// Response to unit impulses along the world axes at a contact: −e on `first`, +e on `second`, at `point`.
  struct Propagated {
    MatX L;  ///< dof × 3, jumps in the speeds
    Mat3 W;  ///< jumps in the velocity of second's point relative to first's
  };
  /// L and W without J: the impulse enters the tree only at the two links. Link −1 is the world.
  [[nodiscard]] Expected<Propagated> propagate(int first, int second, const Vec3& point) const;

  [[nodiscard]] int dof() const { return dof_; }

 private:
  struct Node {
    int parent = -1, first = 0, speeds = 0;
    std::size_t at = 0;  ///< of its numbers
  };
  /// The numbers of a node, one after the other and close together, since the sweeps wait for memory: the arm from the
  /// parent's origin to its own; S; U = I_A S; (Sᵀ U + rotor)⁻¹.
  template <class Number>
  struct Parts {
    Number *arm, *S, *U, *D_inverse;
  };
  template <class Number>
  [[nodiscard]] static Parts<Number> parts(const Node& node, Number* numbers) {
    Number* const arm = numbers + node.at;
    Number* const S = arm + 3;
    Number* const U = S + std::size_t{6} * static_cast<std::size_t>(node.speeds);
    return {arm, S, U, U + std::size_t{6} * static_cast<std::size_t>(node.speeds)};
  }
  [[nodiscard]] Parts<const double> parts(const Node& node) const { return parts(node, numbers_.data()); }

  struct Load;
  template <int columns>
  void sweep(const Load& load) const;

  std::vector<Node> nodes_;
  std::vector<double> numbers_;
  std::vector<Vec3> origins_;
  int dof_ = 0;
};

}  // namespace ricochet
