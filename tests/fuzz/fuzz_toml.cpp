/// Any bytes as a TOML file.

#include <cstddef>
#include <cstdint>

#include "every_law.hpp"
#include "ricochet/io/collision_toml.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ricochet;
  const auto collision = read_toml({reinterpret_cast<const char*>(data), size});
  if (collision) {
    ask_every_law(*collision);
  } else {
    check_error(collision.error().error);
  }
  return 0;
}
