#pragma once
/// Owns the options of a Siconos solver.

#include <SolverOptions.h>

#include <cstdlib>
#include <memory>
#include <vector>

extern "C" void numerics_set_verbose(int);  // exported by Siconos but not declared

namespace ricochet {

struct FreeSiconosOptions {
  void operator()(SolverOptions* options) const {
    // solver_options_delete empties the options of inner solvers, but leaves the structures themselves.
    const std::vector<SolverOptions*> inner(options->internalSolvers,
                                            options->internalSolvers + options->numberOfInternalSolvers);
    solver_options_delete(options);
    for (SolverOptions* one : inner) std::free(one);
    std::free(options);
  }
};

using SiconosOptions = std::unique_ptr<SolverOptions, FreeSiconosOptions>;

}  // namespace ricochet
