/// A ball on a rough plane. Sliding friction −μ m g û acts on it with constant direction û, because the slip
/// u = v − r ω × n obeys u̇ = −(7/2) μ g û; slip ends at t = 2|u₀|/(7 μ g), and the ball then rolls with
///   v = v₀ − (2/7) u₀ = (5 v₀ + 2 r ω₀ × n)/7
/// (Coriolis 1835; any text on billiards). Until then the centre is on a parabola, x = v₀ t − ½ μ g û t².
/// On a slope α a rolling ball has a = (5/7) g sin α, which needs friction of at least (2/7) tan α; a lying cylinder
/// (2/3) g sin α, and (1/3) tan α.

#include <gtest/gtest.h>

#include <cmath>

#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr double cue_radius = 0.03, cue_mass = 0.17;

PairLaw cloth(double mu) { return {Routh{.e = 0.5, .mu = mu}, mu, mu}; }

Vec3 slip_of(const Pose& pose, double r) {
  return pose.velocity - r * pose.angular_velocity.cross(Vec3(Vec3::UnitZ()));
}

TEST(RollingBall, SlidesUntilItRolls_AtFiveSevenths) {
  const double mu = 0.2, v0 = 2.1, r = cue_radius;
  const double start = 2 * v0 / (7 * mu * gravity), T = 3 * start;
  const Ran ran = run_world(world_of({ground(), ball(r, cue_mass, {0, 0, r}, {v0, 0, 0})}, cloth(mu)), T, T / 60);
  ASSERT_TRUE(ran.ok);
  const auto rolls = ran.recording.of(EventKind::roll);
  ASSERT_EQ(rolls.size(), 1U);
  Deviation time("roll_time"), place("place"), slip("slip_after"), loss("friction_loss");
  time.add(rolls[0].time, start);
  const double way = 12 * v0 * v0 / (49 * mu * gravity);
  place.add(rolls[0].point.x(), way);
  place.add(ran.poses[1].velocity, {5.0 / 7 * v0, 0, 0}, v0);
  place.add(ran.poses[1].position, {way + 5.0 / 7 * v0 * (T - start), 0, r}, way);
  for (const Sample& sample : ran.recording.samples) {
    if (sample.time < start) {
      const double t = sample.time;
      place.add(sample.poses[1].position.x(), v0 * t - mu * gravity * t * t / 2, way);
      place.add(r * sample.poses[1].angular_velocity.y(), 2.5 * mu * gravity * t, v0);
    } else if (sample.time > start * (1 + 1e-9)) {
      slip.add(slip_of(sample.poses[1], r).norm(), 0, v0);
    }
  }
  // 2/7 of the energy is lost: ½ m v₀² (1 − 5/7).
  loss.add(ran.ledger.lost_to_friction, cue_mass * v0 * v0 / 7);
  EXPECT_LT(time.largest(), 1e-11);
  EXPECT_LT(place.largest(), 1e-11);
  EXPECT_LT(slip.largest(), 1e-12);
  EXPECT_LT(loss.largest(), 1e-11);
  EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-12 * cue_mass * v0 * v0);
}

