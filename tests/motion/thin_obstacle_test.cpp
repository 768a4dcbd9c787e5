/// Impacts that a step in time would miss: fast and small on thin, grazing, and a rod that sweeps.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

World bullet_and_plate(const Vec3& from, const Vec3& velocity, double radius, bool held) {
  WorldBody plate = block({0.5e-3, 1, 1}, 5, Vec3::Zero());
  plate.body.fixed = held;
  return world_of({plate, ball(radius, 0.01, from, velocity)}, {Frictionless{.e = 1}}, Vec3::Zero());
}

TEST(ThinObstacle, ABulletAgainstAPlate_HitsAtItsTime) {
  Deviation time("impact_time");
  for (const double v : {10.0, 1000.0, 1e6})
    for (const double radius : {1e-3, 1e-6}) {
      const Vec3 from(-20, 0.3, -0.2);
      const Ran ran = run_world(bullet_and_plate(from, {v, 0, 0}, radius, true), 40 / v);
      ASSERT_TRUE(ran.ok);
      const auto impacts = ran.recording.of(EventKind::impact);
      ASSERT_EQ(impacts.size(), 1U);
      const double t = (20 - 0.5e-3 - radius) / v;
      time.add(impacts[0].time, t);
      EXPECT_NEAR(ran.poses[1].velocity.x(), -v, 1e-9 * v);
      EXPECT_NEAR(ran.poses[1].position.x(), -0.5e-3 - radius - v * (40 / v - t), 1e-8);
    }
  EXPECT_LT(time.largest(), 1e-10);
}

TEST(ThinObstacle, ABulletOnAFreePlate_SharesItsMomentum) {
  const double v = 1000;
  // On the centre, so that the plate does not turn: v₂ = 2 m₁/(m₁ + m₂) v.
  const Ran ran = run_world(bullet_and_plate({-20, 0, 0}, {v, 0, 0}, 1e-3, false), 0.04);
  ASSERT_TRUE(ran.ok);
  ASSERT_EQ(ran.recording.of(EventKind::impact).size(), 1U);
  EXPECT_NEAR(ran.poses[0].velocity.x(), 2 * 0.01 / 5.01 * v, 1e-9 * v);
  EXPECT_NEAR(ran.poses[1].velocity.x(), (0.01 - 5) / 5.01 * v, 1e-9 * v);
}

// 1e-4 beside the rim it passes. 1e-4 inside, the ball's lowest point is beyond the face and its centre is not.
TEST(ThinObstacle, ABulletBesideThePlate_Passes) {
  const double r = 1e-3;
  const Ran beside = run_world(bullet_and_plate({-20, 1 + r + 1e-4, 0}, {1000, 0, 0}, r, true), 0.04);
  ASSERT_TRUE(beside.ok);
  EXPECT_TRUE(beside.recording.events.empty());
  // Against the rim: the centre is r − 1e-4 above the edge, and touches it √(r² − (r − 1e-4)²) before the face.
  const Ran rim = run_world(bullet_and_plate({-20, 1 + r - 1e-4, 0}, {1000, 0, 0}, r, true), 0.04);
  ASSERT_TRUE(rim.ok);
  const auto impacts = rim.recording.of(EventKind::impact);
  ASSERT_EQ(impacts.size(), 1U);
  const double early = std::sqrt(r * r - (r - 1e-4) * (r - 1e-4));
  EXPECT_NEAR(impacts[0].time, (20 - 0.5e-3 - early) / 1000, 1e-12);
}

World passing(double aside, const Vec3& velocity, double r) {
  return world_of({ball(r, 1, {-3, aside, 0}, velocity), ball(r, 1, {0, 0, 0})}, {Frictionless{.e = 1}}, Vec3::Zero());
}

TEST(Grazing, SpheresThatOverlapByANanometre_Touch) {
  const double r = 0.5, v = 2, aside = 2 * r - 1e-9;
  const Ran ran = run_world(passing(aside, {v, 0, 0}, r), 4);
  ASSERT_TRUE(ran.ok);
  const auto impacts = ran.recording.of(EventKind::impact);
  ASSERT_EQ(impacts.size(), 1U);
  // x² + aside² = 4r²; 4r² − aside² = 1e-9 (4r − 1e-9). The square root halves the digits.
  const double x = std::sqrt(1e-9 * (4 * r - 1e-9));
  EXPECT_NEAR(impacts[0].time, (3 - x) / v, 1e-11);
  // n·v is exchanged: n = (x, −aside, 0)/2r.
  const double n = x / (2 * r);
  EXPECT_NEAR(impacts[0].approach, n * v, 1e-6 * n * v);
  EXPECT_NEAR(ran.poses[1].velocity.x(), n * n * v, 1e-6 * n * n * v);
}

TEST(Grazing, SpheresThatMissByANanometre_DoNot) {
  const Ran ran = run_world(passing(1 + 1e-9, {2, 0, 0}, 0.5), 4);
  ASSERT_TRUE(ran.ok);
  EXPECT_TRUE(ran.recording.events.empty());
  EXPECT_NEAR(ran.poses[0].position.x(), 5, 1e-14);
}

