#pragma once
/// What kind of XML a text is, before anybody parses it.

#include <algorithm>
#include <string_view>

namespace ricochet {

/// The name of the outermost element, after declarations and comments; empty where there is none.
[[nodiscard]] inline std::string_view outermost_element(std::string_view text) {
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("<!--")) {
      const std::size_t end = text.find("-->", at);
      if (end == std::string_view::npos) return "";
      at = end;
      continue;
    }
    if (rest.starts_with("<?") || rest.starts_with("<!")) continue;
    return rest.substr(1, std::min(rest.find_first_of(" \t\r\n/>", 1), rest.size()) - 1);
  }
  return "";
}

}  // namespace ricochet
