#pragma once
/// A planar contact in its own plane, and as the dimensionless problem of the spring-sledge
/// (docs/laws/spring-sledge.md (L3)).

#include "ricochet/compliant/planar_sledge.hpp"
#include "ricochet/contact/contact.hpp"

namespace ricochet::compliant {

struct PlanarContact {
  Vec3 n, t;                ///< the plane; t along the slip where there is one
  double w_nn, w_nt, w_tt;  ///< W in it [1/kg]
  double v_n, v_t;          ///< V⁻ in it [m/s]; v_n < 0, v_t ≥ 0

  [[nodiscard]] PlanarSledge<double> sledge(double kappa, double mu, double e) const {
    return {.b = w_nt / w_nn, .c = w_tt / w_nn, .v_t = v_t / -v_n, .kappa = kappa, .mu = mu, .e = e};
  }
  /// Of an impulse of 1 in that problem [N s].
  [[nodiscard]] double impulse_unit() const { return -v_n / w_nn; }
};

/// Fails on separating bodies (V) and where n and t are coupled to the direction across them (W). Without slip the
/// plane is that of the coupling between n and the surface, or any if there is none.
[[nodiscard]] Expected<PlanarContact> planar_contact(const Contact& contact);

}  // namespace ricochet::compliant
