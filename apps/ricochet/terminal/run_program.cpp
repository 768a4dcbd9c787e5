#include "terminal/run_program.hpp"

#include <cstdio>
#include <exception>
#include <iostream>
#include <sstream>

#include "terminal/output_file.hpp"
#include "terminal/refuse.hpp"

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
    // Help and version are output like any other: a full device must not pass for success.
    std::ostringstream out;
    return program.exit(problem, out, std::cerr) == 0 ? print_out(out.str()) : bad_input;
  }
  return status;
}

}  // namespace ricochet::app
