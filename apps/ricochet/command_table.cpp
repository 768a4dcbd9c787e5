#include "command_table.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace ricochet::app {
namespace {

constexpr std::array commands{
#include "command_table.inc"  // made by CMake from command_table.txt
};

}  // namespace

std::span<const Command> command_table() { return commands; }

CommandLine add_command(Program& program, std::string_view name) {
  for (const Command& command : commands)
    if (command.name == name) return program.add_command(command.name, command.help);
  throw std::logic_error(fmt::format("{} is not in command_table.txt", name));
}

int exec_command(const Command& command, char** argv) {
  std::error_code problem;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", problem);
  const std::filesystem::path program = self.parent_path() / command.program;
  if (problem || !std::filesystem::exists(program, problem)) {
    fmt::print(stderr,
               "ricochet: the command {} is a separate program, {}, which is not in the folder of this one; ./run {} "
               "builds it\n",
               command.name, command.program, command.name);
    return 2;
  }
  execv(program.c_str(), argv);
  fmt::print(stderr, "ricochet: {} cannot be started: {}\n", program.string(), std::strerror(errno));
  return 1;
}

}  // namespace ricochet::app
