#include "ricochet/complementarity/pfeiffer_glocker.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "ricochet/base/error_path.hpp"
#include "ricochet/base/parameter.hpp"
#include "ricochet/complementarity/lcp.hpp"

namespace ricochet {
namespace {

/// Rotates the axes so that t lies in the plane of all motion and b is normal to it. False: there is no tangential
/// motion.
Expected<bool> turn_to_plane(ContactSpace& space, double tolerance) {
  const std::size_t k = space.size();
  const double speed = space.U.cwiseAbs().maxCoeff();
  double size = 0;
  for (const Mat3& block : space.W.block) size = std::max(size, block.cwiseAbs().maxCoeff());
  const auto velocity = [&](std::size_t i) -> Vec3 {
    return space.axes[i] * space.U.segment<3>(static_cast<Eigen::Index>(3 * i)) / speed;
  };
  const Vec3 first = space.axes[0].col(0);
  Vec3 second = Vec3::Zero();
  const auto offer = [&](const Vec3& x) {
    const Vec3 across = x - first.dot(x) * first;
    if (across.norm() > second.norm()) second = across;
  };
  for (std::size_t i = 0; i < k; ++i) {
    offer(space.axes[i].col(0));
    offer(velocity(i));
  }
  // Normals and velocities all along one line: the plane is that of the tangential response to normal impulses, if any.
  if (!(second.norm() > tolerance))
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t b = space.W.start[i]; b < space.W.start[i + 1]; ++b)
        offer(space.axes[i] * space.W.block[b].col(0) / size);
  if (!(second.norm() > tolerance)) return false;
  const Vec3 across = first.cross(second).normalized();

  const auto refuse = [&](std::size_t i, const char* what, double ratio) {
    return fail(ErrorCode::invalid, join_path(entry_path("contact", space.contacts[i]), what),
                fmt::format("{:.3g} out of the plane", ratio),
                fmt::format("must lie in one plane with all others for this method, within {}", tolerance));
  };
  for (std::size_t i = 0; i < k; ++i) {
    const Mat3 old = space.axes[i];
    if (const double out = std::abs(across.dot(old.col(0))); out > tolerance) return refuse(i, "normal", out);
    if (const double out = std::abs(across.dot(velocity(i))); out > tolerance) return refuse(i, "velocity", out);
    const Vec3 t = across.cross(old.col(0)).normalized();
    const Vec3 b = old.col(0).cross(t);
    Mat2 tangents;
    tangents << old.col(1).dot(t), old.col(1).dot(b), old.col(2).dot(t), old.col(2).dot(b);
    turn(space, i, tangents);
  }
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t b = space.W.start[i]; b < space.W.start[i + 1]; ++b) {
      const double out = std::max(std::abs(space.W.block[b](2, 0)), std::abs(space.W.block[b](2, 1))) / size;
      if (out > tolerance) return refuse(i, "mobility", out);
    }
  return true;
}

/// One phase, in units in which the largest speed and the largest mobility are 1.
struct Phase {
  VecX P_n, P_t;
};

struct Bounds {
  VecX least;   ///< p₀ of P_n = p₀ + x
  VecX sigma;   ///< direction of the stored impulse, ±1
  VecX share;   ///< ν
  VecX stored;  ///< returned fraction
};

struct Solved {
  Phase phase;
  double residual = 0;
  std::string_view solver;
};

/// (LC5): x ⊥ U_n⁺; b⁺ ⊥ σU_t⁺ + λ⁺; b⁻ ⊥ −σU_t⁺ + λ⁻; λ⁺ ⊥ μP_n − s − b⁺; λ⁻ ⊥ (1−ν)μP_n − b⁻, with
/// P_n = p₀ + x and P_t = σ(s + b⁺ − b⁻). Contacts without friction have only x.
Expected<Solved> solve_phase(const MatX& W, const VecX& U, const VecX& mu, const Bounds& bounds) {
  const Eigen::Index k = mu.size();
  std::vector<Eigen::Index> rough;
  for (Eigen::Index i = 0; i < k; ++i)
    if (mu(i) > 0) rough.push_back(i);
  const auto m = static_cast<Eigen::Index>(rough.size());
  const Eigen::Index n = k + 4 * m;

  // Impulses (P_n of all, P_t of the rough ones) = start + D z, velocities of the same = V + C z.
  MatX D = MatX::Zero(k + m, n);
  VecX start = VecX::Zero(k + m);
  D.topLeftCorner(k, k).setIdentity();
  start.head(k) = bounds.least;
  MatX C(k + m, k + m);
  VecX V(k + m);
  std::vector<Eigen::Index> rows;
  rows.reserve(static_cast<std::size_t>(k));
  for (Eigen::Index i = 0; i < k; ++i) rows.push_back(3 * i);
  for (Eigen::Index f = 0; f < m; ++f) {
    const Eigen::Index i = rough[static_cast<std::size_t>(f)];
    rows.push_back(3 * i + 1);
    D(k + f, k + f) = bounds.sigma(i);
    D(k + f, k + m + f) = -bounds.sigma(i);
    start(k + f) = bounds.sigma(i) * bounds.stored(i);
  }
  C = W(rows, rows);
  V = U(rows) + C * start;
  MatX A = MatX::Zero(n, n);
  VecX b = VecX::Zero(n);
  A.topRows(k + 2 * m) = D.leftCols(k + 2 * m).transpose() * C * D;
  b.head(k + 2 * m) = D.leftCols(k + 2 * m).transpose() * V;
  for (Eigen::Index f = 0; f < m; ++f) {
    const Eigen::Index i = rough[static_cast<std::size_t>(f)];
    const Eigen::Index up = k + f;
    const Eigen::Index down = k + m + f;
    const double back = (1 - bounds.share(i)) * mu(i);
    A(up, up + 2 * m) = A(down, down + 2 * m) = 1;
    A(up + 2 * m, up) = A(down + 2 * m, down) = -1;
    A(up + 2 * m, i) = mu(i);
    A(down + 2 * m, i) = back;
    b(up + 2 * m) = mu(i) * bounds.least(i) - bounds.stored(i);
    b(down + 2 * m) = back * bounds.least(i);
  }
  // Stored at the edge of the cone: zero up to rounding.
  for (Eigen::Index r = k + 2 * m; r < n; ++r)
    if (b(r) < 0 && b(r) > -1e-13) b(r) = 0;
  const auto found = solve_lcp(A, b);
  if (!found) return tl::unexpected(found.error());
  const VecX P = start + D * found->z;
  Solved out{{P.head(k), VecX::Zero(k)}, found->residual, found->solver};
  for (Eigen::Index f = 0; f < m; ++f) out.phase.P_t(rough[static_cast<std::size_t>(f)]) = P(k + f);
  return out;
}

