#pragma once
/// A mechanism for `impact`: from a robot file, or bundled.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/mechanism/response.hpp"
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

class Machine {
 public:
  virtual ~Machine() = default;

  [[nodiscard]] virtual const std::vector<Coordinate>& coordinates() const = 0;
  /// Default values.
  [[nodiscard]] virtual VecX default_q() const = 0;
  [[nodiscard]] virtual VecX default_u() const = 0;

  [[nodiscard]] virtual Expected<VecX> close_loops(const VecX& q) const = 0;
  [[nodiscard]] virtual Expected<VecX> admissible_speeds(const VecX& q, const VecX& u) const = 0;
  /// Sets the state for the functions below.
  [[nodiscard]] virtual Expected<void> place(const VecX& q, const VecX& u) = 0;

  [[nodiscard]] virtual Expected<std::vector<ContactPoint>> contacts(double reach) const = 0;
  [[nodiscard]] virtual Expected<ContactPoint> contact_point(const StatedContact& stated) const = 0;
  [[nodiscard]] virtual MassSolver solver() const = 0;
  [[nodiscard]] virtual MatX mass_matrix() const = 0;
  [[nodiscard]] virtual std::vector<MachinePart> parts() const = 0;
};

/// URDF or MJCF. Without MuJoCo this is an error.
[[nodiscard]] Expected<std::unique_ptr<Machine>> open_robot(const std::string& file);

/// Writes the numbers of one coordinate, or of all, to their entries in q or u.
[[nodiscard]] Expected<void> put(const Machine& machine, const NamedNumbers& given, bool position, VecX& x);

}  // namespace ricochet
