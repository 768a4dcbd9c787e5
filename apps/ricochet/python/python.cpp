/// ricochet-python: Python with the package importable. Every argument is Python's but a lone --help.

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include "command_table.hpp"
#include "terminal/run_program.hpp"

namespace {

using namespace ricochet::app;

int help() {
  for (const Command& command : command_table())
    if (std::string_view(command.name) == "python") fmt::print("{}\n\n", command.help);
  fmt::print(
      "Usage: ricochet python [ARGUMENTS]\n"
      "\n"
      "The arguments are those of Python: a script, -c CODE, -m MODULE; without any it reads from the terminal.\n"
      "ricochet python -h lists them.\n"
      "\n"
      "Examples:\n"
      "  ricochet python -c \"import ricochet; print(ricochet.Collision.read().ask('routh')['P'])\"\n"
      "  ricochet python -m pydoc ricochet.collide\n");
  return 0;
}

/// The folder of the package: in the build, or where it was installed beside this program.
std::filesystem::path package_folder() {
  std::error_code problem;
  const std::filesystem::path prefix =
      std::filesystem::read_symlink("/proc/self/exe", problem).parent_path().parent_path();
  for (const std::filesystem::path& folder : {prefix / "python", prefix / RICOCHET_PYTHON_INSTALL})
    if (std::filesystem::exists(folder / "ricochet" / "__init__.py", problem)) return folder;
  return {};
}

int run(int argc, char** argv) {
  const int first = argc > 1 && std::string_view(argv[1]) == "python" ? 2 : 1;
  if (argc == first + 1 && std::string_view(argv[first]) == "--help") return help();
  const std::filesystem::path folder = package_folder();
  if (folder.empty()) {
    fmt::print(stderr, "ricochet: the Python package is neither in the build nor beside this program\n");
    return 1;
  }
  std::string path = folder.string();
  if (const char* given = std::getenv("PYTHONPATH"); given != nullptr && *given != '\0')
    path += std::string(":") + given;
  setenv("PYTHONPATH", path.c_str(), 1);
  static char program[] = RICOCHET_PYTHON_EXECUTABLE;
  std::vector<char*> arguments{program};
  arguments.insert(arguments.end(), argv + first, argv + argc);
  arguments.push_back(nullptr);
  execv(program, arguments.data());
  fmt::print(stderr, "ricochet: {} cannot be started: {}\n", program, std::strerror(errno));
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  return ricochet::app::run_program([&] { return run(argc, argv); });
}
