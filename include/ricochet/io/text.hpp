#pragma once
/// Text for output: JSON strings and numbers.

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "ricochet/base/error.hpp"
#include "ricochet/base/printable.hpp"

namespace ricochet {

/// Appends a JSON string; `text` must be valid UTF-8.
void append_json_string(fmt::memory_buffer& out, std::string_view text);

/// Appends the shortest JSON number that reads back as the same double, or the string "inf", "-inf" where there is
/// none.
void append_json_number(fmt::memory_buffer& out, double x);

/// Appends {"code": "out-of-range", "path": "e", "value": "1.5", "allowed": ..., "message": ...}, all strings.
void append_json(fmt::memory_buffer& out, const Error& error);

inline void append(fmt::memory_buffer& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

}  // namespace ricochet
