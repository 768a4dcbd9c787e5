#include "ricochet/scene/page_simulation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ricochet/base/error_path.hpp"

namespace ricochet {
namespace {

bool in_closed_form(Shape::Kind a, Shape::Kind b) {
  using enum Shape::Kind;
  if (a == none || b == none || a == plane || b == plane) return true;
  return (a == sphere && (b == sphere || b == box)) || (a == box && b == sphere);
}

bool share_hinge(const MotionScene& scene, std::size_t i, std::size_t j) {
  return std::any_of(scene.joints.begin(), scene.joints.end(), [&](const motion::BallJoint& joint) {
    return (joint.first == i && joint.second == j) || (joint.first == j && joint.second == i);
  });
}

}  // namespace

Expected<void> check_for_page(const MotionScene& scene) {
  if (!scene.robots.empty())
    return fail(ErrorCode::unavailable, entry_path("robot", 0), fmt::format("\"{}\"", scene.robots.front().file),
                "the page reads no robot files");
  if (scene.bodies.size() > most_page_bodies)
    return fail(ErrorCode::unavailable, "body", fmt::format("{} bodies", scene.bodies.size()),
                fmt::format("the page simulates at most {}", most_page_bodies));
  for (std::size_t j = 0; j < scene.bodies.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) {
      const SceneBody &a = scene.bodies[i], &b = scene.bodies[j];
      if ((a.body.fixed && b.body.fixed) || share_hinge(scene, i, j)) continue;
      if (in_closed_form(a.shape.kind, b.shape.kind)) continue;
      return fail(ErrorCode::unavailable, entry_path("body", j), fmt::format("\"{}\"", b.name),
                  fmt::format("its distance from \"{}\" needs FCL, which the page does not have", a.name));
    }
  return {};
}

}  // namespace ricochet
