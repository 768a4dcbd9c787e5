/// Siconos NSGS on the contacts of a crystal, with its own settings but for the tolerance.

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <fmt/format.h>

#include <chrono>

#include "contacts.hpp"
#include "ricochet/complementarity/contact_space.hpp"

extern "C" void numerics_set_verbose(int);  // Siconos has it and declares it nowhere

namespace ricochet::bench {

Answer by_siconos(const Crystal& crystal) {
  const auto assembled = assemble(crystal.arrangement);
  if (!assembled) return {.seconds = 0, .bodies = {}, .note = assembled.error().message()};
  auto space = contact_space(assembled->problem);
  if (!space) return {.seconds = 0, .bodies = {}, .note = space.error().message()};
  const std::size_t k = space->size();
  // W as Siconos reads it: blocks by columns, which is how Mat3 lies.
  std::vector<double*> blocks;
  for (Mat3& block : space->W.block) blocks.push_back(block.data());
  std::vector<unsigned> sizes;
  for (std::size_t i = 0; i < k; ++i) sizes.push_back(static_cast<unsigned>(3 * (i + 1)));
  std::vector<std::size_t> columns(space->W.column.begin(), space->W.column.end());
  SparseBlockStructuredMatrix sparse{};
  sparse.nbblocks = static_cast<unsigned>(blocks.size());
  sparse.block = blocks.data();
  sparse.blocknumber0 = sparse.blocknumber1 = static_cast<unsigned>(k);
  sparse.blocksize0 = sparse.blocksize1 = sizes.data();
  sparse.filled1 = k + 1;
  sparse.filled2 = blocks.size();
  sparse.index1_data = space->W.start.data();
  sparse.index2_data = columns.data();
  VecX q = space->U;
  for (Eigen::Index i = 0; i < q.size(); i += 3) q(i) += crystal.e * std::min(q(i), 0.0);
  VecX mu = VecX::Constant(static_cast<Eigen::Index>(k), crystal.mu);
  VecX G = VecX::Zero(q.size());
  VecX U = G;

  numerics_set_verbose(0);
  FrictionContactProblem problem{};
  problem.dimension = 3;
  problem.numberOfContacts = static_cast<int>(k);
  problem.M = NM_new_SBM(static_cast<int>(3 * k), static_cast<int>(3 * k), &sparse);
  problem.q = q.data();
  problem.mu = mu.data();
  SolverOptions* options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
  options->dparam[SICONOS_DPARAM_TOL] = 1e-8;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = 1'000'000;
  const auto begin = std::chrono::steady_clock::now();
  const int status = fc3d_driver(&problem, G.data(), U.data(), options);
  Answer out;
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  out.note = fmt::format("{} sweeps, tolerance 1e-8{}", options->iparam[SICONOS_IPARAM_ITER_DONE],
                         status == 0 ? "" : ", not reached");
  solver_options_delete(options);
  std::free(options);
  std::free(sparse.diagonal_blocks);
  NM_clear_not_SBM(problem.M);
  std::free(problem.M);
  VecX u = assembled->problem.u();
  for (std::size_t i = 0; i < k; ++i)
    assembled->problem.apply(space->contacts[i], space->axes[i] * G.segment<3>(static_cast<Eigen::Index>(3 * i)), u);
  out.bodies = moved(crystal.arrangement, *assembled, u);
  return out;
}

}  // namespace ricochet::bench
