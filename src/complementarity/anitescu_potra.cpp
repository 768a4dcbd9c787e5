#include "ricochet/complementarity/anitescu_potra.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ricochet/base/error_path.hpp"
#include "ricochet/base/parameter.hpp"
#include "ricochet/complementarity/coulomb.hpp"

namespace ricochet {
Expected<JointOutcome> resolve_anitescu_potra(const Problem& problem, const SpatialOptions& options) {
  if (const auto fine = in_range("tolerance", options.tolerance, between(0, 0.1)); !fine)
    return tl::unexpected(fine.error());
  const auto space = contact_space(problem);
  if (!space) return tl::unexpected(space.error());
  const auto given = parameters(problem, *space);
  if (!given) return tl::unexpected(given.error());
  const auto k = static_cast<Eigen::Index>(space->size());
  VecX mu(k);
  VecX e(k);
  for (Eigen::Index i = 0; i < k; ++i) {
    mu(i) = (*given)[static_cast<std::size_t>(i)].mu;
    e(i) = (*given)[static_cast<std::size_t>(i)].e;
    if (!std::isfinite(mu(i)))
      return fail(ErrorCode::out_of_range,
                  join_path(entry_path("contact", space->contacts[static_cast<std::size_t>(i)]), "mu"), "inf",
                  "must be finite for this method");
  }
  const double speed = k == 0 ? 0 : space->U.cwiseAbs().maxCoeff();
  if (!(speed > 0)) return joint_outcome(problem, *space, VecX::Zero(3 * k), 0);

  const auto compression = solve_coulomb(space->W, space->U, mu, options.tolerance);
  if (!compression) return tl::unexpected(compression.error());
  const VecX& G_c = compression->G;
  const VecX& U_c = compression->U;
  VecX least(k);
  for (Eigen::Index i = 0; i < k; ++i) least(i) = e(i) * std::max(G_c(3 * i), 0.0);
  VecX G_e = VecX::Zero(3 * k);
  VecX U = U_c;
  double residual_e = 0;
  if (least.maxCoeff() > 0) {
    for (Eigen::Index i = 0; i < k; ++i) G_e.segment<3>(3 * i) = e(i) * G_c.segment<3>(3 * i);
    residual_e = sweep_coulomb(space->W, U_c, mu, least, options.max_sweeps, G_e, U) / speed;
    if (!(residual_e <= options.tolerance))
      return fail(ErrorCode::not_converged, "solver", fmt::format("residual {:.3g}", residual_e),
                  fmt::format("the expansion did not reach a residual of {:.3g}", options.tolerance));
  }
  JointOutcome out = joint_outcome(problem, *space, G_c + G_e, std::max(compression->residual, residual_e));
  out.solver = compression->solver;
  out.chosen = Chosen::iterate;
  return out;
}

}  // namespace ricochet
