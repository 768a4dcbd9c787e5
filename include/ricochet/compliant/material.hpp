#pragma once
/// From elastic constants to a contact: Hertz's impact of two spheres, the ratio of Mindlin's stiffnesses, and the
/// linear springs and damper that stand for them, docs/equivalents.md (EQ1) to (EQ8).

#include <optional>
#include <string>
#include <vector>

#include "ricochet/base/error.hpp"

namespace ricochet::compliant {

/// A homogeneous sphere, or with an infinite radius an immovable half space.
struct ElasticSphere {
  double E = 0;                      ///< Young's modulus [Pa]
  double nu = 0;                     ///< Poisson's ratio, above −1, at most 1/2
  double density = 0;                ///< [kg/m³]; not used for a half space
  double radius = 0;                 ///< [m]
  std::optional<double> yield = {};  ///< yield stress in simple tension [Pa], if it is to be checked
};

/// Frictionless elastic impact of two spheres, and what Mindlin's theory adds for small tangential loads.
struct HertzImpact {
  double speed = 0;           ///< closing speed [m/s]
  double mass = 0;            ///< m* [kg]
  double radius = 0;          ///< R* [m]
  double E = 0;               ///< E* [Pa]
  double G = 0;               ///< G* [Pa]
  double kappa = 0;           ///< tangential over normal stiffness, the same at every load
  double deflection = 0;      ///< largest approach of the centres [m]
  double force = 0;           ///< largest force [N]
  double contact_radius = 0;  ///< at the largest force [m]
  double pressure = 0;        ///< largest pressure, in the middle of the contact [Pa]
  double contact_time = 0;    ///< [s]
  double speed_ratio = 0;     ///< speed over that of waves along a bar, √(E/ρ), of the slower body
  /// Contact time over the time in which such a wave crosses a sphere and returns; the lesser of the two bodies.
  /// Absent for a half space, from which nothing returns.
  std::optional<double> wave_passages = {};
  std::optional<double> yield_pressure = {};  ///< at which the weaker body yields under the surface [Pa]
};

/// Fails, naming the field, on constants out of range, on two half spaces and on a speed that is not positive.
[[nodiscard]] Expected<HertzImpact> hertz_impact(const ElasticSphere& A, const ElasticSphere& B, double speed);

/// The limits of the theory that are exceeded; may be empty.
[[nodiscard]] std::vector<std::string> beyond_validity(const HertzImpact& impact);

/// What the linear spring shares with the Hertzian one. They cannot share everything: at equal energy the largest force
/// times the largest deflection differs by 5/4.
enum class Match { contact_time, force, deflection };

struct LinearContact {
  double mass = 0;          ///< m* [kg]
  double k_n = 0, k_t = 0;  ///< [N/m]
  double damping = 0;       ///< normal, without tension [N s/m]
  double contact_time = 0;  ///< of a central impact, with the damper [s]
};

/// Springs and damper for restitution e, `least_viscous_e` to 1 (docs/laws/spring-sledge.md (L13)).
[[nodiscard]] Expected<LinearContact> linear_contact(const HertzImpact& impact, Match match, double e);

}  // namespace ricochet::compliant
