#include "commands.hpp"
#include "run_program.hpp"

/// The whole of a program ricochet-NAME: one command, named on its command line as on ricochet's own.
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
