#include "ricochet/complementarity/coulomb.hpp"

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <fc3d_Solvers.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>

extern "C" void numerics_set_verbose(int);

namespace ricochet {
namespace {

struct FreeOptions {
  void operator()(SolverOptions* options) const {
    solver_options_delete(options);
    std::free(options);
  }
};

/// W as Siconos reads it: blocks by columns, which is how Mat3 lies. Owned here, apart from what Siconos adds.
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

struct Way {
  int id;
  int iterations;
  std::string_view name;
};

VecX run(const Way& way, NumericsMatrix* matrix, VecX q, VecX mu) {
  FrictionContactProblem problem{};
  problem.dimension = 3;
  problem.numberOfContacts = static_cast<int>(mu.size());
  problem.M = matrix;
  problem.q = q.data();
  problem.mu = mu.data();
  const std::unique_ptr<SolverOptions, FreeOptions> options(solver_options_create(way.id));
  options->dparam[SICONOS_DPARAM_TOL] = 1e-13;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = way.iterations;
  VecX G = VecX::Zero(q.size());
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
  numerics_set_verbose(0);
  const int sweeps = mu.size() > 1000 ? 2000 : 20000;
  const std::array ways{Way{SICONOS_FRICTION_3D_NSGS, sweeps, "Siconos NSGS"},
                        Way{SICONOS_FRICTION_3D_NSN_AC, 500, "Siconos Alart-Curnier Newton"}};
  for (const Way& way : ways) {
    const VecX G_1 = run(way, matrix.get(), q / speed, mu);
    if (!G_1.allFinite()) continue;
    const VecX U_1 = q / speed + times(W_1, G_1);
    const double residual = coulomb_residual(W_1, G_1, U_1, mu, zero);
    if (residual < best.residual) best = {G_1 * (speed / size), U_1 * speed, residual, way.name};
    if (best.residual <= tolerance) return best;
  }
  return fail("solver", fmt::format("residual {:.3g}", best.residual),
              fmt::format("no solver came below {:.3g}: either there is no answer or none was found", tolerance));
}

}  // namespace ricochet
