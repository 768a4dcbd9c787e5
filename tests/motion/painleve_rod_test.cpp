/// A slender rod whose end slides over a rough floor (Painlevé 1895). Half length l, J = m l²/3, angle θ; the end at
/// (−l cos θ, −l sin θ) from the centre slides towards −x, ahead of the centre. A load N with friction μN towards +x
/// moves the end up by
///   N A/m,   A = 1 + 3 cos θ (cos θ − μ sin θ)
/// so where A > 0 the load is N = m (g − l θ̇² sin θ)/A. Where A < 0, beyond
///   μ_c(θ) = (1 + 3cos²θ)/(3 sin θ cos θ) ≥ 4/3   (least at tan θ = 2)
/// and g > l θ̇² sin θ, no load keeps the end on the floor: the only motion begins with an impact without collision.

#include <gtest/gtest.h>

#include <array>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "motion/mechanism_worlds.hpp"
#include "motion/quadrature.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr double chalk_half = 0.5, chalk_mass = 1.2;

World sliding_rod(double theta, double speed, double spin, double mu) {
  WorldBody stick = rod(chalk_half, 0, chalk_mass, {0, 0, chalk_half * std::sin(theta)});
  stick.body.orientation = raised(theta);
  // θ̇ = spin; the end moves along −x only: ż = l θ̇ cos θ.
  stick.body.angular_velocity = {0, -spin, 0};
  stick.body.velocity = {-speed - chalk_half * spin * std::sin(theta), 0, chalk_half * spin * std::cos(theta)};
  return world_of({ground(), stick}, {Routh{.e = 0, .mu = mu}, mu, mu});
}

// (x, ẋ, θ, θ̇) with z = l sin θ:  ẍ = μN/m,  θ̈ = −(3N/(m l)) (cos θ − μ sin θ).
using SlideState = std::array<long double, 4>;

SlideState slide(double mu, SlideState y, long double duration) {
  const long double l = chalk_half, g = gravity;
  const auto rate = [&](const SlideState& s, SlideState& d, long double) {
    const long double c = std::cos(s[2]), n = std::sin(s[2]);
    const long double load = (g - l * s[3] * s[3] * n) / (1 + 3 * c * (c - mu * n));  // N/m
    d = {s[1], mu * load, s[3], -3 * load / l * (c - mu * n)};
  };
  namespace ode = boost::numeric::odeint;
  using Stepper = ode::runge_kutta_fehlberg78<SlideState, long double>;
  ode::integrate_adaptive(ode::make_controlled(1e-16L, 1e-16L, Stepper()), rate, y, 0.0L, duration, 1e-4L);
  return y;
}

TEST(PainleveRod, BelowTheThreshold_SlidesAsItsEquationsSay) {
  Deviation place("place");
  for (const double mu : {0.3, 1.0, 1.3})
    for (const double theta : {0.4, std::atan(2.0), 1.3}) {
      SCOPED_TRACE(::testing::Message() << "mu " << mu << ", angle " << theta);
      const double v0 = 4;
      // A time after which it still slides ahead and is still pressed on the floor.
      double T = 0.06;
      SlideState end{};
      do {
        T /= 2;
        end = slide(mu, {0, -v0, theta, 0}, T);
      } while (!(end[1] + chalk_half * end[3] * std::sin(end[2]) < -0.3L * v0 &&
                 chalk_half * end[3] * end[3] * std::sin(end[2]) < 0.9L * gravity));
      ASSERT_GT(T, 1e-4);
      const Ran ran = run_world(sliding_rod(theta, v0, 0, mu), T);
      ASSERT_TRUE(ran.ok);
      EXPECT_TRUE(ran.recording.of(EventKind::impact).empty());
      EXPECT_TRUE(ran.recording.of(EventKind::lift_off).empty());
      const Pose& pose = ran.poses[1];
      place.add(pose.position, {static_cast<double>(end[0]), 0, chalk_half * std::sin(static_cast<double>(end[2]))},
                v0 * T);
      place.add(pose.velocity.x(), static_cast<double>(end[1]), v0);
      place.add(-pose.angular_velocity.y(), static_cast<double>(end[3]), v0 / chalk_half);
      EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-10 * ran.ledger.start);
    }
  EXPECT_LT(place.largest(), 1e-9);
}

