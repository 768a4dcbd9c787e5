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

}  // namespace
}  // namespace ricochet::motion
