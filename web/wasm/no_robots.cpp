/// The page opens no files, and so no robots.

#include "scene/moving_robots.hpp"

namespace ricochet {

Expected<void> add_robots(const MotionScene& scene, motion::World& /*world*/, std::vector<std::string>& /*materials*/,
                          std::vector<std::string>* /*notes*/) {
  if (scene.robots.empty()) return {};
  return fail(ErrorCode::unavailable, "robot[1]", "", "the page reads no robot files");
}

}  // namespace ricochet
