#pragma once
/// RFC 4180: a field with a comma, a quote or a line break stands in quotes.

#include <fmt/format.h>

#include <string_view>

namespace ricochet {

inline void append_csv_field(fmt::memory_buffer& out, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out.append(text.data(), text.data() + text.size());
    return;
  }
  out.push_back('"');
  for (const char c : text) {
    if (c == '"') out.push_back('"');
    out.push_back(c);
  }
  out.push_back('"');
}

}  // namespace ricochet
