/// Equal elastic balls in a row, and impacts that share an instant.
///
/// Two equal smooth elastic balls exchange their velocities along the line of centres. In a row it follows, pair by
/// pair, that as many balls leave as arrive, with the same velocity.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr double bead = 0.5;  // radius: sums of diameters are exact

/// `moving` balls at `speed` along x, then `still` ones; `gap` between neighbours, 1 between the groups.
World row_of(int moving, int still, double gap, double speed) {
  std::vector<WorldBody> balls;
  double x = 0;
  for (int k = 0; k < moving + still; ++k) {
    if (k > 0) x += 2 * bead + (k == moving ? 1 : gap);
    balls.push_back(ball(bead, 0.3, {x, 0, 0}, {k < moving ? speed : 0, 0, 0}));
  }
  return world_of(std::move(balls), {Frictionless{.e = 1}}, Vec3::Zero());
}

void expect_as_many_leave(int moving, int still, double gap, Deviation& velocity) {
  SCOPED_TRACE(::testing::Message() << moving << " on " << still << ", gap " << gap);
  const double speed = 2;
  const Ran ran = run_world(row_of(moving, still, gap, speed), 2);
  ASSERT_TRUE(ran.ok);
  double momentum = 0;
  for (int k = 0; k < moving + still; ++k) {
    const Vec3& v = ran.poses[static_cast<std::size_t>(k)].velocity;
    velocity.add(v, {k < still ? 0 : speed, 0, 0}, speed);
    momentum += v.x();
  }
  EXPECT_LT(velocity.largest(), 1e-12);
  EXPECT_NEAR(momentum, moving * speed, 1e-12);
  EXPECT_NEAR(ran.ledger.kinetic, ran.ledger.start, 1e-12 * ran.ledger.start);
}

TEST(NewtonsCradle, WithGaps_AsManyLeaveAsArrive) {
  Deviation velocity("velocity");
  for (const int moving : {1, 2, 3}) expect_as_many_leave(moving, 5 - moving, 1.0 / 1024, velocity);
}

TEST(NewtonsCradle, Touching_AsManyLeaveAsArrive) {
  Deviation velocity("velocity");
  for (const int moving : {1, 2, 3}) expect_as_many_leave(moving, 5 - moving, 0, velocity);
  expect_as_many_leave(1, 5, 0, velocity);
}

// Five balls of radius r on strings of length L, each a pendulum with ω₀² = m g L/(m L² + 2/5 m r²). The first is let
// go at θ₀: it strikes after a quarter of the period, K(sin θ₀/2)/ω₀, the last one swings out to θ₀ and comes back
// after two quarters, and so on.
TEST(NewtonsCradle, OnStrings_SwingsOutOnBothSidesInTurn) {
  const double r = 1.0 / 32, length = 1, start = 0.5, mass = 0.25;
  WorldBody frame;
  frame.name = "frame";
  frame.body.fixed = true;
  std::vector<WorldBody> bodies{frame};
  for (int k = 0; k < 5; ++k) {
    const double angle = k == 0 ? -start : 0, x = 2 * r * k;
    bodies.push_back(ball(r, mass, {x + length * std::sin(angle), 0, length * (1 - std::cos(angle))}));
  }
  World world = world_of(std::move(bodies), {Frictionless{.e = 1}});
  for (int k = 0; k < 5; ++k) world.joints.push_back({0, static_cast<std::size_t>(k + 1), Vec3(2 * r * k, 0, length)});
  const double rate = std::sqrt(gravity * length / (length * length + 0.4 * r * r)),
               quarter = std::comp_ellint_1(std::sin(start / 2)) / rate;
  const Ran ran = run_world(std::move(world), 6 * quarter);
  ASSERT_TRUE(ran.ok);
  Deviation time("impact time"), place("place"), balance("imbalance");
  const auto impacts = ran.recording.of(EventKind::impact);
  ASSERT_FALSE(impacts.empty());
  std::size_t strikes = 0;
  for (std::size_t k = 0; k < impacts.size(); ++k) {
    if (k == 0 || impacts[k].time > impacts[k - 1].time + quarter) ++strikes;
    time.add(impacts[k].time, (2 * static_cast<double>(strikes) - 1) * quarter);
  }
  EXPECT_EQ(strikes, 3U);
  for (int k = 0; k < 5; ++k) {
    const double angle = k == 4 ? start : 0;
    place.add(ran.poses[static_cast<std::size_t>(k + 1)].position,
              {2 * r * k + length * std::sin(angle), 0, length * (1 - std::cos(angle))}, length);
  }
  balance.add(ran.ledger.imbalance(), 0, mass * gravity * length * (1 - std::cos(start)));
  EXPECT_LT(time.largest(), 1e-9);
  EXPECT_LT(place.largest(), 1e-8);
  EXPECT_LT(balance.largest(), 1e-11);
}

// With gaps every impact is one exchange, at its own time: the k-th when the wave has crossed k gaps.
TEST(NewtonsCradle, WithGaps_TheWaveCrossesOneGapAfterTheOther) {
  const double gap = 1.0 / 1024, speed = 2;
  const Ran ran = run_world(row_of(1, 4, gap, speed), 2);
  ASSERT_TRUE(ran.ok);
  const auto impacts = ran.recording.of(EventKind::impact);
  ASSERT_EQ(impacts.size(), 4U);
  Deviation time("impact time");
  for (std::size_t k = 0; k < 4; ++k) time.add(impacts[k].time, (1 + static_cast<double>(k) * gap) / speed);
  EXPECT_LT(time.largest(), 1e-14);
}