TEST(RollingBall, WithAnySpin_SwervesOnAParabolaAndEndsAsCoriolisSays) {
  const double mu = 0.17, r = cue_radius;
  Deviation time("roll_time"), place("place");
  for (const Vec3& v0 : {Vec3(1.3, 0, 0), Vec3(0.4, -0.3, 0), Vec3(0, 0, 0)})
    for (const Vec3& spin : {Vec3(0, -150, 0), Vec3(0, 210, 0), Vec3(90, -30, 40), Vec3(0, -20, -70)}) {
      const Vec3 u0 = v0 - r * spin.cross(Vec3(Vec3::UnitZ()));
      const double start = 2 * u0.norm() / (7 * mu * gravity), T = 1.5 * start;
      const Ran ran = run_world(world_of({ground(), ball(r, cue_mass, {0, 0, r}, v0, spin)}, cloth(mu)), T);
      ASSERT_TRUE(ran.ok);
      const auto rolls = ran.recording.of(EventKind::roll);
      ASSERT_EQ(rolls.size(), 1U);
      time.add(rolls[0].time, start);
      const Vec3 end = v0 - 2.0 / 7 * u0;
      const Vec3 there = v0 * start - 0.5 * mu * gravity * start * start * u0.normalized();
      place.add(rolls[0].point, there, u0.norm() * start);
      place.add(ran.poses[1].velocity, end, u0.norm());
      place.add(ran.poses[1].position, there + end * (T - start) + Vec3(0, 0, r), u0.norm() * start);
      // A point contact does not change the spin about its normal.
      place.add(ran.poses[1].angular_velocity.z(), spin.z(), spin.norm());
    }
  EXPECT_LT(time.largest(), 1e-11);
  EXPECT_LT(place.largest(), 1e-11);
}

// r ω₀ = −(5/2) v₀: the ball stops for good at the moment at which its slip ends.
TEST(RollingBall, WithJustEnoughBackspin_StopsDead) {
  const double mu = 0.2, v0 = 1.4, r = cue_radius;
  const double stop = v0 / (mu * gravity);
  const Ran ran = run_world(
      world_of({ground(), ball(r, cue_mass, {0, 0, r}, {v0, 0, 0}, {0, -2.5 * v0 / r, 0})}, cloth(mu)), 3 * stop);
  ASSERT_TRUE(ran.ok);
  EXPECT_NEAR(ran.poses[1].position.x(), v0 * v0 / (2 * mu * gravity), 1e-10);
  EXPECT_LT(ran.poses[1].velocity.norm(), 1e-10);
  EXPECT_LT(r * ran.poses[1].angular_velocity.norm(), 1e-10);
}

TEST(RollingBall, DownASlope_GainsFiveSeventhsOfGSinAlpha) {
  const double slope = 0.4, r = cue_radius, T = 2;
  const Vec3 g = gravity * Vec3(std::sin(slope), 0, -std::cos(slope));
  Deviation place("place");
  for (const double v0 : {0.0, -1.5, 0.8}) {  // rolling already, uphill too
    const double mu = 2.0 / 7 * std::tan(slope) * 1.05;
    const Ran ran =
        run_world(world_of({ground(), ball(r, cue_mass, {0, 0, r}, {v0, 0, 0}, {0, v0 / r, 0})}, cloth(mu), g), T);
    ASSERT_TRUE(ran.ok);
    const double a = 5.0 / 7 * gravity * std::sin(slope);
    place.add(ran.poses[1].position, {v0 * T + a * T * T / 2, 0, r}, a * T * T);
    place.add(ran.poses[1].velocity, {v0 + a * T, 0, 0}, a * T);
    place.add(slip_of(ran.poses[1], r), Vec3::Zero(), a * T);
    EXPECT_LT(std::abs(ran.ledger.lost_to_friction), 1e-11 * ran.ledger.kinetic);
    EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-11 * ran.ledger.kinetic);
  }
  EXPECT_LT(place.largest(), 1e-10);
}

// Less friction than (2/7) tan α: it slides with g (sin α − μ cos α) and spins up with (5/2) μ g cos α / r.
TEST(RollingBall, DownASlipperySlope_SlidesAndSpins) {
  const double slope = 0.4, r = cue_radius, T = 2, mu = 2.0 / 7 * std::tan(slope) * 0.95;
  const Vec3 g = gravity * Vec3(std::sin(slope), 0, -std::cos(slope));
  const Ran ran = run_world(world_of({ground(), ball(r, cue_mass, {0, 0, r})}, cloth(mu), g), T);
  ASSERT_TRUE(ran.ok);
  const double a = gravity * (std::sin(slope) - mu * std::cos(slope));
  Deviation place("place");
  place.add(ran.poses[1].position, {a * T * T / 2, 0, r}, a * T * T);
  place.add(ran.poses[1].velocity, {a * T, 0, 0}, a * T);
  place.add(r * ran.poses[1].angular_velocity.y(), 2.5 * mu * gravity * std::cos(slope) * T, a * T);
  EXPECT_LT(place.largest(), 1e-10);
  EXPECT_TRUE(ran.recording.of(EventKind::roll).empty());
}

