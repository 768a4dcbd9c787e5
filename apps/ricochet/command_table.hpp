#pragma once
/// The commands, from command_table.txt: those of this program, and those that are programs of their own, ricochet-NAME
/// beside it, because they need more libraries and more time to build than colliding two bodies does.

#include <span>
#include <string_view>

#include "terminal/command_line.hpp"

namespace ricochet::app {

struct Command {
  const char* name;
  const char* program;  ///< "ricochet", or the program of its own
  const char* help;     ///< the line in ricochet --help

  [[nodiscard]] bool own_program() const { return std::string_view(program) != "ricochet"; }
};

[[nodiscard]] std::span<const Command> command_table();

/// Adds the command of that name, with its line of help.
CommandLine add_command(Program& program, std::string_view name);

/// Replaces this process by the command's own program with these arguments. Returns only if that fails, with the exit
/// code, having said why.
[[nodiscard]] int exec_command(const Command& command, char** argv);

}  // namespace ricochet::app
