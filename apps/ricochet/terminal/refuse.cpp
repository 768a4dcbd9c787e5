#include "terminal/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "ricochet/base/printable.hpp"

namespace ricochet::app {

std::string fault_line(std::string_view where, long long line, const Error& error) {
  if (line > 0) return fmt::format("{}:{}: {}", printable(where), line, error.message());
  return fmt::format("{}: {}", printable(where), error.message());
}

int refuse(std::string_view where, long long line, const Error& error) {
  fmt::print(stderr, "{}\n", fault_line(where, line, error));
  return bad_input;
}

int refuse_output(const Error& error) {
  fmt::print(stderr, "{}\n", error.message());
  return failed_to_write;
}

std::string_view option_of(const Error& error, std::span<const OptionOf> options) {
  for (const OptionOf& one : options)
    if (one.path == error.path) return one.option;
  return {};
}

int report_parameter_error(std::string_view file, const Collision& collision, const Assignments& assignments,
                           const Error& error) {
  const bool overridden = std::any_of(assignments.begin(), assignments.end(),
                                      [&](const auto& assignment) { return assignment.first == error.path; });
  return overridden ? refuse("--set", error) : refuse(file, collision.line_of(error.path), error);
}

}  // namespace ricochet::app
