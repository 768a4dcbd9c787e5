#include "commands/commands.hpp"
#include "terminal/run_program.hpp"

/// The main program of ricochet-NAME, which runs one command.
int main(int argc, char** argv) {
  return ricochet::app::run_program([&] {
    int status = 0;
    ricochet::app::Program program("A command of ricochet.");
    program.require_command(true);
    ricochet::app::RICOCHET_COMMAND(program, status);
    return program.parse(argc, argv, status);
  });
}
