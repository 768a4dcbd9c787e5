#include <cstdio>
#include <exception>

#include "commands.hpp"
#include "output_file.hpp"

namespace {

int run(int argc, char** argv) {
  int status = 0;
  CLI::App program{"Frictional impact of rigid bodies: one collision, every law, each answer with its certificate."};
  program.name("ricochet");
  program.set_version_flag("--version", "ricochet " RICOCHET_VERSION);
  program.require_subcommand(0, 1);
  ricochet::app::add_collide(program, status);
  ricochet::app::add_laws(program, status);
  ricochet::app::add_realize(program, status);
  ricochet::app::add_inspect(program, status);
  ricochet::app::add_impact(program, status);
  ricochet::app::add_reproduce(program, status);
  program.footer(
      "Example:\n  ricochet collide scenes/rod.toml --law all\nWithout a subcommand: collide the built-in scene with "
      "every law.");
  try {
    if (argc == 1) {
      program.parse("collide");
    } else {
      program.parse(argc, argv);
    }
  } catch (const CLI::ParseError& problem) {
    return program.exit(problem) == 0 ? 0 : 2;
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  ricochet::app::handle_signals();
  try {
    return run(argc, argv);
  } catch (const ricochet::app::OutputClosed&) {
    return 0;
  } catch (const std::exception& problem) {
    // Reached only when memory runs out.
    std::fputs("ricochet: ", stderr);
    std::fputs(problem.what(), stderr);
    std::fputs("\n", stderr);
    return 1;
  }
}
