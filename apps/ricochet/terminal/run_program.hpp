#pragma once
/// Signals, exit codes and exceptions of every program.

#include <CLI/CLI.hpp>
#include <functional>

namespace ricochet::app {

/// Runs `body`, which returns the exit code; 0 on a broken pipe, 1 when memory is exhausted.
int run_program(const std::function<int()>& body);

/// The exit code after parsing, which runs the chosen command: `status`, or 2 for a wrong command line.
int parse(CLI::App& program, int argc, char** argv, const int& status);

}  // namespace ricochet::app
