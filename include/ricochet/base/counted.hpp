#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ricochet {

/// "1 contact", "2 contacts", "3 bodies": `many` where the plural is not `one` with an s.
[[nodiscard]] inline std::string counted(std::size_t count, std::string_view one, std::string_view many = {}) {
  std::string out = std::to_string(count) + " ";
  out += count == 1 || many.empty() ? one : many;
  if (count != 1 && many.empty()) out += "s";
  return out;
}

}  // namespace ricochet
