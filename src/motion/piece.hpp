#pragma once
/// The motion of one body over an interval of time (docs/simulation.md (MO1) to (MO4)): a polynomial for its centre of
/// mass, and a rotation that is uniform or a polynomial of the quaternion.

#include <array>
#include <cstdint>
#include <vector>

#include "ricochet/motion/simulation.hpp"

namespace ricochet::motion {

struct Piece {
  enum class Turning : std::uint8_t { none, uniform, series };
  static constexpr std::size_t terms = 6;

  double start = 0;  ///< [s]
  double end = 0;    ///< beyond it the piece is not valid
  int degree = 2;    ///< of the centre of mass
  std::array<Vec3, terms> x{};
  Turning turning = Turning::none;
  Quaternion orientation = Quaternion::Identity();  ///< at the start
  Vec3 angular_velocity = Vec3::Zero();             ///< as above, world axes
  std::vector<Eigen::Vector4d> q;                   ///< series: quaternion (w, x, y, z)
  std::vector<Vec3> w;                              ///< series of a flight: angular velocity in body axes
  // Over the whole piece:
  double speed = 0, acceleration = 0;                  ///< of the centre of mass, largest
  double turning_speed = 0, turning_acceleration = 0;  ///< largest

  [[nodiscard]] Vec3 position(double t) const;
  [[nodiscard]] Vec3 velocity(double t) const;
  [[nodiscard]] Pose pose(double t) const;
};

/// Flight under a constant acceleration, without a torque. A body that neither is round nor turns about a principal
/// axis has a piece that ends where its series does.
[[nodiscard]] Piece fly(const RigidBody& body, const Pose& at, const Vec3& acceleration, double t, double end);

/// The polynomials of degree 5 with position, velocity and acceleration of both ends.
struct PieceEnd {
  Pose pose;
  Vec3 acceleration, angular_acceleration;
};
[[nodiscard]] std::array<double, Piece::terms> hermite_polynomial(const std::array<double, 3>& a,
                                                                  const std::array<double, 3>& b, double h);
[[nodiscard]] Piece interpolate(const PieceEnd& a, const PieceEnd& b, double t, double h);

}  // namespace ricochet::motion
