/// Any bytes as a scene of many contacts; what is accepted is also resolved.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "every_law.hpp"
#include "ricochet/io/motion_toml.hpp"
#include "ricochet/io/scene_toml.hpp"
#include "ricochet/simultaneous/sequence.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ricochet;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Robots are read, but their files are not opened here.
  if (const auto robots = read_robot_scene(text); !robots) check_error(robots.error().error);
  // Meshes are listed by their points only; what is accepted can be made a world.
  if (auto motion = read_motion_scene(text); !motion) {
    check_error(motion.error().error);
  } else if (motion->robots.empty()) {  // files of robots are not opened here
    (void)assume_missing(*motion);
    if (!make_world(*motion)) __builtin_trap();
  }
  const auto scene = read_scene(text);
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
