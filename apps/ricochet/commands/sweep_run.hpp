#pragma once
/// `ricochet sweep SPEC` and `ricochet sweep merge`.

#include <string>
#include <vector>

namespace ricochet::app {

struct SweepRunOptions {
  std::string spec;
  std::vector<std::string> folders;  ///< of merge
  std::string out;                   ///< folder; empty: none
  std::string shard;                 ///< "I/N"; empty: the whole
  std::string format = "table", file;
  bool resume = false, force = false;
  bool device = false;  ///< on the CUDA device, where there is one that serves the sweep
  int threads = 0;
  double save_every = 1;  ///< [s]
};

[[nodiscard]] int run_sweep_spec(const SweepRunOptions& options);
[[nodiscard]] int merge_sweep(const SweepRunOptions& options);

}  // namespace ricochet::app
