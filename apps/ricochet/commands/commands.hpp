#pragma once
/// The subcommands. Each adds itself to the command line and, when it is chosen, stores its exit code in `status`: 0
/// success, 1 the output could not be written or a check failed, 2 invalid input or usage, 130 interrupted.

#include <CLI/CLI.hpp>

namespace ricochet::app {

void add_collide(CLI::App& program, int& status);
void add_laws(CLI::App& program, int& status);
void add_realize(CLI::App& program, int& status);
void add_inspect(CLI::App& program, int& status);
void add_disc(CLI::App& program, int& status);
void add_equivalent(CLI::App& program, int& status);
void add_explore(CLI::App& program, int& status);
void add_figure(CLI::App& program, int& status);
void add_impact(CLI::App& program, int& status);
void add_report(CLI::App& program, int& status);
void add_process(CLI::App& program, int& status);
void add_material(CLI::App& program, int& status);
void add_reproduce(CLI::App& program, int& status);
void add_simultaneous(CLI::App& program, int& status);

}  // namespace ricochet::app
