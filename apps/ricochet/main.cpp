#include <array>
#include <string_view>

#include "commands.hpp"
#include "outside_commands.hpp"
#include "run_program.hpp"

namespace {

int run(int argc, char** argv) {
  using namespace ricochet::app;
  int status = 0;
  CLI::App program{"Frictional impact of rigid bodies: one collision, every law, each answer with its certificate."};
  program.name("ricochet");
  program.set_version_flag("--version", "ricochet " RICOCHET_VERSION);
  program.require_subcommand(0, 1);
  add_collide(program, status);
  add_laws(program, status);
  add_realize(program, status);
  add_inspect(program, status);
  for (const OutsideCommand& command : outside_commands()) {
    if (argc > 1 && std::string_view(argv[1]) == command.name) return become(command.name, argv);
    program.add_subcommand(command.name, command.help);
  }
  program.footer(
      "Example:\n  ricochet collide scenes/rod.toml --law all\nWithout a subcommand: collide the built-in scene with "
      "every law.");
  static char collide[] = "collide";
  std::array<char*, 2> nothing_asked{argv[0], collide};
  return argc == 1 ? parse(program, 2, nothing_asked.data(), status) : parse(program, argc, argv, status);
}

}  // namespace

int main(int argc, char** argv) {
  return ricochet::app::run_program([&] { return run(argc, argv); });
}