VecX spread(const Phase& phase) {
  VecX G = VecX::Zero(3 * phase.P_n.size());
  G(Eigen::seq(0, Eigen::last, 3)) = phase.P_n;
  G(Eigen::seq(1, Eigen::last, 3)) = phase.P_t;
  return G;
}

}  // namespace

Expected<JointOutcome> resolve_pfeiffer_glocker(const Problem& problem, const PlanarOptions& options) {
  if (const auto fine = in_range("tolerance", options.tolerance, between(0, 1)); !fine)
    return tl::unexpected(fine.error());
  auto space = contact_space(problem);
  if (!space) return tl::unexpected(space.error());
  const auto given = parameters(problem, *space);
  if (!given) return tl::unexpected(given.error());
  const auto k = static_cast<Eigen::Index>(space->size());
  const double speed = k == 0 ? 0 : space->U.cwiseAbs().maxCoeff();
  if (!(speed > 0)) return joint_outcome(problem, *space, VecX::Zero(3 * k), 0);
  const auto slides = turn_to_plane(*space, options.tolerance);
  if (!slides) return tl::unexpected(slides.error());
  const auto W = dense(*space, 400, "pfeiffer-glocker");
  if (!W) return tl::unexpected(W.error());

  VecX mu(k);
  for (Eigen::Index i = 0; i < k; ++i) {
    const ContactParameters& p = (*given)[static_cast<std::size_t>(i)];
    mu(i) = *slides ? p.mu : 0;
    const std::string path = entry_path("contact", space->contacts[static_cast<std::size_t>(i)]);
    if (!std::isfinite(p.mu))
      return fail(ErrorCode::out_of_range, join_path(path, "mu"), "inf", "must be finite for this method");
    if (p.nu > 0)
      if (const auto fine = in_range("e_t", p.e_t, between(0, 1)); !fine)
        return tl::unexpected(under(path, fine.error()));
  }
  const double size = W->diagonal().maxCoeff();
  const MatX W_1 = *W / size;
  const VecX U_1 = space->U / speed;

  Bounds bounds{VecX::Zero(k), VecX::Ones(k), VecX::Zero(k), VecX::Zero(k)};
  const auto compression = solve_phase(W_1, U_1, mu, bounds);
  if (!compression) return tl::unexpected(compression.error());
  const Phase& c = compression->phase;
  const double least_stored = 1e-12 * (c.P_n.cwiseAbs().maxCoeff() + c.P_t.cwiseAbs().maxCoeff());
  for (Eigen::Index i = 0; i < k; ++i) {
    const ContactParameters& p = (*given)[static_cast<std::size_t>(i)];
    bounds.least(i) = p.e * std::max(c.P_n(i), 0.0);
    if (!(std::abs(c.P_t(i)) > least_stored)) continue;
    bounds.sigma(i) = c.P_t(i) < 0 ? -1 : 1;
    bounds.share(i) = p.nu;
    bounds.stored(i) = p.nu * p.e_t * p.e * std::abs(c.P_t(i));
  }
  const VecX G_c = spread(c);
  const auto expansion = solve_phase(W_1, U_1 + W_1 * G_c, mu, bounds);
  if (!expansion) return tl::unexpected(expansion.error());
  JointOutcome out = joint_outcome(problem, *space, (G_c + spread(expansion->phase)) * (speed / size),
                                   std::max(compression->residual, expansion->residual));
  out.solver = compression->solver;
  out.chosen = Chosen::vertex;
  return out;
}

}  // namespace ricochet
