/// Events that follow each other ever faster: the event-driven motion says that it does not go on, and what does.

#include <gtest/gtest.h>

#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// An elastic ball between a floor that rises and a ceiling that falls: its speed grows as the gap closes, so that
// bounces accumulate when there is no room left, at 0.5 s.
TEST(StalledMotion, BallBetweenClosingWalls_SaysSo_AndNamesTimeStepping) {
  WorldBody floor = ground(), ceiling = half_space({0, 0, 1.2}, -Vec3::UnitZ(), "ceiling");
  floor.body.velocity = {0, 0, 1};
  ceiling.body.velocity = {0, 0, -1};
  auto motion = Simulation::start(world_of({floor, ceiling, ball(0.1, 1, {0, 0, 0.5})}, {Frictionless{.e = 1}}));
  ASSERT_TRUE(motion) << motion.error().message();
  const auto stopped = motion->run(0.6);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::not_converged);
  EXPECT_NE(stopped.error().message().find("events in the last"), std::string::npos) << stopped.error().message();
  EXPECT_NE(stopped.error().message().find("time stepping"), std::string::npos) << stopped.error().message();
  EXPECT_NEAR(motion->time(), 0.5, 1e-3);
  EXPECT_GT(motion->events(), 10000U);
}

// A force that grows without a bound after 0.5 s: no step is small enough, and the motion is left where it was.
TEST(StalledMotion, WhereAStepFails_StaysAtItsLastEventWithItsLedgerClosed) {
  World world = world_of({ball(0.1, 2, {0, 0, 10}, {1, 0, 0})}, {Frictionless{}});
  const Vec3 push(3, 0, 0);
  world.forces.push_back({0, {0, 0.5, 0.6}, {push, push, {1e300, 0, 0}}, std::vector<Vec3>(3, Vec3::Zero())});
  auto simulation = Simulation::start(std::move(world));
  ASSERT_TRUE(simulation);
  ASSERT_FALSE(simulation->run(1));
  const double t = simulation->time();
  ASSERT_NEAR(t, 0.5, 1e-12);
  EXPECT_NEAR(simulation->poses()[0].position.x(), t + 0.75 * t * t, 1e-11);
  EXPECT_NEAR(simulation->poses()[0].position.z(), 10 - gravity * t * t / 2, 1e-11);
  EXPECT_GT(simulation->ledger().applied_work, 1);
  EXPECT_LT(std::abs(simulation->ledger().imbalance()), 1e-9);
}

}  // namespace
}  // namespace ricochet::motion