// Thrown over a floor, a ball that comes down to a nanometre above it does not touch; a nanometre lower it does. Upward
// gravity makes the lowest point the turning point.
TEST(Grazing, TurningPointANanometreAboveTheFloor_IsNoImpact) {
  const double r = 0.5, h = 2, v = 3;
  const double drop = v * v / (2 * gravity);
  for (const double off : {1e-9, -1e-9}) {
    World world =
        world_of({ground(), ball(r, 1, {0, 0, r + drop + off}, {0.3, 0, -v})}, {Frictionless{.e = 1}}, {0, 0, gravity});
    const Ran ran = run_world(std::move(world), h * v / gravity);
    ASSERT_TRUE(ran.ok);
    EXPECT_EQ(ran.recording.of(EventKind::impact).size(), off > 0 ? 0U : 1U);
  }
}

// A free rod turns at ω about z and sweeps a ball at distance d from its centre, at the angle φ ahead: they touch when
// the ball's distance from the axis is the sum of radii, d sin(φ − ωt) = a + b.
TEST(Sweep, ARodThatTurnsFast_HitsABallAtItsAngle) {
  Deviation time("impact_time");
  for (const double rate : {3.0, 1000.0})
    for (const double phi : {0.4, 1.9, 3.0}) {
      const double l = 1, a = 0.005, b = 0.01, d = 0.7;
      WorldBody stick = rod(l, a, 1, Vec3::Zero());
      stick.body.angular_velocity = {0, 0, rate};
      const Ran ran = run_world(world_of({stick, ball(b, 0.2, {d * std::cos(phi), d * std::sin(phi), 0})},
                                         {Frictionless{.e = 0.5}}, Vec3::Zero()),
                                phi / rate);
      ASSERT_TRUE(ran.ok);
      const auto impacts = ran.recording.of(EventKind::impact);
      ASSERT_GE(impacts.size(), 1U);
      time.add(impacts[0].time, (phi - std::asin((a + b) / d)) / rate);
      EXPECT_NEAR(impacts[0].approach, rate * std::sqrt(d * d - (a + b) * (a + b)), 1e-8 * rate);
    }
  EXPECT_LT(time.largest(), 1e-10);
}

// A thin square plate tumbles over a floor and meets it with a corner: z(t) = z₀ + v t − g t²/2 against the largest of
// l |sin| over its two edges; turning about x, one edge counts: z = c |sin ωt| + a |cos ωt|, solved by bisection here.
TEST(Sweep, ATumblingPlate_MeetsTheFloorWithItsEdge) {
  Deviation time("impact_time");
  for (const double rate : {7.0, 90.0}) {
    const double half = 0.3, thin = 0.5e-3, z0 = 1;
    WorldBody plate = block({half, half, thin}, 1, {0, 0, z0});
    plate.body.angular_velocity = {rate, 0, 0};
    const auto height = [&](long double t) {
      return z0 - static_cast<long double>(gravity) * t * t / 2 - half * std::abs(std::sin(rate * t)) -
             thin * std::abs(std::cos(rate * t));
    };
    long double low = 0;
    while (height(low + 1e-5L) > 0) low += 1e-5L;
    long double high = low + 1e-5L;
    for (int k = 0; k < 70; ++k) (height((low + high) / 2) < 0 ? high : low) = (low + high) / 2;
    const Ran ran = run_world(world_of({ground(), plate}, {Frictionless{.e = 0.5}}), static_cast<double>(low) + 1e-6);
    ASSERT_TRUE(ran.ok);
    const auto impacts = ran.recording.of(EventKind::impact);
    ASSERT_GE(impacts.size(), 1U);
    time.add(impacts[0].time, static_cast<double>(low));
  }
  EXPECT_LT(time.largest(), 1e-10);
}

// Among many bodies windows are short, and a body in lasting contact still has to meet what comes in any part of its
// step: it slides without friction under g sin α and reaches a wall at √(2 d / (g sin α)).
TEST(Crowd, SlidingBallMeetsTheWallWhereverItStands) {
  const double r = 0.1, alpha = 0.3;
  Deviation times("times");
  for (int k = 1; k <= 60; ++k) {
    const double way = 0.05 * k;
    std::vector<WorldBody> bodies{ground(), half_space({way + r, 0, 0}, -Vec3::UnitX()), ball(r, 1, {0, 0, r})};
    for (int i = 0; i < 12; ++i) {
      bodies.push_back(ball(r, 1, {-5, 10.0 + i, 3}));
      bodies.back().body.fixed = true;
    }
    const double pull = gravity * std::sin(alpha), T = std::sqrt(2 * way / pull);
    const Ran ran =
        run_world(world_of(std::move(bodies), {Frictionless{.e = 0}}, {pull, 0, -gravity * std::cos(alpha)}), 1.01 * T);
    ASSERT_TRUE(ran.ok);
    const auto impacts = ran.recording.of(EventKind::impact);
    ASSERT_EQ(impacts.size(), 1U) << way;
    times.add(impacts[0].time, T);
  }
  EXPECT_LT(times.largest(), 1e-12);
}

}  // namespace
}  // namespace ricochet::motion
