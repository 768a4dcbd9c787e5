#include <benchmark/benchmark.h>

#include <iostream>
#include <string_view>

#include "robots.hpp"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::AddCustomContext("compiler", BENCH_COMPILER);
  benchmark::AddCustomContext("flags", BENCH_FLAGS);
  benchmark::AddCustomContext("absent", BENCH_ABSENT);
  if (!std::string_view(BENCH_ABSENT).empty()) std::cerr << "not installed, not measured: " << BENCH_ABSENT << '\n';
  ricochet::bench::register_mechanisms();
  ricochet::bench::register_feet();
#ifdef BENCH_MUJOCO
  ricochet::bench::register_mujoco_mechanisms();
#endif
#ifdef BENCH_DART
  ricochet::bench::register_dart_mechanisms();
#endif
#ifdef BENCH_SIMBODY
  ricochet::bench::register_simbody_mechanisms();
#endif
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
