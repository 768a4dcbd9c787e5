/// Cylinders and ellipsoids that stay on bodies other than planes. A round body that rolls without slip over a round
/// one, from speed v₀ at its top, is as fast as v² = v₀² + c g ρ (1 − cos θ) with ρ the sum of the radii and
/// c = 2/(1 + k) for J = k m r², and leaves at
///   cos θ = (v₀²/(g ρ) + c)/(1 + c)
/// Over an edge of a table ρ = r.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "motion/quadrature.hpp"
#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr double half_turn = std::numbers::pi;

/// Homogeneous, along body z.
WorldBody can(double r, double half, double mass, const Vec3& position, std::string name = "cylinder") {
  WorldBody out;
  out.name = std::move(name);
  out.body.mass = mass;
  const double across = mass * (3 * r * r + 4 * half * half) / 12;
  out.body.inertia = Vec3(across, across, mass * r * r / 2).asDiagonal();
  out.body.position = position;
  ConvexShape shape;
  shape.core = ConvexShape::Core::cylinder;
  shape.size = {r, r, half};
  out.shapes.push_back(shape);
  return out;
}
/// The axis along y, so that it rolls along x.
WorldBody lying(WorldBody body) {
  body.body.orientation = Quaternion(Eigen::AngleAxisd(-half_turn / 2, Vec3::UnitX()));
  return body;
}
WorldBody egg(const Vec3& half, double mass, const Vec3& position) {
  WorldBody out;
  out.name = "ellipsoid";
  out.body.mass = mass;
  const Vec3 s = half.cwiseAbs2();
  out.body.inertia = (mass / 5) * Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y()).asDiagonal();
  out.body.position = position;
  ConvexShape shape;
  shape.core = ConvexShape::Core::ellipsoid;
  shape.size = half;
  out.shapes.push_back(shape);
  return out;
}
WorldBody held(WorldBody body) {
  body.body.fixed = true;
  return body;
}
WorldBody plate(double edge = 1) { return held(block({1, 1, 0.5}, 1, {edge - 1, 0, -0.5}, Vec3::Zero(), "table")); }

PairLaw rough() { return {Routh{.e = 0.5, .mu = 1}, 1, std::numeric_limits<double>::infinity()}; }
PairLaw smooth() { return {Routh{.e = 0.5}, 0, 0}; }
PairLaw plastic(double mu) { return {Routh{.e = 0, .mu = mu}, mu, mu}; }

double leaving_cosine(double v0, double rho, double c) { return (v0 * v0 / (gravity * rho) + c) / (1 + c); }

TEST(CylinderOnABox, DownASlope_GainsTwoThirdsOfGSinAlpha) {
  Deviation place("place");
  for (const double alpha : {0.1, 0.5}) {
    const double r = 0.05;
    WorldBody slope = held(block({2, 1, 0.5}, 1, Vec3::Zero(), Vec3::Zero(), "slope"));
    slope.body.orientation = Quaternion(Eigen::AngleAxisd(alpha, Vec3::UnitY()));
    const Vec3 n(std::sin(alpha), 0, std::cos(alpha)), down(std::cos(alpha), 0, -std::sin(alpha));
    const Vec3 start = (0.5 + r) * n - 1.5 * down;
    WorldBody roller = lying(can(r, 0.1, 0.7, start));
    roller.body.orientation = slope.body.orientation * roller.body.orientation;
    const Ran ran = run_world(world_of({slope, roller}, rough()), 0.7);
    ASSERT_TRUE(ran.ok);
    const double way = 0.5 * (2.0 / 3) * gravity * std::sin(alpha) * 0.49;
    place.add(ran.poses[1].position, start + way * down, way);
    EXPECT_NEAR(ran.ledger.imbalance(), 0, 1e-12 * ran.ledger.kinetic);
  }
  EXPECT_LT(place.largest(), 1e-10);
}

TEST(CylinderOnABox, Standing_SlidesToRestAfterVSquaredOverTwoMuG) {
  const double v = 1.2, mu = 0.3;
  WorldBody slider = can(0.05, 0.04, 0.7, {-0.5, 0.1, 0.04});
  slider.body.velocity = {v, 0, 0};
  const Ran ran = run_world(world_of({plate(), slider}, plastic(mu)), 1);
  ASSERT_TRUE(ran.ok);
  const double way = v * v / (2 * mu * gravity);
  Deviation place("place"), stop("stop_time");
  place.add(ran.poses[1].position, slider.body.position + Vec3(way, 0, 0), way);
  const auto sticks = ran.recording.of(EventKind::stick);
  ASSERT_EQ(sticks.size(), 1U);
  stop.add(sticks[0].time, v / (mu * gravity));
  EXPECT_LT(place.largest(), 1e-10);
  EXPECT_LT(stop.largest(), 1e-10);
}