// J = m r²/2 about its axis, y: from rest a = (2/3) g sin α; sliding at v₀ it rolls after v₀/(3 μ g) with (2/3) v₀.
WorldBody lying_cylinder(double r, double half, double mass, const Vec3& velocity) {
  WorldBody out;
  out.name = "cylinder";
  out.body.mass = mass;
  const double across = mass * (3 * r * r + 4 * half * half) / 12;
  out.body.inertia = Vec3(across, mass * r * r / 2, across).asDiagonal();
  out.body.position = {0, 0, r};
  out.body.velocity = velocity;
  ConvexShape shape;
  shape.core = ConvexShape::Core::cylinder;
  shape.size = {r, r, half};
  shape.rotation << 1, 0, 0, 0, 0, 1, 0, -1, 0;  // its axis, z, along y
  out.shapes.push_back(shape);
  return out;
}

TEST(RollingCylinder, DownASlope_GainsTwoThirdsOfGSinAlpha) {
  const double slope = 0.3, r = 0.2, T = 1.5, mu = std::tan(slope) / 3 * 1.1;
  const Vec3 g = gravity * Vec3(std::sin(slope), 0, -std::cos(slope));
  const Ran ran = run_world(world_of({ground(), lying_cylinder(r, 0.5, 3, Vec3::Zero())}, cloth(mu), g), T);
  ASSERT_TRUE(ran.ok);
  const double a = 2.0 / 3 * gravity * std::sin(slope);
  Deviation place("place");
  place.add(ran.poses[1].position, {a * T * T / 2, 0, r}, a * T * T);
  place.add(ran.poses[1].velocity, {a * T, 0, 0}, a * T);
  place.add(r * ran.poses[1].angular_velocity, {0, a * T, 0}, a * T);
  EXPECT_LT(place.largest(), 1e-9);
}

TEST(RollingCylinder, SlidesUntilItRolls_AtTwoThirds) {
  const double r = 0.2, mu = 0.3, v0 = 2, start = v0 / (3 * mu * gravity), T = 2 * start;
  const Ran ran = run_world(world_of({ground(), lying_cylinder(r, 0.5, 3, {v0, 0, 0})}, cloth(mu)), T);
  ASSERT_TRUE(ran.ok);
  const auto rolls = ran.recording.of(EventKind::roll);
  ASSERT_FALSE(rolls.empty());
  Deviation time("roll_time"), place("place");
  for (const Event& event : rolls) time.add(event.time, start);
  place.add(ran.poses[1].velocity, {2.0 / 3 * v0, 0, 0}, v0);
  place.add(ran.poses[1].position.x(), v0 * start - mu * gravity * start * start / 2 + 2.0 / 3 * v0 * start);
  EXPECT_LT(time.largest(), 1e-10);
  EXPECT_LT(place.largest(), 1e-10);
}