// A ball runs symmetrically on two that touch (pooltool#257). Both lines of centres are at 30° to its way. Symmetry
// leaves one impulse P for both; energy is kept where P = 2√3/5 m v. Then each pair also has the restitution 1, the
// ball goes back with v/5, and the others leave along the lines of centres with 2√3/5 v.
TEST(SymmetricTriple, OneBallOnTwoThatTouch_LeavesThemAlike) {
  const double v = 1.5, r = 0.5;
  const double across = r, along = std::sqrt(3.0) * r, way = 0.8;
  std::vector<WorldBody> balls{ball(r, 1, {-along - way, 0, 0}, {v, 0, 0}), ball(r, 1, {0, across, 0}),
                               ball(r, 1, {0, -across, 0})};
  auto simulation = Simulation::start(world_of(std::move(balls), {Frictionless{.e = 1}}, Vec3::Zero()));
  ASSERT_TRUE(simulation) << simulation.error().message();
  Recording recording;
  const auto done = simulation->run(2, recording.observer());
  ASSERT_TRUE(done) << done.error().message();
  const auto poses = simulation->poses();
  const auto impacts = recording.of(EventKind::impact);
  ASSERT_GE(impacts.size(), 2U);
  Deviation time("impact_time"), velocity("velocity");
  for (const Event& event : impacts) time.add(event.time, way / v);
  const double leave = 2 * std::sqrt(3.0) / 5 * v;
  velocity.add(poses[0].velocity, {-v / 5, 0, 0}, v);
  velocity.add(poses[1].velocity, leave * Vec3(along, across, 0) / (2 * r), v);
  velocity.add(poses[2].velocity, leave * Vec3(along, -across, 0) / (2 * r), v);
  EXPECT_LT(time.largest(), 1e-12);
  EXPECT_LT(velocity.largest(), 1e-12);
  EXPECT_NEAR(simulation->ledger().kinetic, simulation->ledger().start, 1e-12);
}

// The mirror image of a run is the run of the mirror image, with the bodies in another order as well.
TEST(SymmetricTriple, OrderOfBodiesDoesNotMatter) {
  const double v = 1.5, r = 0.5, along = std::sqrt(3.0) * r, way = 0.8;
  const WorldBody striker = ball(r, 1, {-along - way, 0, 0}, {v, 0, 0});
  const WorldBody left = ball(r, 1, {0, r, 0}), right = ball(r, 1, {0, -r, 0});
  const auto velocities = [](std::vector<WorldBody> bodies) {
    std::vector<Vec3> out;
    auto simulation = Simulation::start(world_of(std::move(bodies), {Frictionless{.e = 0.6}}, Vec3::Zero()));
    if (!simulation || !simulation->run(2)) return out;
    for (const Pose& pose : simulation->poses()) out.push_back(pose.velocity);
    return out;
  };
  const auto one = velocities({striker, left, right}), other = velocities({right, left, striker});
  ASSERT_EQ(one.size(), 3U);
  ASSERT_EQ(other.size(), 3U);
  EXPECT_LT((one[0] - other[2]).norm() + (one[1] - other[1]).norm() + (one[2] - other[0]).norm(), 1e-12);
  EXPECT_NEAR(one[1].x(), one[2].x(), 1e-12);
  EXPECT_NEAR(one[1].y(), -one[2].y(), 1e-12);
}

// Two collisions far apart at one instant (pooltool#78): both happen, each as if it were alone.
TEST(TwoCollisions, AtOneInstant_BothHappen) {
  const double r = 0.5, v = 2, way = 1;
  std::vector<WorldBody> balls{ball(r, 1, {0, 0, 0}, {v, 0, 0}), ball(r, 1, {2 * r + way, 0, 0}),
                               ball(r, 1, {0, 10, 0}, {v, 0, 0}), ball(r, 3, {2 * r + way, 10, 0})};
  const Ran ran = run_world(world_of(std::move(balls), {Frictionless{.e = 1}}, Vec3::Zero()), 1);
  ASSERT_TRUE(ran.ok);
  const auto impacts = ran.recording.of(EventKind::impact);
  ASSERT_EQ(impacts.size(), 2U);
  EXPECT_EQ(impacts[0].time, way / v);
  EXPECT_EQ(impacts[1].time, way / v);
  // v₁⁺ = (m₁ − m₂)/(m₁ + m₂) v, v₂⁺ = 2 m₁/(m₁ + m₂) v.
  EXPECT_NEAR(ran.poses[0].velocity.x(), 0, 1e-14);
  EXPECT_NEAR(ran.poses[1].velocity.x(), v, 1e-14);
  EXPECT_NEAR(ran.poses[2].velocity.x(), -v / 2, 1e-14);
  EXPECT_NEAR(ran.poses[3].velocity.x(), v / 2, 1e-14);
}

// One ball between two that arrive at the same instant from both sides: it stays, and they go back.
TEST(TwoCollisions, FromBothSides_CancelInTheMiddle) {
  const double r = 0.5, v = 2;
  std::vector<WorldBody> balls{ball(r, 1, {-2, 0, 0}, {v, 0, 0}), ball(r, 1, {0, 0, 0}),
                               ball(r, 1, {2, 0, 0}, {-v, 0, 0})};
  const Ran ran = run_world(world_of(std::move(balls), {Frictionless{.e = 1}}, Vec3::Zero()), 1);
  ASSERT_TRUE(ran.ok);
  EXPECT_NEAR(ran.poses[0].velocity.x(), -v, 1e-12);
  EXPECT_NEAR(ran.poses[1].velocity.x(), 0, 1e-12);
  EXPECT_NEAR(ran.poses[2].velocity.x(), v, 1e-12);
}

}  // namespace
}  // namespace ricochet::motion
