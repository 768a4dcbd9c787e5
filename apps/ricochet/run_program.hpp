#pragma once
/// What surrounds the commands of every program: signals, exit codes, and an end by exception.

#include <CLI/CLI.hpp>
#include <functional>

namespace ricochet::app {

/// Runs `body`, which returns the exit code; 0 when whoever reads our output has heard enough, 1 when memory runs out.
int run_program(const std::function<int()>& body);

/// The exit code after parsing, which runs the chosen command: `status`, or 2 for a wrong command line.
int parse(CLI::App& program, int argc, char** argv, const int& status);

}  // namespace ricochet::app
