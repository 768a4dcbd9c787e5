#pragma once
/// Errors are values: a code that programs branch on, the path of the offending input, what it was, what is allowed.
/// The sentence that people read is made from these in one place, `Error::message`.

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace ricochet {

enum class ErrorCode : std::uint8_t {
  missing,        ///< an input that is needed was not given
  unknown_name,   ///< no law, parameter, key, body, joint or method has this name
  wrong_type,     ///< not a number, a string, a list or a table where one is expected, or a list of the wrong length
  out_of_range,   ///< a number outside its bounds or not finite, or a word that is not one of the choices
  conflict,       ///< two inputs exclude each other, or one was given twice
  malformed,      ///< text that cannot be parsed
  file_access,    ///< a file that cannot be opened, read or written
  unavailable,    ///< needs a library that was absent when this was built, or a resource that is in use
  invalid,        ///< well-formed, but no physical or admissible value: an indefinite mass matrix, bodies that separate
  open_loop,      ///< positions or speeds that do not keep the loops of a mechanism closed
  no_solution,    ///< the law or method has no answer for this contact
  not_converged,  ///< an iteration reached its limit before its tolerance
  overflow,       ///< the numbers exceed double precision
};

/// "out-of-range" and so on, as written in JSON.
[[nodiscard]] std::string_view name(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::invalid;
  std::string path;     ///< the offending input: "e", "body[2].inertia", "contact[1].normal"; entries count from 1;
                        ///< empty for a file as a whole, and where a law or method fails
  std::string value;    ///< what was given; empty when it was missing
  std::string allowed;  ///< what would have been accepted, or why no value is

  /// The sentence for people, in one line of printable UTF-8: "e = 1.5: must be between 0 and 1".
  [[nodiscard]] std::string message() const;
};

/// Whether the law or method itself failed on an input that was accepted, or left the range of double precision.
[[nodiscard]] constexpr bool is_failure_to_solve(ErrorCode code) {
  return code == ErrorCode::no_solution || code == ErrorCode::not_converged || code == ErrorCode::overflow;
}

template <class T>
using Expected = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string path, std::string value,
                                                std::string allowed) {
  return tl::unexpected<Error>(Error{code, std::move(path), std::move(value), std::move(allowed)});
}

/// Shortest text that reads back as the same double; "inf", "-inf", "nan" for the rest.
[[nodiscard]] std::string to_text(double x);

}  // namespace ricochet
