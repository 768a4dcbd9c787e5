#include "ricochet/complementarity/lcp.hpp"

#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <fmt/format.h>
#include <lcp_cst.h>

#include <Eigen/QR>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "ricochet/base/symmetric_eigen.hpp"
#include "ricochet/simultaneous/ties.hpp"
#include "siconos_options.hpp"

namespace ricochet {
namespace {

double residual_of(const VecX& z, const VecX& w) { return z.size() == 0 ? 0 : z.cwiseMin(w).cwiseAbs().maxCoeff(); }

/// The z at which Lemke's algorithm ends, valid or not.
VecX run(const MatX& A, const VecX& b) {
  MatX copy_A = A;  // solvers overwrite their input
  VecX copy_b = b;
  const auto n = static_cast<int>(b.size());
  NumericsMatrix* matrix = NM_create_from_data(NM_DENSE, n, n, copy_A.data());
  LinearComplementarityProblem problem{};
  problem.size = n;
  problem.M = matrix;
  problem.q = copy_b.data();
  const SiconosOptions options(solver_options_create(SICONOS_LCP_LEMKE));
  options->iparam[SICONOS_IPARAM_MAX_ITER] = 50 * n + 1000;
  options->dparam[SICONOS_DPARAM_TOL] = 1e-13;
  VecX z = VecX::Zero(n);
  VecX w = VecX::Zero(n);
  static_cast<void>(linearComplementarity_driver(&problem, z.data(), w.data(), options.get()));
  matrix->matrix0 = nullptr;  // ours
  NM_clear(matrix);
  std::free(matrix);
  return z;
}

/// Pivoting accumulates rounding but determines the support: there w = 0 is a linear system, which is solved again from
/// the data. The result is kept if it is better.
void polish(const MatX& A, const VecX& b, VecX& z, VecX& w) {
  std::vector<Eigen::Index> support;
  for (Eigen::Index i = 0; i < z.size(); ++i)
    if (z(i) > w(i)) support.push_back(i);
  if (support.empty()) return;
  const MatX sub = A(support, support);
  const Eigen::CompleteOrthogonalDecomposition<MatX> factor(sub);
  VecX next = VecX::Zero(z.size());
  next(support) = z(support);
  for (int step = 0; step < 3; ++step) {
    const VecX miss = (A * next + b)(support);
    next(support) -= factor.solve(miss);
    const VecX w_next = A * next + b;
    if (!(residual_of(next, w_next) < residual_of(z, w))) break;
    z = next;
    w = w_next;
  }
}

struct Scaled {
  MatX A;
  VecX b, unit;  ///< z = unit · z_scaled
  double speed = 1;
};

/// Scaled to diagonal 1 and largest |b| 1, so that one tolerance applies.
Scaled scale(const MatX& A, const VecX& b) {
  Scaled s;
  s.unit = VecX::Ones(b.size());
  for (Eigen::Index i = 0; i < b.size(); ++i)
    if (A(i, i) > 0) s.unit(i) = 1 / std::sqrt(A(i, i));
  s.A = s.unit.asDiagonal() * A * s.unit.asDiagonal();
  s.b = s.unit.cwiseProduct(b);
  if (s.b.size() > 0 && s.b.cwiseAbs().maxCoeff() > 0) s.speed = s.b.cwiseAbs().maxCoeff();
  s.b /= s.speed;
  return s;
}

void unscale(const MatX& A, const VecX& b, const Scaled& s, LcpAnswer& answer) {
  answer.z = s.speed * s.unit.cwiseProduct(answer.z);
  answer.w = A * answer.z + b;
}

/// Friction makes most entries of b zero, and Siconos' pivots then stop short in one problem out of twenty. The problem
/// is then solved again with different row and column weights and a perturbed b. The result is a support, on which
/// `polish` computes the answer from the original b.
struct Detour {
  VecX weight, shift;
};
Detour detour(int attempt, const VecX& b) {
  Detour way{VecX::Ones(b.size()), VecX::Zero(b.size())};
  if (attempt == 0) return way;
  constexpr std::array sizes{1e-9, 1e-7, 1e-11, 1e-5};
  const double size = sizes[static_cast<std::size_t>(attempt - 1) % sizes.size()];
  Random random(static_cast<std::uint64_t>(attempt));
  for (Eigen::Index i = 0; i < b.size(); ++i) {
    if (attempt > 4 || b(i) == 0) way.shift(i) = size * (1.5 + random.symmetric());
    if (attempt > 1) way.weight(i) = std::exp2(1.5 * random.symmetric());
  }
  return way;
}

Expected<LcpAnswer> solve_scaled(const MatX& A, const VecX& b, double tolerance) {
  constexpr int attempts = 40;
  if (b.size() == 0 || b.minCoeff() >= 0) return LcpAnswer{VecX::Zero(b.size()), b, 0, "none needed"};
  LcpAnswer best;
  best.residual = std::numeric_limits<double>::infinity();
  numerics_set_verbose(0);
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const Detour way = detour(attempt, b);
    const MatX A_way = way.weight.asDiagonal() * A * way.weight.asDiagonal();
    const VecX b_way = way.weight.cwiseProduct(b + way.shift);
    VecX z = way.weight.cwiseProduct(run(A_way, b_way));
    if (!z.allFinite()) continue;
    VecX w = A * z + b;
    polish(A, b, z, w);
    if (const double residual = residual_of(z, w); residual < best.residual) best = {z, w, residual, "Siconos Lemke"};
    if (best.residual <= tolerance) return best;
  }
  return fail(
      ErrorCode::not_converged, "solver", fmt::format("residual {:.3g}", best.residual),
      fmt::format("pivoting did not reach a residual of {:.3g}: there is no solution, or none was found", tolerance));
}

}  // namespace

