#pragma once
/// Errors are values: which field is wrong, what it was, what is allowed.

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace ricochet {

struct Error {
  std::string field;    ///< name of the offending input, as the user wrote it
  std::string value;    ///< what was given; empty when it was missing
  std::string allowed;  ///< what would have been accepted, or why nothing can be

  [[nodiscard]] std::string message() const;
};

template <class T>
using Expected = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(std::string field, std::string value, std::string allowed) {
  return tl::unexpected<Error>(Error{std::move(field), std::move(value), std::move(allowed)});
}

/// Shortest text that reads back as the same double; "inf", "-inf", "nan" for the rest.
[[nodiscard]] std::string to_text(double x);

}  // namespace ricochet
