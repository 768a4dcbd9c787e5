#include "commands/commands.hpp"
#include "terminal/run_program.hpp"

/// The main program of ricochet-NAME, which runs one command.
int main(int argc, char** argv) {
  return ricochet::app::run_program([&] {
    int status = 0;
    CLI::App program{"A command of ricochet."};
    program.name("ricochet");
    program.require_subcommand(1);
    ricochet::app::RICOCHET_COMMAND(program, status);
    return ricochet::app::parse(program, argc, argv, status);
  });
}