TEST(CylinderOnABox, StandingAcrossAnEdge_StaysInsideAndTipsBeyond) {
  for (const double centre : {-1e-3, 1e-3}) {
    const Ran ran = run_world(world_of({plate(0), can(0.05, 0.04, 0.7, {centre, 0, 0.04})}, plastic(0.5)), 0.3);
    ASSERT_TRUE(ran.ok);
    if (centre < 0)
      EXPECT_LT((ran.poses[1].position - Vec3(centre, 0, 0.04)).norm(), 1e-10);
    else
      EXPECT_GT(ran.poses[1].angular_velocity.y(), 0.05);
  }
}

TEST(CylinderOverAnEdge, LeavesAtFourSevenths) {
  const double r = 0.03, edge = 0.05;
  Deviation cosine("cosine"), place("place");
  for (const double v0 : {0.05, 0.3})
    for (const double half : {0.1, 1.5}) {  // within the table, and wider than it
      WorldBody roller = lying(can(r, half, 0.3, {0, 0, r}));
      roller.body.velocity = {v0, 0, 0};
      roller.body.angular_velocity = {0, v0 / r, 0};
      const Ran ran = run_world(world_of({plate(edge), roller}, rough()), edge / v0 + 0.5);
      ASSERT_TRUE(ran.ok);
      const auto lifts = ran.recording.of(EventKind::lift_off);
      ASSERT_EQ(lifts.size(), 1U);
      cosine.add(lifts[0].n.z(), leaving_cosine(v0, r, 4.0 / 3));
      place.add(lifts[0].point, Vec3(edge, 0, 0), r);
    }
  EXPECT_LT(cosine.largest(), 1e-9);
  EXPECT_LT(place.largest(), 1e-9);
}

TEST(RoundOnRound, RollsDownAndLeavesAsTheSumOfTheRadiiSays) {
  const double R = 0.2, r = 0.03, v0 = 0.2;
  Deviation cosine("cosine"), imbalance("imbalance");
  const auto check = [&](const WorldBody& below, WorldBody above, const PairLaw& law, double c) {
    above.body.position = {0, 0, R + r};
    above.body.velocity = {v0, 0, 0};
    if (law.mu > 0) above.body.angular_velocity = {0, v0 / r, 0};
    const Ran ran = run_world(world_of({held(below), above}, law), 1.5);
    ASSERT_TRUE(ran.ok);
    const auto lifts = ran.recording.of(EventKind::lift_off);
    ASSERT_EQ(lifts.size(), 1U);
    cosine.add(lifts[0].n.z(), leaving_cosine(v0, R + r, c));
    imbalance.add(ran.ledger.imbalance(), 0, ran.ledger.kinetic);
  };
  const WorldBody drum = lying(can(R, 0.5, 1, Vec3::Zero(), "drum")), round = egg({R, R, R}, 1, Vec3::Zero());
  const WorldBody ball_above = ball(r, 0.2, Vec3::Zero()), roller = lying(can(r, 0.1, 0.2, Vec3::Zero()));
  check(drum, ball_above, rough(), 10.0 / 7);
  check(drum, ball_above, smooth(), 2);
  check(round, ball_above, rough(), 10.0 / 7);
  check(drum, roller, rough(), 4.0 / 3);                              // along each other
  check(drum, egg({r, r, r}, 0.2, Vec3::Zero()), rough(), 10.0 / 7);  // a ball that is an ellipsoid
  check(round, egg({r, r, r}, 0.2, Vec3::Zero()), smooth(), 2);
  EXPECT_LT(cosine.largest(), 1e-9);
  EXPECT_LT(imbalance.largest(), 1e-11);
}