/// A coin that rolls in a circle, its axis e tilted by θ: everything turns about the vertical with Ω. From the rim's
/// contact to the centre of mass, r_G = r u + h e. With ω = Ω z + s e, v = ω × r_G and L = A ω + (C − A)(ω·e) e,
/// Euler's equation
///   Ω z × L = −r_G × m (Ω z × v − g)
/// has one component that is not zero, along z × e, and s follows from it, which enters linearly.
TEST(RollingDisc, InSteadyMotion_GoesRoundItsCircle) {
  Deviation place("place"), axis("axis");
  double friction = 0;
  for (const double theta : {0.5, 1.0, 1.35}) {
    const double r = 0.3, h = 0.01, m = 1.4, Omega = 3.5, T = 3;
    const double A = m * (r * r / 4 + h * h / 3), C = m * r * r / 2;
    const Vec3 z = Vec3::UnitZ(), e(std::sin(theta), 0, std::cos(theta));
    // The lowest point of the rim at the lower end; u points from it to that end's centre.
    const Vec3 u = (z - z.dot(e) * e).normalized(), to_centre = r * u + h * e, g(0, 0, -gravity);
    const Vec3 across = z.cross(e).normalized();
    const auto unbalanced = [&](double s) {
      const Vec3 w = Omega * z + s * e, v = w.cross(to_centre), L = A * w + (C - A) * w.dot(e) * e;
      return across.dot(Omega * z.cross(L) + to_centre.cross(m * (Omega * z.cross(v) - g)));
    };
    const double s = unbalanced(0) / (unbalanced(0) - unbalanced(1));
    const Vec3 w = Omega * z + s * e, v = w.cross(to_centre);

    WorldBody coin;
    coin.name = "coin";
    coin.body.mass = m;
    coin.body.inertia = Vec3(A, A, C).asDiagonal();
    coin.body.orientation = Quaternion::FromTwoVectors(z, e);
    coin.body.position = to_centre;
    coin.body.velocity = v;
    coin.body.angular_velocity = w;
    ConvexShape shape;
    shape.core = ConvexShape::Core::cylinder;
    shape.size = {r, r, h};
    coin.shapes.push_back(shape);
    const Ran ran = run_world(world_of({ground(), coin}, {Routh{.e = 0, .mu = 5}, 5, 5}), T);
    ASSERT_TRUE(ran.ok);
    const Vec3 arm = -z.cross(v) / Omega;  // from the axis of the circle
    const Quaternion turned(Eigen::AngleAxisd(Omega * T, z));
    place.add(ran.poses[1].position, to_centre - arm + turned * arm, r);
    axis.add(ran.poses[1].orientation * z, turned * e, 1);
    friction = std::max(friction, ran.ledger.lost_to_friction);
  }
  EXPECT_LT(place.largest(), 1e-8);
  EXPECT_LT(axis.largest(), 1e-8);
  EXPECT_LT(friction, 1e-12);
}

// A force on the centre that grows by k: rolling needs the friction 2/7 of it, and slip begins, without a jump, where
// that is μ m g.
TEST(RollingBall, PulledHarderAndHarder_SlipsWhenItsFrictionIsAtTheLimit) {
  const double r = 0.1, m = 2, mu = 0.3, k = 5;
  World world = world_of({ground(), ball(r, m, {0, 0, r})}, {Routh{.e = 0, .mu = mu}, mu, mu});
  world.forces.push_back({1, {0, 10}, {Vec3(0, 0, 0), Vec3(10 * k, 0, 0)}, {Vec3::Zero(), Vec3::Zero()}});
  const double slips = 3.5 * mu * m * gravity / k, T = slips + 1;
  const Ran ran = run_world(std::move(world), T);
  ASSERT_TRUE(ran.ok);
  const auto found = ran.recording.of(EventKind::slip);
  ASSERT_EQ(found.size(), 1U);
  Deviation time("slip time"), speed("velocity"), spin("spin");
  time.add(found[0].time, slips);
  const double rolling = 5.0 / 14 * k * slips * slips / m;  // ∫ 5/7 F/m
  speed.add(ran.poses[1].velocity.x(), rolling + k * (T * T - slips * slips) / (2 * m) - mu * gravity);
  spin.add(ran.poses[1].angular_velocity.y(), rolling / r + 2.5 * mu * gravity / r);
  EXPECT_LT(time.largest(), 1e-9);
  EXPECT_LT(speed.largest(), 1e-9);
  EXPECT_LT(spin.largest(), 1e-9);
}

}  // namespace
}  // namespace ricochet::motion
