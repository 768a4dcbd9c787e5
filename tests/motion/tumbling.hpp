#pragma once
/// Boxes, capsules and balls that tumble onto each other: what must hold whatever they do.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "motion/worlds.hpp"
#include "ricochet/geometry/shape_contact.hpp"

namespace ricochet::motion::testing {

/// Bodies above a floor, or above a fixed box on it, turned and moving at random.
inline World tumbling_pile(unsigned seed, int count, bool round, double e, double mu) {
  std::mt19937 engine(seed);
  const auto uniform = [&](double a, double b) {
    return a + (b - a) * static_cast<double>(engine()) / static_cast<double>(std::mt19937::max());
  };
  const auto direction = [&] {
    const double z = uniform(-1, 1), angle = uniform(0, 2 * std::numbers::pi), across = std::sqrt(1 - z * z);
    return Vec3(across * std::cos(angle), across * std::sin(angle), z);
  };
  std::vector<WorldBody> bodies{ground()};
  WorldBody pedestal = block({0.25, 0.2, 0.1}, 1, {0, 0, 0.1}, Vec3::Zero(), "pedestal");
  pedestal.body.fixed = true;
  bodies.push_back(pedestal);
  for (int k = 0; k < count; ++k) {
    const Vec3 place(uniform(-0.1, 0.1), uniform(-0.1, 0.1), 0.5 + 0.45 * k);
    const std::string name = "body " + std::to_string(k);
    WorldBody body = block({uniform(0.06, 0.12), uniform(0.06, 0.12), uniform(0.06, 0.12)}, uniform(0.5, 2), place,
                           Vec3::Zero(), name);
    if (round && k % 3 == 1) body = rod(uniform(0.06, 0.12), uniform(0.03, 0.06), uniform(0.5, 2), place, name);
    if (round && k % 3 == 2) body = ball(uniform(0.06, 0.12), uniform(0.5, 2), place, Vec3::Zero(), Vec3::Zero(), name);
    body.body.orientation = Quaternion(Eigen::AngleAxisd(uniform(0, std::numbers::pi), direction()));
    body.body.velocity = uniform(0, 0.5) * direction();
    body.body.angular_velocity = uniform(0, 6) * direction();
    bodies.push_back(body);
  }
  return world_of(bodies, {Routh{.e = e, .mu = mu}, mu, mu});
}

/// The deepest overlap of two bodies, by FCL, or of a body below the floor [m].
inline double deepest_overlap(const World& world, const std::vector<Pose>& poses) {
  const auto shape_at = [&](std::size_t i) {
    ConvexShape shape = world.bodies[i].shapes[0];
    shape.position = poses[i].position + poses[i].orientation * shape.position;
    shape.rotation = poses[i].orientation.toRotationMatrix() * shape.rotation;
    return shape;
  };
  double deepest = 0;
  for (std::size_t i = 0; i < poses.size(); ++i)
    for (std::size_t j = i + 1; j < poses.size(); ++j) {
      if (world.bodies[i].body.fixed && world.bodies[j].body.fixed) continue;
      const auto found = shape_contacts(shape_at(i), shape_at(j), 1e-3);
      if (!found) continue;  // not certain to 1e-9
      for (const Touch& touch : *found) deepest = std::max(deepest, -touch.gap);
    }
  return deepest;
}

}  // namespace ricochet::motion::testing
