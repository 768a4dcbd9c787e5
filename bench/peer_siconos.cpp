/// Siconos numerics: the one-contact complementarity problem in the same contact space, with Newton's restitution on
/// the normal velocity, which is Whittaker's law.

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <benchmark/benchmark.h>
#include <fc3d_Solvers.h>
#include <fc3d_compute_error.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "problems.hpp"

extern "C" void numerics_set_verbose(int);

namespace ricochet::bench {
namespace {

using Vector = std::array<double, 3>;

struct Solver {
  NumericsMatrix* W;
  FrictionContactProblem problem{};
  SolverOptions* options;
  Mat3 entries = Mat3::Identity();
  Vector q{};
  double mu = 0;

  explicit Solver(int id) : options(solver_options_create(id)) {
    W = NM_create_from_data(NM_DENSE, 3, 3, entries.data());
    problem.dimension = 3;
    problem.numberOfContacts = 1;
    problem.M = W;
    problem.q = q.data();
    problem.mu = &mu;
    options->dparam[SICONOS_DPARAM_TOL] = 1e-12;
  }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;
  ~Solver() {
    W->matrix0 = nullptr;
    NM_clear(W);
    std::free(W);
    solver_options_delete(options);
    std::free(options);
  }

  void load(const Problem& p) {
    entries = p.local.W;
    q = {(1 + p.e) * p.local.V(0), p.local.V(1), p.local.V(2)};
    mu = p.mu;
  }
};

int enumerative(Solver& s, Vector& P, Vector& V) {
  int info = 0;
  fc3d_unitary_enumerative(&s.problem, P.data(), V.data(), &info, s.options);
  return info;
}

int nsgs(Solver& s, Vector& P, Vector& V) {
  int info = 1;  // zero would mean that there is nothing left to do
  fc3d_nsgs(&s.problem, P.data(), V.data(), &info, s.options);
  return info;
}

template <auto solve>
void run(benchmark::State& state, int id, const char* label) {
  numerics_set_verbose(0);
  Solver solver(id);
  const auto& problems = typical();
  std::size_t i = 0;
  for (auto _ : state) {
    solver.load(problems[i++ % count]);
    Vector P{}, V{};
    benchmark::DoNotOptimize(solve(solver, P, V));
    benchmark::DoNotOptimize(P);
  }
  double reported = 0, wrong = 0, worst = 0;
  for (const Problem& p : problems) {
    solver.load(p);
    Vector P{}, V{}, scratch{};
    reported += solve(solver, P, V) != 0;
    const Vec3 impulse(P[0], P[1], P[2]);
    const Vec3 after = p.local.W * impulse + Vec3(solver.q[0], solver.q[1], solver.q[2]);
    Vector u{after(0), after(1), after(2)};
    double square = 0;
    fc3d_unitary_compute_and_add_error(P.data(), u.data(), p.mu, &square, scratch.data());
    // In units of the impulse that stops the contact: P and V count alike.
    const double residual = std::sqrt(square) / (p.local.M * p.local.V).norm();
    wrong += !(residual <= 1e-8);
    worst = std::max(worst, std::isfinite(residual) ? residual : 1e300);
  }
  state.counters["reported failures"] = reported;
  state.counters["residual above 1e-8"] = wrong;
  state.counters["worst residual"] = worst;
  state.SetLabel(label);
}

}  // namespace

void register_siconos() {
  benchmark::RegisterBenchmark(
      "peer/Siconos enumerative", run<enumerative>, SICONOS_FRICTION_3D_ONECONTACT_QUARTIC,
      "same contact space, friction and e; one answer of Whittaker's law; no certificate, no path");
  benchmark::RegisterBenchmark("peer/Siconos NSGS", run<nsgs>, SICONOS_FRICTION_3D_NSGS,
                               "as above, by iteration to a tolerance of 1e-12");
}

}  // namespace ricochet::bench