// A cylinder across a fixed one rocks: at the angle θ its centre is at (R + r) cos θ + R θ sin θ above the axis and
// moves with r θ̇ along and R θ θ̇ across the normal. A quarter of its period is the quadrature of 1/θ̇.
TEST(CylinderAcrossACylinder, RocksInTheTimeOfItsQuadrature) {
  const double R = 0.2, r = 0.03, m = 0.4, half = 0.3, theta0 = 0.3;
  WorldBody above = can(r, half, m, Vec3::Zero(), "above");
  const double J = above.body.inertia(0, 0);
  // The body's axis along x at θ = 0.
  const Quaternion along(Eigen::AngleAxisd(half_turn / 2, Vec3::UnitY()));
  above.body.orientation = Quaternion(Eigen::AngleAxisd(theta0, Vec3::UnitY())) * along;
  const Vec3 n(std::sin(theta0), 0, std::cos(theta0)), t(std::cos(theta0), 0, -std::sin(theta0));
  above.body.position = (R + r) * n - R * theta0 * t;
  // θ = θ₀ sin φ: the integrand is smooth up to the turning point.
  const auto height_of = [&](long double x) { return (R + r) * std::cos(x) + R * x * std::sin(x); };
  const auto quarter = static_cast<double>(integral(
      [&](long double phi) {
        const long double x = theta0 * std::sin(phi);
        return theta0 * std::cos(phi) /
               std::sqrt(2 * m * gravity * (height_of(theta0) - height_of(x)) / (J + m * (r * r + R * R * x * x)));
      },
      0, half_turn / 2));
  const Ran ran = run_world(world_of({held(lying(can(R, 0.5, 1, Vec3::Zero(), "drum"))), above}, rough()), quarter);
  ASSERT_TRUE(ran.ok);
  Deviation angle("angle"), speed("spin");
  const Vec3 axis = ran.poses[1].orientation * Vec3::UnitZ();
  angle.add(axis.z(), 0, theta0);
  speed.add(ran.poses[1].angular_velocity.y(),
            -std::sqrt(2 * m * gravity * static_cast<double>(height_of(theta0) - height_of(0)) / (J + m * r * r)));
  EXPECT_LT(angle.largest(), 1e-8);
  EXPECT_LT(speed.largest(), 1e-8);
}

TEST(EllipsoidOnABox, RocksAsOnAPlane_AndRollsOffItsEdge) {
  const Vec3 half(0.1, 0.06, 0.05);
  WorldBody rocking = egg(half, 0.5, {0, 0, half.z()});
  rocking.body.angular_velocity = {0.5, 3, 0.2};
  rocking.body.velocity = rocking.body.angular_velocity.cross(Vec3(0, 0, half.z()));
  const Ran on_plane = run_world(world_of({ground(), rocking}, rough()), 0.7);
  const Ran on_box = run_world(world_of({plate(), rocking}, rough()), 0.7);
  ASSERT_TRUE(on_plane.ok && on_box.ok);
  EXPECT_LT((on_plane.poses[1].position - on_box.poses[1].position).norm(), 1e-10);
  EXPECT_LT((on_plane.poses[1].angular_velocity - on_box.poses[1].angular_velocity).norm(), 1e-9);
  // Over the edge and down.
  WorldBody rolling = egg({0.05, 0.06, 0.05}, 0.5, {-0.03, 0, 0.05});
  rolling.body.velocity = {0.3, 0, 0};
  rolling.body.angular_velocity = {0, 0.3 / 0.05, 0};
  const Ran over = run_world(world_of({plate(0), rolling}, rough()), 0.6);
  ASSERT_TRUE(over.ok);
  const auto lifts = over.recording.of(EventKind::lift_off);
  ASSERT_EQ(lifts.size(), 1U);
  // J = m (a² + c²)/5 = ⅖ m r² about the axis of rolling.
  EXPECT_NEAR(lifts[0].n.z(), leaving_cosine(0.3, 0.05, 10.0 / 7), 1e-9);
}

TEST(Cylinders, StandOnEachOtherAndOnABox_AndStay) {
  std::vector<WorldBody> bodies{plate()};
  for (int k = 0; k < 3; ++k)
    bodies.push_back(can(0.05, 0.03, 0.5, {0.005 * k, 0, 0.03 + 0.06 * k}, "can " + std::to_string(k + 1)));
  bodies.push_back(block({0.1, 0.1, 0.01}, 0.3, {0.01, 0, 0.19}, Vec3::Zero(), "tray"));
  const World world = world_of(bodies, plastic(0.5));
  const Ran ran = run_world(world, 3);
  ASSERT_TRUE(ran.ok);
  for (std::size_t k = 1; k < bodies.size(); ++k)
    EXPECT_LT((ran.poses[k].position - world.bodies[k].body.position).norm(), 1e-9) << world.bodies[k].name;
}

}  // namespace
}  // namespace ricochet::motion
