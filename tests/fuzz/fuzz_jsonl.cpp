/// Any bytes as JSON Lines.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "every_law.hpp"
#include "ricochet/io/collision_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ricochet;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    Collision collision;
    const auto fine = read_json_line(text.substr(0, end), collision);
    if (fine) {
      ask_every_law(collision);
    } else {
      check_error(fine.error());
    }
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return 0;
}
