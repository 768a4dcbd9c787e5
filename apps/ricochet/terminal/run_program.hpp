#pragma once
/// Signals, exit codes and exceptions of every program.

#include <functional>

namespace ricochet::app {

/// Runs `body`, which returns the exit code; 0 on a broken pipe, 1 when memory is exhausted.
int run_program(const std::function<int()>& body);

}  // namespace ricochet::app
