#include "ricochet/complementarity/anitescu_potra.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ricochet/complementarity/coulomb.hpp"
#include "ricochet/law/collide.hpp"

namespace ricochet {
namespace {

struct Sweeps {
  const BlockMatrix& W;
  const VecX& mu;
  const VecX& least;
  std::vector<Mat3> own;

  Sweeps(const BlockMatrix& W_, const VecX& mu_, const VecX& least_) : W(W_), mu(mu_), least(least_) {
    for (std::size_t i = 0; i + 1 < W.start.size(); ++i) {
      std::size_t b = W.start[i];
      while (W.column[b] != i) ++b;
      own.push_back(W.block[b]);
    }
  }

  /// Every contact in turn: the normal impulse that ends its approach but not less than `least`, then the friction that
  /// (A1) gives at that normal impulse. W is symmetric, so a change at i reaches others by column i, which is row i.
  void once(VecX& G, VecX& U) const {
    for (std::size_t i = 0; i < own.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(3 * i);
      const Mat3& w = own[i];
      const Vec3 P = G.segment<3>(at);
      Vec3 V = U.segment<3>(at);
      Vec3 next = P;
      next(0) = std::max(least(at / 3), P(0) - V(0) / w(0, 0));
      V += w.col(0) * (next(0) - P(0));
      const Mat2 W_tt = w.block<2, 2>(1, 1);
      const Vec2 g = Vec2(V(1), V(2)) - W_tt * Vec2(P(1), P(2));
      const Vec2 q = friction_at_given_normal<double>(W_tt, g, mu(at / 3) * next(0)).q;
      next(1) = q(0);
      next(2) = q(1);
      const Vec3 change = next - P;
      if (change == Vec3::Zero()) continue;
      G.segment<3>(at) = next;
      for (std::size_t b = W.start[i]; b < W.start[i + 1]; ++b)
        U.segment<3>(static_cast<Eigen::Index>(3 * W.column[b])) += W.block[b].transpose() * change;
    }
  }

  /// Down to rounding if it goes there, else until it stands still. The residual, relative to `speed`.
  double run(const VecX& q, VecX& G, VecX& U, double speed, std::size_t most) const {
    constexpr std::size_t stride = 20;
    U = q + times(W, G);
    double residual = coulomb_residual(W, G, U, mu, least) / speed;
    double earlier = std::numeric_limits<double>::infinity();
    for (std::size_t sweep = 0; sweep < most && residual > 1e-14; ++sweep) {
      once(G, U);
      if (sweep % stride != stride - 1) continue;
      U = q + times(W, G);
      residual = coulomb_residual(W, G, U, mu, least) / speed;
      if (sweep % (50 * stride) == 50 * stride - 1) {
        if (!(residual < 0.9 * earlier)) break;
        earlier = residual;
      }
    }
    U = q + times(W, G);
    return coulomb_residual(W, G, U, mu, least) / speed;
  }
};

}  // namespace

Expected<JointOutcome> resolve_anitescu_potra(const Problem& problem, const SpatialOptions& options) {
  if (const auto fine = in_range("tolerance", options.tolerance, 0, 0.1); !fine) return tl::unexpected(fine.error());
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
      return fail(fmt::format("contact {} mu", space->contacts[static_cast<std::size_t>(i)] + 1), "inf",
                  "must be finite for this method");
  }
  const double speed = k == 0 ? 0 : space->U.cwiseAbs().maxCoeff();
  if (!(speed > 0)) return joint_outcome(problem, *space, VecX::Zero(3 * k));

  auto compression = solve_coulomb(space->W, space->U, mu, options.tolerance);
  if (!compression) return tl::unexpected(compression.error());
  const VecX zero = VecX::Zero(k);
  VecX G_c = compression->G;
  VecX U_c = compression->U;
  // Siconos stops at its own measure of error; a few sweeps more take the answer to rounding where they converge.
  double residual_c = Sweeps(space->W, mu, zero).run(space->U, G_c, U_c, speed, 1000);
  if (!(residual_c <= compression->residual)) {
    G_c = compression->G;
    U_c = compression->U;
    residual_c = compression->residual;
  }

  VecX least(k);
  for (Eigen::Index i = 0; i < k; ++i) least(i) = e(i) * std::max(G_c(3 * i), 0.0);
  VecX G_e = VecX::Zero(3 * k);
  VecX U = U_c;
  double residual_e = 0;
  if (least.maxCoeff() > 0) {
    for (Eigen::Index i = 0; i < k; ++i) G_e.segment<3>(3 * i) = e(i) * G_c.segment<3>(3 * i);
    residual_e = Sweeps(space->W, mu, least).run(U_c, G_e, U, speed, options.max_sweeps);
    if (!(residual_e <= options.tolerance))
      return fail("solver", fmt::format("residual {:.3g}", residual_e),
                  fmt::format("the expansion did not come below {:.3g}", options.tolerance));
  }
  JointOutcome out = joint_outcome(problem, *space, G_c + G_e);
  out.residual = std::max(residual_c, residual_e);
  out.solver = compression->solver;
  out.chosen = Chosen::iterate;
  return out;
}

}  // namespace ricochet
