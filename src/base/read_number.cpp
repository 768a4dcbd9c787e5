#include "ricochet/base/read_number.hpp"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <string>
#include <version>

namespace ricochet {
namespace {

#ifdef __cpp_lib_to_chars
std::optional<double> read_whole(std::string_view text) {
  double x = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return x;
}
#else
/// Emscripten's library has no from_chars for double. strtod reads more than it: leading space, a second sign,
/// hexadecimal digits, numbers out of range.
std::optional<double> read_whole(std::string_view text) {
  if (text.empty() || text.find_first_of("xX+ \t\n\v\f\r") == 0 || text.find_first_of("xX") != std::string_view::npos)
    return std::nullopt;
  const std::string copy(text);
  char* end = nullptr;
  errno = 0;
  const double x = std::strtod(copy.c_str(), &end);
  if (errno == ERANGE || end != copy.c_str() + copy.size()) return std::nullopt;
  return x;
}
#endif

}  // namespace

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<double> read_number(std::string_view text) {
  text = trim(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  return read_whole(text);
}

}  // namespace ricochet
