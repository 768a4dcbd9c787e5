/// Round bodies that leave a table over its edge. Rolling without slip, with J = k m r² about the axis of rolling, the
/// centre is as fast as v² = v₀² + 2/(1 + k) g r (1 − cos θ) at the angle θ from the vertical, and the load
/// N = m (g cos θ − v²/r) is zero at
///   cos θ = (v₀²/(g r) + c)/(1 + c),   c = 2/(1 + k)
/// which is 10/17 for a ball from rest (k = 2/5), 4/7 for a cylinder and 2/3 without friction (k = 0).

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

WorldBody shelf(double edge) {
  WorldBody out = block({1, 1, 0.5}, 1, {edge - 1, 0, -0.5}, Vec3::Zero(), "table");
  out.body.fixed = true;
  return out;
}

PairLaw no_slip() { return {Routh{.e = 0.5, .mu = 1}, 1, std::numeric_limits<double>::infinity()}; }

struct Left {
  double cosine, speed, time;
};
Left leaving(double v0, double r, double c) {
  const double cosine = (v0 * v0 / (gravity * r) + c) / (1 + c);
  return {cosine, std::sqrt(gravity * r * cosine), 0};
}

/// Angle and speed of the lift-off, and the parabola from there on.
void check_leaving(const WorldBody& body, double r, double v0, double c, const PairLaw& law, Deviation& cosine,
                   Deviation& speed, Deviation& parabola) {
  const double edge = 0.05;
  const Left left = leaving(v0, r, c);
  const World world = world_of({shelf(edge), body}, law);
  const double until = edge / v0 + 3;
  const Ran first = run_world(world, until);
  ASSERT_TRUE(first.ok);
  const auto lifts = first.recording.of(EventKind::lift_off);
  ASSERT_EQ(lifts.size(), 1U);
  const double t = lifts[0].time;
  cosine.add(lifts[0].n.z(), left.cosine);
  const Ran at = run_world(world, t + 1e-12);
  ASSERT_TRUE(at.ok);
  const double sine = std::sqrt(1 - left.cosine * left.cosine);
  const Vec3 there(edge + r * sine, 0, r * left.cosine), velocity = left.speed * Vec3(left.cosine, 0, -sine);
  speed.add(at.poses[1].velocity, velocity, left.speed);
  const double flight = 0.2;
  const Ran later = run_world(world, t + flight);
  ASSERT_TRUE(later.ok);
  parabola.add(later.poses[1].position, there + velocity * flight - Vec3(0, 0, gravity * flight * flight / 2),
               left.speed * flight);
}

TEST(BallOverAnEdge, LeavesAtTenSeventeenths) {
  const double r = 0.03;
  Deviation cosine("cosine"), speed("speed"), parabola("parabola");
  for (const double v0 : {0.01, 0.2, 0.4}) {
    const WorldBody rolling = ball(r, 0.2, {0, 0, r}, {v0, 0, 0}, {0, v0 / r, 0});
    check_leaving(rolling, r, v0, 10.0 / 7, no_slip(), cosine, speed, parabola);
  }
  EXPECT_LT(cosine.largest(), 1e-9);
  EXPECT_LT(speed.largest(), 1e-9);
  EXPECT_LT(parabola.largest(), 1e-9);
}

TEST(BallOverAnEdge, Smooth_LeavesAtTwoThirds) {
  const double r = 0.03;
  Deviation cosine("cosine"), speed("speed"), parabola("parabola");
  for (const double v0 : {0.01, 0.3})
    check_leaving(ball(r, 0.2, {0, 0, r}, {v0, 0, 0}), r, v0, 2, {Routh{.e = 0.5}, 0, 0}, cosine, speed, parabola);
  EXPECT_LT(cosine.largest(), 1e-9);
  EXPECT_LT(speed.largest(), 1e-9);
  EXPECT_LT(parabola.largest(), 1e-9);
}

