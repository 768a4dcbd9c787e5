#pragma once
/// Coulomb friction at many contacts: G in the product of cones, 0 ≤ G_n ⊥ U_n ≥ 0, friction against the remaining
/// slip. By the NSGS iteration of Siconos, docs/complementarity.md (LC6).

#include "ricochet/complementarity/contact_space.hpp"

namespace ricochet {

struct CoulombAnswer {
  VecX G;
  VecX U;
  double residual = 0;  ///< (LC7), relative to the largest |q|
  std::string_view solver;
};

/// U = q + W G. The residual is computed here; above `tolerance` is an error.
[[nodiscard]] Expected<CoulombAnswer> solve_coulomb(const BlockMatrix& W, const VecX& q, const VecX& mu,
                                                    double tolerance = 1e-8);

/// How far G and U are from Coulomb's conditions with normal impulses bounded below by `least`: the largest change of
/// velocity by which one projected step of each contact would move it [m/s].                                  (LC7)
[[nodiscard]] double coulomb_residual(const BlockMatrix& W, const VecX& G, const VecX& U, const VecX& mu,
                                      const VecX& least);

/// Sweeps over the contacts, each in turn given the normal impulse that ends its approach, at least `least`, and then
/// the friction of (A1); starting from G, until the residual reaches rounding or stagnates. (LC8). Returns the residual
/// (LC7).
double sweep_coulomb(const BlockMatrix& W, const VecX& q, const VecX& mu, const VecX& least, std::size_t most, VecX& G,
                     VecX& U);

}  // namespace ricochet
