#pragma once
/// A mechanism that `impact` can strike: one from a robot file, or one that comes with ricochet.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "read_state.hpp"
#include "ricochet/mechanism/response.hpp"

namespace ricochet::app {

/// A joint, or whatever else has a name and numbers in q and u.
struct Coordinate {
  std::string name;
  int position = 0, positions = 1;  ///< first entry of q, and how many
  int speed = 0, speeds = 1;        ///< likewise of u
};

/// A link as a picture shows it: the convex hull of its corners, each of them a ball of `radius`.
struct MachinePart {
  std::string name;
  std::vector<std::string> contacts;  ///< names by which contacts call it
  std::vector<Vec3> corners;          ///< world [m]
  double radius = 0;                  ///< [m]
  bool fixed = false;
  bool bone = false;  ///< only a line between what has a shape
  Vec3 centre = Vec3::Zero();
  MatX J;  ///< 3 × dof: velocity of the centre = J u
};

class Machine {
 public:
  virtual ~Machine() = default;

  [[nodiscard]] virtual const std::vector<Coordinate>& coordinates() const = 0;
  /// What holds where nothing is given.
  [[nodiscard]] virtual VecX default_q() const = 0;
  [[nodiscard]] virtual VecX default_u() const = 0;

  [[nodiscard]] virtual Expected<VecX> close_loops(const VecX& q) const = 0;
  [[nodiscard]] virtual Expected<VecX> admissible_speeds(const VecX& q, const VecX& u) const = 0;
  /// Takes up a state; what follows is asked of it.
  [[nodiscard]] virtual Expected<void> place(const VecX& q, const VecX& u) = 0;

  [[nodiscard]] virtual Expected<std::vector<ContactPoint>> contacts(double reach) const = 0;
  [[nodiscard]] virtual Expected<ContactPoint> contact_point(const StatedContact& stated) const = 0;
  [[nodiscard]] virtual MassSolver solver() const = 0;
  [[nodiscard]] virtual MatX mass_matrix() const = 0;
  [[nodiscard]] virtual std::vector<MachinePart> parts() const = 0;
};

/// URDF or MJCF. In a program without MuJoCo the error says so.
[[nodiscard]] Expected<std::unique_ptr<Machine>> open_robot(const std::string& file);

/// Puts the numbers of one coordinate, or of all of them, in their places in q or u.
[[nodiscard]] Expected<void> put(const Machine& machine, const NamedNumbers& given, bool position, VecX& x);

}  // namespace ricochet::app