// At tan θ = 2: W = (1/m) [3.4 −1.2; −1.2 1.6] in (x, z), M = m [0.4 0.3; 0.3 0.85]. With Routh's law and e = 0 the
// slip stops under a growing load, the end sticks (1.2/3.4 < μ) and is brought to rest: P = −M V = m v₀ (0.4, 0.3),
// which is on the cone at 4/3 and inside it for more friction, and ½ V·M V = 0.2 m v₀² is lost.
TEST(PainleveRod, BeyondTheThreshold_AnImpactWithoutCollisionStopsItsEnd) {
  const double theta = std::atan(2.0), v0 = 3;
  for (const double mu : {1.4, 2.0}) {
    auto simulation = Simulation::start(sliding_rod(theta, v0, 0, mu));
    ASSERT_TRUE(simulation) << simulation.error().message();
    Recording recording;
    const auto done = simulation->run(1e-3, recording.observer());
    ASSERT_TRUE(done) << done.error().message();
    const auto impacts = recording.of(EventKind::impact);
    ASSERT_FALSE(impacts.empty()) << "the paradox was passed over";
    EXPECT_NEAR(impacts[0].time, 0, 1e-12);
    EXPECT_NEAR(impacts[0].approach, 0, 1e-8);
    const Vec3 P = seen_from(0, impacts[0]).P;
    // The limit of grazing impacts, taken at a small approach.
    EXPECT_LT((P - chalk_mass * v0 * Vec3(0.4, 0, 0.3)).norm(), 1e-8) << P.transpose();
    EXPECT_NEAR(impacts[0].energy_change, -0.2 * chalk_mass * v0 * v0, 1e-8);
  }
}

// The same rod in two halves with a hinge in the middle, whose stop keeps it from folding upwards. The impulse of the
// end presses the stop, so that the halves move as one rod: P and the loss are those of above, and the upper half, of
// mass m/2 and moment m l²/24, gets its angular momentum about the hinge from the stop, (√5/40) m l v₀. No forces exist
// at the contact and the stop together, though at each of them alone they do.
TEST(PainleveRod, InTwoHalvesAgainstAStop_IsStoppedAsOneRod) {
  const double theta = std::atan(2.0), v0 = 3, l = chalk_half;
  for (const double mu : {4.0 / 3 + 1e-7, 1.4, 2.0}) {
    SCOPED_TRACE(mu);
    std::vector<WorldBody> halves;
    Mechanism mechanism;
    for (const double side : {-1.0, 1.0}) {
      WorldBody half = rod(l / 2, 0, chalk_mass / 2, {0, 0, l * std::sin(theta)}, side < 0 ? "lower" : "upper");
      half.body.position += side * l / 2 * Vec3(std::cos(theta), 0, std::sin(theta));
      half.body.orientation = raised(theta);
      half.body.velocity = {-v0, 0, 0};
      if (side > 0) half.shapes.clear();  // it touches nothing
      halves.push_back(half);
    }
    mechanism = floating(halves[0]);
    Link upper = link_of(halves[1], JointType::revolute, -Vec3::UnitY());
    upper.parent = 0;
    upper.position = {l / 2, 0, 0};
    upper.centre = {l / 2, 0, 0};
    mechanism.tree.links.push_back(upper);
    mechanism.q.conservativeResize(8);
    mechanism.u.conservativeResize(7);
    mechanism.q(7) = mechanism.u(6) = 0;
    mechanism.limits.push_back({7, 6, 0, std::numeric_limits<double>::infinity()});
    const World world = tree_world(std::move(mechanism), std::move(halves), {Routh{.e = 0, .mu = mu}, mu, mu});
    const Ran ran = run_world(world, 1e-4);
    ASSERT_TRUE(ran.ok);
    const auto impacts = ran.recording.of(EventKind::impact);
    ASSERT_EQ(impacts.size(), 2U) << "the end, and the stop";
    EXPECT_EQ(impacts[0].time, 0);
    EXPECT_EQ(impacts[1].time, 0);
    const Vec3 P = seen_from(0, impacts[0]).P;
    EXPECT_LT((P - chalk_mass * v0 * Vec3(0.4, 0, 0.3)).norm(), 1e-8) << P.transpose();
    EXPECT_NEAR(impacts[1].P.norm(), std::sqrt(5) / 40 * chalk_mass * l * v0, 1e-8);
    EXPECT_NEAR(impacts[0].energy_change + impacts[1].energy_change, -0.2 * chalk_mass * v0 * v0, 1e-8);
    EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-12 * ran.ledger.start);
  }
}

