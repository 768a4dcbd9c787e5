#pragma once
/// A disc: a cylinder whose faces are domed so slightly that contact passes smoothly from face to edge
/// (docs/compliant/disc-on-plane.md).

#include <string_view>

#include "ricochet/base/error.hpp"
#include "ricochet/base/linear.hpp"

namespace ricochet::compliant {

struct DiscShape {
  double radius = 1;          ///< R [m]
  double half_thickness = 0;  ///< H [m]; 0 is a circle
  double fillet = 0;          ///< ϱ, radius of the edges [m]
  double blend = 0.02;        ///< ε, sine of the tilt at which face contact has become edge contact
};

/// World axes. A disc is symmetric about its axis, so the axis determines its attitude.
struct Disc {
  DiscShape shape;
  double mass = 1;                       ///< m [kg]
  double axial_inertia = 0.5;            ///< J_a [kg m²]
  double transverse_inertia = 0.25;      ///< J_t [kg m²]
  Vec3 position = Vec3::Zero();          ///< of the centre of mass [m]
  Vec3 axis = Vec3::UnitZ();             ///< a, unit
  Vec3 velocity = Vec3::Zero();          ///< [m/s]
  Vec3 angular_velocity = Vec3::Zero();  ///< [rad/s]
};

/// A solid of even density: J_a = mR²/2, J_t = mR²/4 + mH²/3.
[[nodiscard]] Disc solid_disc(double mass, const DiscShape& shape);

/// Validates: R > 0, H ≥ 0, ϱ ≥ 0, 0 < ε ≤ 1/2, J_a ≤ 2 J_t, a of unit length.
[[nodiscard]] Expected<void> check(const Disc& disc, std::string_view path = "");

/// ½ m v² + ½ ω·L [J].
[[nodiscard]] double kinetic_energy(const Disc& disc);

/// L = J_t ω + (J_a − J_t)(a·ω) a [kg m²/s], about the centre of mass.
[[nodiscard]] Vec3 angular_momentum(const Disc& disc);

/// Support function and support point of the disc in the direction of the unit vector d.
struct Support {
  double h = 0;                                 ///< (D1) [m]
  Vec3 arm = Vec3::Zero();                      ///< r(d) of (D3) [m]
  double dome = 0;                              ///< the domed body's own point is arm + dome·d [m]
  double rim = 0;                               ///< w(σ): 0 on the face, 1 on the edge
  double meridian_radius = 0, axis_radius = 0;  ///< ρ_m, ρ_a of (DD4) [m]
  double sine = 0;                              ///< σ
  int piece = 0;                                ///< of (D1): from one to the next its third derivative jumps
};
[[nodiscard]] Support support(const DiscShape& shape, const Vec3& axis, const Vec3& d);

/// The disc after a time t of free flight under gravity −g_0 z, in closed form: a turns about L.
[[nodiscard]] Disc fly(const Disc& disc, double t, double g_0 = 0);

}  // namespace ricochet::compliant
