#include "run_program.hpp"

#include <cstdio>
#include <exception>

#include "output_file.hpp"

namespace ricochet::app {

int run_program(const std::function<int()>& body) {
  handle_signals();
  try {
    return body();
  } catch (const OutputClosed&) {
    return 0;
  } catch (const std::exception& problem) {
    // Reached only when memory runs out.
    std::fputs("ricochet: ", stderr);
    std::fputs(problem.what(), stderr);
    std::fputs("\n", stderr);
    return 1;
  }
}

int parse(CLI::App& program, int argc, char** argv, const int& status) {
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return program.exit(problem) == 0 ? 0 : 2;
  }
  return status;
}

}  // namespace ricochet::app
