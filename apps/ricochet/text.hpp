#pragma once
/// Text of others made safe to show: one line, valid UTF-8, bounded length.

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "ricochet/base/error.hpp"

namespace ricochet::app {

/// Control characters and bytes that are not UTF-8 become '?', and what exceeds `limit` bytes becomes "...".
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 200);

/// What is wrong with a field, without its name: "1.5: must be between 0 and 1".
[[nodiscard]] std::string complaint(const Error& error);

/// One line for stderr: FILE:LINE: field "e": 1.5: must be between 0 and 1. Line 0 means the whole file.
[[nodiscard]] std::string fault_line(std::string_view file, long long line, const Error& error);

/// Appends a JSON string; `text` must be valid UTF-8.
void append_json_string(fmt::memory_buffer& out, std::string_view text);

/// Appends the shortest JSON number that reads back as the same double, or the string "inf", "-inf" where there is
/// none.
void append_json_number(fmt::memory_buffer& out, double x);

inline void append(fmt::memory_buffer& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

}  // namespace ricochet::app
