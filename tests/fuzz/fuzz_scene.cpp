/// Any bytes as a scene of many contacts; what is accepted is also resolved.

#include <cstddef>
#include <cstdint>

#include "every_law.hpp"
#include "ricochet/io/scene_toml.hpp"
#include "ricochet/simultaneous/sequence.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ricochet;
  const auto scene = read_scene({reinterpret_cast<const char*>(data), size});
  if (!scene) {
    check_error(scene.error().error);
    return 0;
  }
  for (const Hinges hinges : {Hinges::in_sequence, Hinges::intact}) {
    const auto assembled = assemble(scene->arrangement, hinges);
    if (!assembled) continue;
    const auto found = resolve(assembled->problem, {.max_collisions = 1000});
    if (!found) check_error(found.error());
  }
  return 0;
}
