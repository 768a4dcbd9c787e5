#pragma once
/// Parameters of the spring-sledge contact, docs/laws/spring-sledge.md.

#include <cstdint>

#include "ricochet/base/error.hpp"

namespace ricochet {

namespace compliant {

/// How the normal spring loses energy.
enum class Damper : std::uint8_t {
  hysteretic,     ///< unloads along a line steeper by 1/e²
  linear,         ///< N = −u_n − d v_n, until it falls to zero
  hunt_crossley,  ///< N = −u_n (1 − α v_n)
};

/// Viscous dampers reach e = 0 only as they grow without bound, 1/√e or 1/e (L13, L14), and freeze the contact.
inline constexpr double least_viscous_e = 1e-4;

}  // namespace compliant

struct SpringSledge {
  double kappa = 14.0 / 17.0;  ///< tangential over normal stiffness, above 0; like spheres of Poisson's ratio 0.3
  double mu = 0;               ///< friction of the sledge, 0 ≤ μ ≤ ∞
  double e = 1;                ///< restitution of the normal spring, 0 ≤ e ≤ 1
  compliant::Damper damper = compliant::Damper::hysteretic;
};

/// The ranges of the parameters.
[[nodiscard]] Expected<void> check(const SpringSledge& law);

}  // namespace ricochet