// Along the diagonal of a table of one corner: over the vertex itself.
TEST(BallOverAVertex, Smooth_LeavesAtTwoThirds) {
  const double r = 0.03, v0 = 0.2, way = 0.1;
  WorldBody corner = block({1, 1, 0.5}, 1, {0, 0, -0.5}, Vec3::Zero(), "table");
  corner.body.fixed = true;
  corner.body.orientation = Quaternion(Eigen::AngleAxisd(std::numbers::pi / 4, Vec3::UnitZ()));
  corner.body.position.x() = way - std::numbers::sqrt2;
  const Ran ran = run_world(world_of({corner, ball(r, 0.2, {0, 0, r}, {v0, 0, 0})}, {Routh{.e = 0.5}, 0, 0}), 2);
  ASSERT_TRUE(ran.ok);
  const auto lifts = ran.recording.of(EventKind::lift_off);
  ASSERT_EQ(lifts.size(), 1U);
  EXPECT_NEAR(lifts[0].n.z(), leaving(v0, r, 2).cosine, 1e-9);
  EXPECT_LT((lifts[0].point - Vec3(way, 0, 0)).norm(), 1e-9);
}

// A capsule along the edge has two contacts; with J = ½ m r² about its axis it leaves at 4/7.
TEST(CapsuleOverAnEdge, LeavesAtFourSevenths) {
  const double r = 0.03, m = 0.3;
  Deviation cosine("cosine"), speed("speed"), parabola("parabola");
  for (const double v0 : {0.05, 0.3}) {
    WorldBody capsule = rod(0.1, r, m, {0, 0, r});
    capsule.body.inertia = Vec3(0.5 * m * r * r, 0.01 * m, 0.01 * m).asDiagonal();
    capsule.body.orientation = Quaternion(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ()));  // along y
    capsule.body.velocity = {v0, 0, 0};
    capsule.body.angular_velocity = {0, v0 / r, 0};
    check_leaving(capsule, r, v0, 4.0 / 3, no_slip(), cosine, speed, parabola);
  }
  EXPECT_LT(cosine.largest(), 1e-9);
  EXPECT_LT(speed.largest(), 1e-9);
  EXPECT_LT(parabola.largest(), 1e-9);
}

// Across the edge it lies on the face with one end and on the edge: it stays while its centre is inside.
TEST(CapsuleAcrossAnEdge, StaysWithItsCentreInside_AndTipsBeyond) {
  const double r = 0.02, l = 0.1;
  for (const double centre : {-1e-3, 1e-3}) {
    const Ran ran =
        run_world(world_of({shelf(0), rod(l, r, 0.3, {centre, 0, r})}, {Routh{.e = 0, .mu = 0.5}, 0.5, 0.5}), 0.4);
    ASSERT_TRUE(ran.ok);
    if (centre < 0)
      EXPECT_LT((ran.poses[1].position - Vec3(centre, 0, r)).norm(), 1e-10);
    else
      EXPECT_GT(ran.poses[1].angular_velocity.y(), 0.05);
  }
}

// A capsule at rest across two that lie on the floor.
TEST(CapsuleOnCapsules, RestsAcrossTwo) {
  const double r = 0.02, l = 0.1;
  std::vector<WorldBody> bodies{ground()};
  for (const double x : {-0.06, 0.05}) {
    WorldBody below = rod(l, r, 0.3, {x, 0, r}, x < 0 ? "left" : "right");
    below.body.orientation = Quaternion(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ()));
    bodies.push_back(below);
  }
  bodies.push_back(rod(l, r, 0.4, {0, 0.01, 3 * r}, "above"));
  const World world = world_of(bodies, {Routh{.e = 0, .mu = 0.5}, 0.5, 0.5});
  const Ran ran = run_world(world, 5);
  ASSERT_TRUE(ran.ok);
  for (std::size_t k = 1; k < 4; ++k) EXPECT_LT((ran.poses[k].position - world.bodies[k].body.position).norm(), 1e-10);
}

}  // namespace
}  // namespace ricochet::motion
