/// Where bounces end, what is left of them changes the slip of the contact: friction is against the slip that there is
/// then. Friction never gives energy, at whatever time the ledger is asked.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

/// Along body x.
WorldBody cylinder(double radius, double length, double mass) {
  WorldBody out;
  out.name = "cylinder";
  const double across = mass * (3 * radius * radius + length * length) / 12;
  out.body.mass = mass;
  out.body.inertia = Vec3(mass * radius * radius / 2, across, across).asDiagonal();
  ConvexShape shape;
  shape.core = ConvexShape::Core::cylinder;
  shape.size = {radius, radius, 0.5 * length};
  shape.rotation << 0, 0, 1, 0, 1, 0, -1, 0, 0;
  out.shapes.push_back(shape);
  return out;
}

TEST(LastBounces, OfACylinderThatClatters_LeaveFrictionAgainstItsSlip) {
  WorldBody body = cylinder(0.04468159533900266, 0.21280130385002238, 1.4206875365706528);
  body.body.position = {-0.042280054228157865, 0.04464657804460634, 0.35};
  body.body.orientation =
      Quaternion(0.03568788559262672, -0.5803703734807266, 0.6526095211966728, 0.48579565380025674).normalized();
  body.body.velocity = {0.31366112303897953, -0.41759205611869177, -0.061719952696578595};
  body.body.angular_velocity = {2.54163019795846, -0.730133338481811, 0.14199765749581683};
  auto simulation = Simulation::start(world_of({ground(), body}, {Routh{.e = 0.5, .mu = 0.3}, 0.3, 0.3}));
  ASSERT_TRUE(simulation);
  double before = 0, least = 0;
  for (int k = 1; k <= 256; ++k) {
    ASSERT_TRUE(simulation->run(2.0 * k / 256));
    const double lost = simulation->ledger().lost_to_friction;
    least = std::min(least, lost - before);
    before = lost;
  }
  EXPECT_GE(least, -1e-12 * simulation->ledger().start);
  EXPECT_LT(std::abs(simulation->ledger().imbalance()), 1e-12 * simulation->ledger().start);
}

}  // namespace
}  // namespace ricochet::motion
