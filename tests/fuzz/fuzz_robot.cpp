/// Any bytes as a robot file: URDF as a whole, MJCF until MuJoCo would see it, which happens in a process of its own.

#include <cstddef>
#include <cstdint>

#include "every_law.hpp"
#include "model/mjcf_source.hpp"
#include "ricochet/base/outermost_element.hpp"
#include "ricochet/model/urdf_model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ricochet;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (outermost_element(text) == "robot") {
    if (const auto model = read_urdf(text, ""); !model) check_error(model.error());
  } else if (const auto source = prepare_mjcf(text, ""); !source) {
    check_error(source.error());
  }
  return 0;
}
