#pragma once
/// One rigid body and its response to an impulse at a point (docs/bodies.md).

#include <Eigen/Geometry>
#include <string_view>

#include "ricochet/base/error.hpp"
#include "ricochet/base/linear.hpp"

namespace ricochet {

/// Not aligned, so that the layout of a body does not depend on the instruction set that a user compiles for.
using Quaternion = Eigen::Quaternion<double, Eigen::DontAlign>;

/// In world axes unless stated otherwise.
struct RigidBody {
  double mass = 1;                                  ///< [kg]
  Mat3 inertia = Mat3::Identity();                  ///< J, about the centre of mass, in body axes [kg m²]
  Quaternion orientation = Quaternion::Identity();  ///< turns body axes into world axes
  Vec3 position = Vec3::Zero();                     ///< of the centre of mass [m]
  Vec3 velocity = Vec3::Zero();                     ///< of the centre of mass [m/s]
  Vec3 angular_velocity = Vec3::Zero();             ///< [rad/s]
  bool fixed = false;  ///< no impulse changes its motion, though it may move; mass and inertia are ignored
};

/// Accepts physically possible bodies: mass > 0, inertia symmetric, positive semidefinite, and no principal moment
/// above the sum of the other two (to 1e-9: a flat plate has equality). Zero moments (mass on a line or in a point) are
/// possible; whether an impact is defined depends on the point (see `mobility`). `path` is that of the body in errors:
/// "A" gives "A.mass".
[[nodiscard]] Expected<void> check(const RigidBody& body, std::string_view path = "");

/// Of the body's material point that is now at `point`:  v + ω × r,  r = point − position.             (B1)
[[nodiscard]] Vec3 velocity_at(const RigidBody& body, const Vec3& point);

/// Change of velocity at `point` per impulse at `point`:
///   W = I/m + S(r)ᵀ J⁻¹ S(r) = I/m + Σᵢ (r × aᵢ)(r × aᵢ)ᵀ / Jᵢ                              CR98b Eq. 0.3 (B2)
/// with principal axes aᵢ and moments Jᵢ. The sum form is symmetric and positive by construction. It is zero for a
/// fixed body. An axis with Jᵢ = 0 is left out when r × aᵢ = 0; otherwise an arbitrarily small impulse would spin the
/// body without bound, which is an error.
[[nodiscard]] Expected<Mat3> mobility(const RigidBody& body, const Vec3& point, std::string_view path = "");

/// J⁻¹ in world axes, without the axes whose moment is zero: no impulse that `mobility` accepts rotates the body about
/// these. Zero for a fixed body.
[[nodiscard]] Expected<Mat3> inverse_inertia(const RigidBody& body, std::string_view path = "");

/// The body after impulse P at `point`:  Δv = P/m,  Δω = J⁻¹ (r × P).                                   (B3)
/// Fails where `mobility` does.
[[nodiscard]] Expected<RigidBody> apply_impulse(const RigidBody& body, const Vec3& point, const Vec3& P,
                                                std::string_view path = "");

/// ½ m v·v + ½ ω·Jω [J]; zero for a fixed body, whose energy no impact changes.
[[nodiscard]] double kinetic_energy(const RigidBody& body);

}  // namespace ricochet