// The end slides slowly across the rod, along y, where loads exist. They push it under the rod and turn its slip: with
// φ from y towards −x, in the time of N dt (W_xx = 3.4/m, W_xz = −1.2/m, W_yy = 4/m, W_zz = 1.6/m),
//   V φ̇ = N/m cos φ (1.2 + (4 − 3.4) μ sin φ),   V̇ = N/m (1.2 sin φ − μ (3.4 sin²φ + 4 cos²φ))
// until 1.6 − 1.2 μ sin φ, by which the load is divided, vanishes: the load grows beyond all limits, while its impulse
// does not. There the end has the slip V* that the quotient of both gives, and begins an impact without collision,
// which stops it as in the paradox above: P = −M V.
TEST(PainleveRod, SlipThatTurnsIntoTheParadox_IsStoppedThere) {
  const double theta = std::atan(2.0), mu = 2, limit = std::asin(1.6 / (1.2 * mu));
  const auto fading = [&](long double phi) {
    const long double s = std::sin(phi), c = std::cos(phi);
    return (1.2L * s - mu * (3.4L * s * s + 4 * c * c)) / (c * (1.2L + 0.6L * mu * s));
  };
  const auto left = static_cast<double>(std::exp(integral(fading, 0.0L, static_cast<long double>(limit))));
  ASSERT_GT(left, 1e-3);
  for (const double v0 : {1e-2, 1e-3}) {
    SCOPED_TRACE(v0);
    World world = sliding_rod(theta, 0, 0, mu);
    world.bodies[1].body.velocity.y() = v0;
    const Ran ran = run_world(world, 0.02);
    ASSERT_TRUE(ran.ok);
    const auto impacts = ran.recording.of(EventKind::impact);
    ASSERT_FALSE(impacts.empty()) << "the paradox was passed over";
    const Event hit = seen_from(0, impacts[0]);
    // What the rod turns meanwhile, and its weight, are of the order v₀/√(g l).
    const double slow = v0 / std::sqrt(gravity * chalk_half);
    EXPECT_GT(hit.time, 0);
    EXPECT_LT(hit.time, slow);
    EXPECT_NEAR(hit.slip, left * v0, 10 * slow * v0);
    EXPECT_LT(
        (hit.P - chalk_mass * left * v0 * Vec3(0.4 * std::sin(limit), -0.25 * std::cos(limit), 0.3 * std::sin(limit)))
            .norm(),
        10 * slow * v0);
    EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-10 * ran.ledger.start);
  }
}

// The end still bounces, more slowly than what counts as a bounce, and slides as slowly. What stops the bounce pushes
// the end along the floor by 3 sin θ cos θ/(1 + 3cos²θ) = 3/4 of it, so that it then slides the other way, where it
// does not jam: it comes to rest within about 10⁻⁸ s.
TEST(PainleveRod, WithALastBounce_SlidesTheOtherWayAndStops) {
  const double theta = std::atan(2.0), bounce = 2.8e-6;
  World world = sliding_rod(theta, 0.72 * bounce, 0, 2.0);
  world.bodies[1].body.velocity.z() += bounce;
  const Ran ran = run_world(world, 1e-4);
  ASSERT_TRUE(ran.ok);
  const Pose& pose = ran.poses[1];
  const Vec3 arm = pose.orientation * Vec3(-chalk_half, 0, 0);
  EXPECT_LT((pose.velocity + pose.angular_velocity.cross(arm)).norm(), 1e-12);
  EXPECT_NEAR((pose.position + arm).x(), -chalk_half * std::cos(theta), 1e-13);
  EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-13);
}

// A < 0 and l θ̇² sin θ > g: leaving the floor and staying on it are both consistent. It is said, one way or another.
TEST(PainleveRod, WhereTwoMotionsAreConsistent_ItIsNotPassedOver) {
  const double theta = std::atan(2.0), spin = 1.2 * std::sqrt(gravity / (chalk_half * std::sin(theta)));
  auto simulation = Simulation::start(sliding_rod(theta, 3, spin, 2));
  ASSERT_TRUE(simulation) << simulation.error().message();
  Recording recording;
  const auto done = simulation->run(1e-2, recording.observer());
  if (!done) {
    EXPECT_TRUE(is_failure_to_solve(done.error().code)) << done.error().message();
    return;
  }
  std::size_t said = 0;
  for (const Event& event : recording.events)
    if (event.time < 1e-9 && (event.kind == EventKind::impact || event.kind == EventKind::lift_off)) ++said;
  EXPECT_GE(said, 1U);
  // The end is not below the floor afterwards.
  const Pose pose = simulation->poses()[1];
  EXPECT_GT((pose.position + pose.orientation * Vec3(-chalk_half, 0, 0)).z(), -1e-9);
}

// It may also get there while it slides: A(θ) changes sign as the rod rises, because for μ > μ_c friction lifts it.
// Then something has to happen at or before that angle; the end never sinks.
TEST(PainleveRod, SlidingIntoTheThreshold_SomethingHappensBeforeIt) {
  const double mu = 1.6, theta = 0.75, v0 = 6;  // μ_c(0.75) = 1.74
  const double c = std::cos(theta), s = std::sin(theta);
  ASSERT_GT(1 + 3 * c * (c - mu * s), 0);
  auto simulation = Simulation::start(sliding_rod(theta, v0, 2, mu));
  ASSERT_TRUE(simulation) << simulation.error().message();
  Recording recording;
  double lowest = 0;
  Observer observer = recording.observer();
  observer.sample = [&](double, const std::vector<Pose>& poses) {
    lowest = std::min(lowest, (poses[1].position + poses[1].orientation * Vec3(-chalk_half, 0, 0)).z());
  };
  const auto done = simulation->run(0.5, observer, 1e-4);
  if (!done) {
    EXPECT_TRUE(is_failure_to_solve(done.error().code)) << done.error().message();
  } else {
    EXPECT_FALSE(recording.events.empty());
  }
  EXPECT_GT(lowest, -1e-9);
}

}  // namespace
}  // namespace ricochet::motion
