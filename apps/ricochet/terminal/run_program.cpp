#include "terminal/run_program.hpp"

#include <cstdio>
#include <exception>

#include "terminal/output_file.hpp"

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

}  // namespace ricochet::app
