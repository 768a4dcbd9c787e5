#pragma once
/// The subcommands. Each adds itself to the command line and, when it is chosen, stores its exit code in `status`: 0
/// success, 1 the output could not be written or a check failed, 2 invalid input or usage, 130 interrupted.

#include "terminal/command_line.hpp"

namespace ricochet::app {

void add_collide(Program& program, int& status);
void add_laws(Program& program, int& status);
void add_realize(Program& program, int& status);
void add_inspect(Program& program, int& status);
void add_disc(Program& program, int& status);
void add_equivalent(Program& program, int& status);
void add_explore(Program& program, int& status);
void add_figure(Program& program, int& status);
void add_fit(Program& program, int& status);
void add_gas(Program& program, int& status);
void add_impact(Program& program, int& status);
void add_reduce(Program& program, int& status);
void add_report(Program& program, int& status);
void add_process(Program& program, int& status);
void add_material(Program& program, int& status);
void add_rank(Program& program, int& status);
void add_reproduce(Program& program, int& status);
void add_simulate(Program& program, int& status);
void add_simultaneous(Program& program, int& status);
void add_sweep(Program& program, int& status);

}  // namespace ricochet::app
