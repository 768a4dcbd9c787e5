#pragma once
/// The four conditions of CR98 section 3.2 on an impulse, each with a signed margin: positive inside, zero on the
/// boundary, negative outside.

#include <cmath>
#include <limits>

#include "ricochet/base/linear.hpp"

namespace ricochet {

struct Margins {
  double energy = 0;       ///< kinetic energy lost, −ΔE [J]
  double separation = 0;   ///< n·V⁺ [m/s]
  double compression = 0;  ///< n·P [N s]
  double friction = 0;     ///< μ n·P − ‖P_t‖ [N s]; +inf or −inf by the sign of n·P where μ is infinite
};

struct Certificate {
  Margins margins;
  bool permissible = false;  ///< no margin is negative beyond rounding of the terms it is made of
};

/// Change of kinetic energy under P, exact for any W:  ΔE = P·V + ½ PᵀWP.                              (S1)
template <class T>
RICOCHET_HD T energy_change(const Mat3T<T>& W, const Vec3T<T>& V, const Vec3T<T>& P) {
  return P.dot(V + (W * P) / T(2));
}

/// In local axes (n = e₁). Components of P, V and W are known to rounding of their norms, since the axes they were
/// given in are not these; each margin is allowed `slack` times what that makes of it.
template <class T>
RICOCHET_HD Certificate certify(const Mat3T<T>& W, const Vec3T<T>& V, const Vec3T<T>& P, double mu,
                                double slack = 1e-12) {
  using std::sqrt;
  const Vec3T<T> WP = W * P;
  const T P_t = sqrt(P(1) * P(1) + P(2) * P(2));
  const double size = double(P.norm());
  const double speed = double(V.norm()) + double(W.norm()) * size;
  Certificate c;
  c.margins.energy = double(-P.dot(V + WP / T(2)));
  c.margins.separation = double(V(0) + WP(0));
  c.margins.compression = double(P(0));
  const bool unlimited = mu == std::numeric_limits<double>::infinity();
  const bool pulls = c.margins.compression < -slack * size;
  c.margins.friction = unlimited ? (pulls ? -mu : mu) : double(T(mu) * P(0) - P_t);
  c.permissible = c.margins.energy >= -slack * size * speed && c.margins.separation >= -slack * speed && !pulls &&
                  (unlimited || c.margins.friction >= -slack * (1 + mu) * size);
  return c;
}

}  // namespace ricochet
