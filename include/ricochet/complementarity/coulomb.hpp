#pragma once
/// Coulomb friction at many contacts: G in the product of cones, 0 ≤ G_n ⊥ U_n ≥ 0, friction against the slip that is
/// left. By the NSGS iteration of Siconos, docs/complementarity.md (L6).

#include "ricochet/complementarity/contact_space.hpp"

namespace ricochet {

struct CoulombAnswer {
  VecX G;
  VecX U;
  double residual = 0;  ///< (L7), relative to the largest |q|
  std::string_view solver;
};

/// U = q + W G. The residual is computed here; above `tolerance` there is no answer but an error.
[[nodiscard]] Expected<CoulombAnswer> solve_coulomb(const BlockMatrix& W, const VecX& q, const VecX& mu,
                                                    double tolerance = 1e-8);

/// How far G and U are from Coulomb's conditions with normal impulses bounded below by `least`: the largest change of
/// velocity by which one projected step of each contact would move it [m/s].                                  (L7)
[[nodiscard]] double coulomb_residual(const BlockMatrix& W, const VecX& G, const VecX& U, const VecX& mu,
                                      const VecX& least);

/// Sweeps over the contacts, each in turn given the normal impulse that ends its approach but no less than `least`, and
/// then the friction that (A1) gives at it; from G on, down to rounding if it goes there, else until it stands still.
/// (L8). Returns the residual (L7).
double sweep_coulomb(const BlockMatrix& W, const VecX& q, const VecX& mu, const VecX& least, std::size_t most, VecX& G,
                     VecX& U);

}  // namespace ricochet
