#pragma once
/// `simulate --ensemble`: many motions of one scene, by all ranks, and the spread of their ends.

#include "commands/simulate_input.hpp"

namespace ricochet::app {

/// The exit status.
[[nodiscard]] int simulate_ensemble(const SimulateOptions& options);

}  // namespace ricochet::app
