#include "ricochet/complementarity/coulomb.hpp"

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SparseBlockMatrix.h>
#include <fc3d_Solvers.h>
#include <fmt/format.h>

#include <Eigen/QR>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "ricochet/law/friction_at_given_normal.hpp"
#include "siconos_options.hpp"

namespace ricochet {
namespace {

/// W in the layout of Siconos: column-major blocks, like Mat3. Owned here, except for what Siconos adds.
class SiconosMatrix {
 public:
  explicit SiconosMatrix(BlockMatrix W) : W_(std::move(W)) {
    const std::size_t k = W_.start.size() - 1;
    for (Mat3& block : W_.block) blocks_.push_back(block.data());
    for (std::size_t i = 0; i < k; ++i) sizes_.push_back(static_cast<unsigned>(3 * (i + 1)));
    columns_.assign(W_.column.begin(), W_.column.end());
    sparse_.nbblocks = static_cast<unsigned>(blocks_.size());
    sparse_.block = blocks_.data();
    sparse_.blocknumber0 = sparse_.blocknumber1 = static_cast<unsigned>(k);
    sparse_.blocksize0 = sparse_.blocksize1 = sizes_.data();
    sparse_.filled1 = k + 1;
    sparse_.filled2 = blocks_.size();
    sparse_.index1_data = W_.start.data();
    sparse_.index2_data = columns_.data();
    matrix_ = NM_new_SBM(static_cast<int>(3 * k), static_cast<int>(3 * k), &sparse_);
  }
  SiconosMatrix(const SiconosMatrix&) = delete;
  SiconosMatrix& operator=(const SiconosMatrix&) = delete;
  ~SiconosMatrix() {
    std::free(sparse_.diagonal_blocks);
    NM_clear_not_SBM(matrix_);
    std::free(matrix_);
  }
  NumericsMatrix* get() { return matrix_; }

 private:
  BlockMatrix W_;
  std::vector<double*> blocks_;
  std::vector<unsigned> sizes_;
  std::vector<std::size_t> columns_;
  SparseBlockStructuredMatrix sparse_{};
  NumericsMatrix* matrix_ = nullptr;
};

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

  /// Every contact in turn: the normal impulse that ends its approach, at least `least`, then the friction of (A1) at
  /// that normal impulse. W is symmetric, so the change at i propagates by column i, which is row i.
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
        U.segment<3>(3 * static_cast<Eigen::Index>(W.column[b])) += W.block[b].transpose() * change;
    }
  }

  double run(const VecX& q, VecX& G, VecX& U, std::size_t most) const {
    constexpr std::size_t stride = 20;
    const double speed = q.cwiseAbs().maxCoeff();
    U = q + times(W, G);
    double residual = coulomb_residual(W, G, U, mu, least);
    double earlier = std::numeric_limits<double>::infinity();
    for (std::size_t sweep = 0; sweep < most && residual > 1e-14 * speed; ++sweep) {
      once(G, U);
      if (sweep % stride != stride - 1) continue;
      U = q + times(W, G);
      residual = coulomb_residual(W, G, U, mu, least);
      if (sweep % (50 * stride) == 50 * stride - 1) {
        if (!(residual < 0.9 * earlier)) break;
        earlier = residual;
      }
    }
    U = q + times(W, G);
    return coulomb_residual(W, G, U, mu, least);
  }
};

/// Every contact stopped as if it were alone, where friction suffices: a starting point from which a sticking solution
/// is found if it exists besides a slipping one.
VecX each_sticking(const BlockMatrix& W, const VecX& q, const VecX& mu) {
  VecX G = VecX::Zero(q.size());
  for (std::size_t i = 0; i + 1 < W.start.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    if (!(q(3 * at) < 0)) continue;
    std::size_t b = W.start[i];
    while (W.column[b] != i) ++b;
    const Vec3 P = -W.block[b].completeOrthogonalDecomposition().solve(Vec3(q.segment<3>(3 * at)));
    if (P(0) > 0 && P.tail<2>().norm() <= mu(at) * P(0)) G.segment<3>(3 * at) = P;
  }
  return G;
}

