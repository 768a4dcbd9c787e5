#include <array>
#include <string_view>

#include "command_table.hpp"
#include "commands/commands.hpp"
#include "terminal/run_program.hpp"

namespace {

int run(int argc, char** argv) {
  using namespace ricochet::app;
  int status = 0;
  Program program("Frictional impact of rigid bodies: one collision, every law, each answer with its certificate.");
  program.version("ricochet " RICOCHET_VERSION);
  program.require_command(false);
  add_collide(program, status);
  add_laws(program, status);
  add_realize(program, status);
  add_inspect(program, status);
  for (const Command& command : command_table()) {
    if (!command.own_program()) continue;
    if (argc > 1 && std::string_view(argv[1]) == command.name) return exec_command(command, argv);
    add_command(program, command.name);
  }
  program.footer(
      "Example:\n  ricochet collide scenes/rod.toml --law all\nWithout a subcommand: collide the built-in scene with "
      "every law.");
  static char collide[] = "collide";
  std::array<char*, 2> nothing_asked{argv[0], collide};
  return argc == 1 ? program.parse(2, nothing_asked.data(), status) : program.parse(argc, argv, status);
}

}  // namespace

int main(int argc, char** argv) {
  return ricochet::app::run_program([&] { return run(argc, argv); });
}
