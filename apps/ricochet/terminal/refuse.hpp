#pragma once
/// The error output of all commands: a line on stderr, and the exit code.

#include <span>
#include <string>
#include <string_view>

#include "ricochet/io/assignments.hpp"
#include "ricochet/io/fault.hpp"

namespace ricochet::app {

constexpr int bad_input = 2;        ///< exit code for invalid input or options
constexpr int failed_to_write = 1;  ///< exit code: the answer could not be written

/// "FILE:LINE: e = 1.5: must be between 0 and 1". Line 0 means the whole; `where` is a file or an option.
[[nodiscard]] std::string fault_line(std::string_view where, long long line, const Error& error);

/// Prints `fault_line`; the exit code for bad input.
[[nodiscard]] int refuse(std::string_view where, long long line, const Error& error);
[[nodiscard]] inline int refuse(std::string_view where, const Error& error) { return refuse(where, 0, error); }

/// An error in a file opened by the library.
[[nodiscard]] inline int refuse(const Fault& fault) { return refuse(fault.file, fault.line, fault.error); }

/// An error of a law parameter is laid to the --set that gave it, or to its line in the file.
[[nodiscard]] int report_parameter_error(std::string_view file, const Collision& collision,
                                         const Assignments& assignments, const Error& error);

/// Prints why output could not be written; the exit code for that.
[[nodiscard]] int refuse_output(const Error& error);

/// Which option sets the input at a path of the library.
struct OptionOf {
  std::string_view path, option;
};
/// The option that set what the error names, or nothing.
[[nodiscard]] std::string_view option_of(const Error& error, std::span<const OptionOf> options);

}  // namespace ricochet::app