VecX run(NumericsMatrix* matrix, VecX q, VecX mu, VecX G, int sweeps) {
  FrictionContactProblem problem{};
  problem.dimension = 3;
  problem.numberOfContacts = static_cast<int>(mu.size());
  problem.M = matrix;
  problem.q = q.data();
  problem.mu = mu.data();
  const SiconosOptions options(solver_options_create(SICONOS_FRICTION_3D_NSGS));
  options->dparam[SICONOS_DPARAM_TOL] = 1e-13;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = sweeps;
  options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL;
  VecX U = VecX::Zero(q.size());
  static_cast<void>(fc3d_driver(&problem, G.data(), U.data(), options.get()));
  return G;
}

}  // namespace

double coulomb_residual(const BlockMatrix& W, const VecX& G, const VecX& U, const VecX& mu, const VecX& least) {
  double worst = 0;
  for (std::size_t i = 0; i + 1 < W.start.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    std::size_t b = W.start[i];
    while (W.column[b] != i) ++b;
    const Mat3& own = W.block[b];
    const Vec3 P = G.segment<3>(3 * at);
    const Vec3 V = U.segment<3>(3 * at);
    worst = std::max(worst, std::abs(std::min(own(0, 0) * (P(0) - least(at)), V(0))));
    const double w = std::max(own(1, 1), own(2, 2));
    if (!(w > 0)) continue;
    const double radius = mu(at) * std::max(P(0), 0.0);
    Vec2 moved(P(1) - V(1) / w, P(2) - V(2) / w);
    if (moved.norm() > radius) moved *= radius / moved.norm();
    worst = std::max(worst, w * (Vec2(P(1), P(2)) - moved).norm());
  }
  return worst;
}

double sweep_coulomb(const BlockMatrix& W, const VecX& q, const VecX& mu, const VecX& least, std::size_t most, VecX& G,
                     VecX& U) {
  return Sweeps(W, mu, least).run(q, G, U, most);
}

Expected<CoulombAnswer> solve_coulomb(const BlockMatrix& W, const VecX& q, const VecX& mu, double tolerance) {
  const VecX zero = VecX::Zero(mu.size());
  CoulombAnswer best{VecX::Zero(q.size()), q, std::numeric_limits<double>::infinity(), ""};
  const double speed = q.size() == 0 ? 0 : q.cwiseAbs().maxCoeff();
  double size = 0;
  for (const Mat3& block : W.block) size = std::max(size, block.cwiseAbs().maxCoeff());
  bool parts = true;
  for (Eigen::Index i = 0; i < mu.size(); ++i) parts = parts && q(3 * i) >= 0;
  if (parts) return CoulombAnswer{VecX::Zero(q.size()), q, 0, "none needed"};
  BlockMatrix W_1 = W;
  for (Mat3& block : W_1.block) block /= size;
  SiconosMatrix matrix(W_1);
  const VecX q_1 = q / speed;
  double least_energy = 0;
  numerics_set_verbose(0);
  const int sweeps = mu.size() > 1000 ? 2000 : 20000;
  const std::size_t more = mu.size() > 1000 ? 2000 : 50000;
  bool found = false;
  for (const VecX& start : {VecX(VecX::Zero(q.size())), each_sticking(W_1, q_1, mu)}) {
    VecX G_1 = run(matrix.get(), q_1, mu, start, sweeps);
    if (!G_1.allFinite()) continue;
    // Siconos uses its own error measure and occasionally stops far from the solution. Where the sweeps converge, they
    // reduce the error to rounding.
    VecX U_1 = q_1 + times(W_1, G_1);
    VecX G_2 = G_1;
    VecX U_2 = U_1;
    double residual = coulomb_residual(W_1, G_1, U_1, mu, zero);
    if (const double swept = sweep_coulomb(W_1, q_1, mu, zero, more, G_2, U_2); swept < residual) {
      residual = swept;
      G_1 = G_2;
      U_1 = U_2;
    }
    const double energy = 0.5 * G_1.dot(q_1 + U_1);
    const bool holds = residual <= tolerance;
    // Of two solutions the one with less energy; without a solution, the better attempt.
    if (holds ? found && energy >= least_energy : found || residual >= best.residual) continue;
    found = found || holds;
    least_energy = energy;
    best = {G_1 * (speed / size), U_1 * speed, residual, "Siconos NSGS"};
  }
  if (found) return best;
  return fail(ErrorCode::not_converged, "solver", fmt::format("residual {:.3g}", best.residual),
              fmt::format("the iteration did not reach a residual of {:.3g}: there is no solution, or none was found",
                          tolerance));
}

}  // namespace ricochet
