#pragma once
/// A mechanism for `impact`: from a robot file, or bundled.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/mechanism/driven_tree.hpp"
#include "ricochet/mechanism/response.hpp"
#include "ricochet/mechanism/robot_description.hpp"
#include "ricochet/scene/mechanism_state.hpp"

namespace ricochet {

/// A joint or another named group of entries of q and u.
struct Coordinate {
  std::string name;
  int position = 0, positions = 1;  ///< first entry of q, and how many
  int speed = 0, speeds = 1;        ///< as above of u
};

/// A link for drawing: the convex hull of its corners, each a ball of `radius`.
struct MachinePart {
  std::string name;
  std::vector<std::string> contacts;  ///< its names in contacts
  std::vector<Vec3> corners;          ///< world [m]
  double radius = 0;                  ///< [m]
  bool fixed = false;
  bool bone = false;  ///< only a line between links with shapes
  Vec3 centre = Vec3::Zero();
  MatX J;  ///< 3 × dof: velocity of the centre = J u
};

/// Speeds that the mass matrix does not couple with any others.
struct IndependentSystem {
  int first = 0, count = 0;  ///< entries of u
  MassSolver solve;
};
/// 𝓜⁻¹ with these blocks.
[[nodiscard]] MassSolver block_solver(std::vector<IndependentSystem> systems);

class Machine {
 public:
  virtual ~Machine() = default;

  [[nodiscard]] virtual const std::vector<Coordinate>& coordinates() const = 0;
  /// Default values.
  [[nodiscard]] virtual VecX default_q() const = 0;
  [[nodiscard]] virtual VecX default_u() const = 0;

  /// q moved to the nearest that closes all loops, but for the joints of the speeds that are held; empty: none.
  [[nodiscard]] virtual Expected<VecX> close_loops(const VecX& q, const std::vector<bool>& held) const = 0;
  /// u changed so that all loops stay closed, but for those that are held.
  [[nodiscard]] virtual Expected<VecX> admissible_speeds(const VecX& q, const VecX& u,
                                                         const std::vector<bool>& held) const = 0;
  /// Sets the state for the functions below.
  [[nodiscard]] virtual Expected<void> place(const VecX& q, const VecX& u) = 0;

  /// Contacts with a gap up to `reach` [m]; with `moving_only` none between bodies that move as one piece.
  [[nodiscard]] virtual Expected<FoundContacts> contacts(double reach, bool moving_only = false) const = 0;
  [[nodiscard]] virtual Expected<ContactPoint> contact_point(const StatedContact& stated) const = 0;
  [[nodiscard]] virtual MassSolver solver() const = 0;
  /// In the order of their speeds, all of them; one with all speeds where a machine does not know better.
  [[nodiscard]] virtual std::vector<IndependentSystem> systems() const;
  [[nodiscard]] virtual MatX mass_matrix() const = 0;
  [[nodiscard]] virtual std::vector<MachinePart> parts() const = 0;

  // Of robots; a bundled system has its own state and floor.
  [[nodiscard]] virtual const RobotDescription* description() const { return nullptr; }
  [[nodiscard]] virtual Expected<Keyframe> keyframe(std::string_view name) const;
  [[nodiscard]] virtual Vec3 gravity() const { return {0, 0, -9.81}; }  ///< [m/s²]
  [[nodiscard]] virtual std::vector<FloatingRoot> floating_roots() const { return {}; }
  /// Shapes, also those that collide with nothing.
  [[nodiscard]] virtual std::vector<LinkShape> link_shapes() const { return {}; }
  [[nodiscard]] virtual bool may_touch(const LinkShape&, const LinkShape&) const { return false; }
  /// Those that can strike a floor: all that collide, or all where none does.
  [[nodiscard]] virtual std::vector<LinkShape> striking_shapes() const;
  /// How it moves between impacts, and its q and u there.
  [[nodiscard]] virtual Expected<DrivenTree> driven_tree() const;
  [[nodiscard]] virtual VecX tree_position(const VecX& q) const { return q; }
  [[nodiscard]] virtual VecX tree_speeds(const VecX& /*q*/, const VecX& u) const { return u; }
  /// 3 × dof: velocity of the point of a link = J u.
  [[nodiscard]] virtual MatX jacobian(int link, const Vec3& point) const;
};

/// How a robot file is read.
struct RobotOptions {
  std::map<std::string, std::string> packages;  ///< folders of ROS packages by name, for meshes of URDF
  std::optional<bool> free_base;                ///< of URDF; otherwise by the rule of docs/robots.md
};

/// MJCF by MuJoCo, URDF by urdfdom, xacro by the program xacro: an error where what is needed is not there.
[[nodiscard]] Expected<std::unique_ptr<Machine>> open_robot(const std::string& file, const RobotOptions& options = {});

/// Writes the numbers of one coordinate, or of all, to their entries in q or u. Quaternions of unit length to 1e-3 are
/// mended.
[[nodiscard]] Expected<void> put(const Machine& machine, const NamedNumbers& given, bool position, VecX& x);

}  // namespace ricochet
