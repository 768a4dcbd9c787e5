#include "ricochet/io/text.hpp"

#include <cmath>

namespace ricochet {

void append_json_string(fmt::memory_buffer& out, std::string_view text) {
  out.push_back('"');
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (code < 0x20) {
      fmt::format_to(fmt::appender(out), "\\u{:04x}", code);
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

void append_json_number(fmt::memory_buffer& out, double x) {
  if (!std::isfinite(x)) {
    append(out, std::isnan(x) ? "\"nan\"" : x > 0 ? "\"inf\"" : "\"-inf\"");
  } else if (x == 0) {
    // Parsers read "-0" as an integer and lose its sign.
    append(out, std::signbit(x) ? "-0.0" : "0");
  } else {
    fmt::format_to(fmt::appender(out), "{}", x);
  }
}

void append_json(fmt::memory_buffer& out, const Error& error) {
  append(out, R"({"code":)");
  append_json_string(out, name(error.code));
  append(out, R"(,"path":)");
  append_json_string(out, printable(error.path));
  append(out, R"(,"value":)");
  append_json_string(out, printable(error.value));
  append(out, R"(,"allowed":)");
  append_json_string(out, printable(error.allowed, 600));
  append(out, R"(,"message":)");
  append_json_string(out, error.message());
  out.push_back('}');
}

}  // namespace ricochet