Expected<LcpAnswer> solve_lcp(const MatX& A, const VecX& b, double tolerance) {
  const Scaled s = scale(A, b);
  auto answer = solve_scaled(s.A, s.b, tolerance);
  if (answer) unscale(A, b, s, *answer);
  return answer;
}

Expected<LeastLcpAnswer> solve_least_lcp(const MatX& A, const VecX& b, double tolerance) {
  auto any = solve_lcp(A, b, tolerance);
  if (!any) return tl::unexpected(any.error());
  LeastLcpAnswer out{*std::move(any)};
  if (out.answer.z.size() == 0 || !(out.answer.z.maxCoeff() > 0)) return out;  // zero is the minimum
  // w is the same for all answers, and z = 0 wherever w > 0: where the rest of A is regular, z is the only one.
  const double small = tolerance * b.cwiseAbs().maxCoeff();
  std::vector<Eigen::Index> bound;
  for (Eigen::Index i = 0; i < b.size(); ++i)
    if (out.answer.w(i) <= small) bound.push_back(i);
  if (bound.empty()) return out;
  const MatX sub = A(bound, bound);
  const VecX eigenvalues = symmetric_eigen(sub).values;
  if (eigenvalues(0) > 1e-12 * eigenvalues(eigenvalues.size() - 1)) return out;
  out.unique = false;
  out.least = false;
  const double size = A.diagonal().maxCoeff();
  for (const double epsilon : {1e-8, 1e-6, 1e-4}) {
    const auto near = solve_lcp(A + epsilon * size * MatX::Identity(A.rows(), A.cols()), b, tolerance);
    if (!near) continue;
    std::vector<Eigen::Index> support;
    for (Eigen::Index i = 0; i < b.size(); ++i)
      if (near->z(i) > near->w(i) / size) support.push_back(i);
    // The z of least norm on this support. It is the minimum overall if it is nonnegative and no other contact
    // approaches, because the solution of the regularised problem is then within ε of it.
    const MatX square = A(support, support);
    Eigen::CompleteOrthogonalDecomposition<MatX> factor(square);
    factor.setThreshold(1e-11);
    LcpAnswer least{VecX::Zero(b.size()), VecX(), 0, near->solver};
    for (int step = 0; step < 3; ++step) {
      const VecX miss = (A * least.z + b)(support);
      least.z(support) -= factor.solve(miss);
    }
    least.w = A * least.z + b;
    const double z_size = std::max(near->z.cwiseAbs().maxCoeff(), out.answer.z.cwiseAbs().maxCoeff());
    const bool pushes = least.z.minCoeff() >= -tolerance * z_size && least.w.minCoeff() >= -small;
    const bool close = (least.z - near->z).cwiseAbs().maxCoeff() <= 1e4 * epsilon * z_size;
    if (!pushes || !close) continue;
    least.z = least.z.cwiseMax(0);
    least.w = A * least.z + b;
    least.residual = std::max(out.answer.residual, (least.z.cwiseMin(least.w / size) / z_size).cwiseAbs().maxCoeff());
    out.answer = std::move(least);
    out.least = true;
    break;
  }
  return out;
}

}  // namespace ricochet
