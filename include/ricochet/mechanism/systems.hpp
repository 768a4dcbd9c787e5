#pragma once
/// Ready-made systems. Planar ones lie in the x–z plane, z up; angles turn x towards z. Gravity acts
/// along −z. Invalid numbers (such as a nonpositive mass) are reported by the functions of
/// lagrangian.hpp.

#include <optional>
#include <string>
#include <vector>

#include "ricochet/mechanism/lagrangian.hpp"

namespace ricochet {

/// A uniform slender rod.
struct Rod {
  double length = 1;  ///< [m]
  double mass = 1;    ///< [kg]
};

struct Surroundings {
  double gravity = 9.80665;     ///< [m/s²]
  std::optional<double> floor;  ///< z of the floor [m]; absent: the point touches the floor
};

/// One rod on a hinge at the origin, q = angle from the vertical. Point "tip", contact "floor".
[[nodiscard]] Lagrangian single_pendulum(const Rod& rod, const Surroundings& around = {});

/// Two rods on a hinge at the origin, q = angles of the rods from the vertical (ST98 example 1; Kane's puzzle). With h
/// = ½ m₂ ℓ₁ ℓ₂:
///   𝓜 = [[(m₁/3 + m₂) ℓ₁², h cos(q₂ − q₁)], [·, m₂ ℓ₂²/3]]                                              (G3)
/// Points "elbow" and "tip", contact "floor".
[[nodiscard]] Lagrangian double_pendulum_absolute(const Rod& upper, const Rod& lower, const Surroundings& around = {});

/// The same mechanism, q₁ = angle of the upper rod from x, q₂ = angle of the lower rod from the upper (M11
/// section 2.1):
///   𝓜 = [[a + b + 2c, b + c], [·, b]],  a = (m₁/3 + m₂) ℓ₁²,  b = m₂ ℓ₂²/3,  c = h cos q₂               (G4)
[[nodiscard]] Lagrangian double_pendulum_relative(const Rod& upper, const Rod& lower, const Surroundings& around = {});

/// Converts configuration and speeds of the first form to the second.
[[nodiscard]] VecX relative_angles(const VecX& absolute);
[[nodiscard]] VecX relative_speeds(const VecX& absolute);

/// A marked point of a body, in body axes from the centre of mass [m]; planar bodies ignore y.
struct BodyMark {
  std::string name;
  Vec3 arm = Vec3::Zero();
};

/// q = (x, z, angle), u = q̇. Each mark is a point, and a contact "NAME on floor".
[[nodiscard]] Lagrangian free_planar_body(double mass, double inertia, const std::vector<BodyMark>& marks,
                                          const Surroundings& around = {});

/// A free rod in the plane, its angle counted from the horizontal. Points "left" (−ℓ/2 along the rod) and "right".
[[nodiscard]] Lagrangian inclined_bar(const Rod& rod, const Surroundings& around = {});

/// Newton and Euler (ST98 Eqs. 39 and 40): q = (x, y, z, quaternion w x y z), u = (velocity of the centre of mass,
/// angular velocity), both in world axes; so u is not q̇. `inertia` in body axes. Each mark is a point, and a contact
/// "NAME on floor". A quaternion that is not of unit length (to 1e-9) is an error.
[[nodiscard]] Lagrangian free_spatial_body(double mass, const Mat3& inertia, const std::vector<BodyMark>& marks,
                                           const Surroundings& around = {});

/// Velocity J u of a point of a planar system: rows x and z, zero along y.
[[nodiscard]] MatX planar_jacobian(const Eigen::RowVectorXd& along_x, const Eigen::RowVectorXd& along_z);

}  // namespace ricochet
