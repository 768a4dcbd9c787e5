#include <benchmark/benchmark.h>

#include <iostream>
#include <string_view>

#include "problems.hpp"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::AddCustomContext("compiler", BENCH_COMPILER);
  benchmark::AddCustomContext("flags", BENCH_FLAGS);
  benchmark::AddCustomContext("absent", BENCH_ABSENT);
  if (!std::string_view(BENCH_ABSENT).empty()) std::cerr << "not installed, not measured: " << BENCH_ABSENT << '\n';
  ricochet::bench::register_laws();
  ricochet::bench::register_batch();
  ricochet::bench::register_sledge();
  ricochet::bench::register_crossings();
#ifdef BENCH_ODEINT
  ricochet::bench::register_odeint();
#endif
#ifdef BENCH_CVODE
  ricochet::bench::register_cvode();
  ricochet::bench::register_cvode_sledge();
  ricochet::bench::register_cvode_crossings();
#endif
#ifdef BENCH_SICONOS
  ricochet::bench::register_siconos();
#endif
#ifdef BENCH_BULLET
  ricochet::bench::register_bullet();
#endif
#ifdef BENCH_ODE
  ricochet::bench::register_ode();
#endif
#ifdef BENCH_MUJOCO
  ricochet::bench::register_mujoco();
#endif
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
