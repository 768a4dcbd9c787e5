/// Motion with spring-sledge contacts (docs/compliant-motion.md) against oscillators in closed form, against the law
/// spring-sledge as the limit of stiff springs, and its energy.

#include "ricochet/motion/compliant_motion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

#include "motion/worlds.hpp"
#include "ricochet/contact/between.hpp"
#include "ricochet/law/spring_sledge.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using compliant::Damper;

struct Pressed {
  Recording recording;
  std::vector<Pose> poses;
  EnergyLedger ledger;
  double worst_imbalance = 0, most_elastic = 0;  ///< [J]
  std::uint64_t steps = 0;
};

Pressed press_world(World world, double stiffness, double until, int looks = 200) {
  Pressed out;
  auto motion = CompliantMotion::start(std::move(world), {.stiffness = stiffness});
  if (!motion) {
    ADD_FAILURE() << "start: " << motion.error().message();
    return out;
  }
  for (int k = 1; k <= looks; ++k) {
    const auto done = motion->run(k == looks ? until : until * k / looks, out.recording.observer());
    if (!done) {
      ADD_FAILURE() << "run, at t = " << motion->time() << ": " << done.error().message();
      return out;
    }
    const EnergyLedger now = motion->ledger();
    out.worst_imbalance = std::max(out.worst_imbalance, std::abs(now.imbalance()));
    out.most_elastic = std::max(out.most_elastic, now.elastic);
  }
  out.poses = motion->poses();
  out.ledger = motion->ledger();
  out.steps = motion->steps();
  return out;
}

World thrown_ball(const SpringSledge& law, const Vec3& velocity, const Vec3& spin, const Vec3& g = Vec3::Zero()) {
  return world_of({ground(), ball(0.1, 0.7, {0, 0, 0.15}, velocity, spin)}, {law, law.mu, law.mu}, g);
}

// Without gravity a ball on an elastic spring: half a period π √(m/c), δ_max = v √(m/c), and the speed is reversed.
TEST(CompliantMotion, ElasticBounce_IsHalfAnOscillation) {
  const double v = 2, c = 1e6, m = 0.7;
  const Pressed ran = press_world(thrown_ball({.mu = 0, .e = 1}, {0, 0, -v}, Vec3::Zero()), c, 0.06, 3000);
  const auto impacts = ran.recording.of(EventKind::impact);
  ASSERT_EQ(impacts.size(), 1U);
  EXPECT_NEAR(impacts[0].time, 0.05 / v + std::numbers::pi * std::sqrt(m / c), 1e-13);
  EXPECT_NEAR(seen_from(0, impacts[0]).P.z(), 2 * m * v, 1e-12);
  EXPECT_NEAR(ran.poses[1].velocity.z(), v, 1e-12);
  EXPECT_LT(ran.worst_imbalance, 1e-11);
  EXPECT_NEAR(ran.most_elastic, 0.5 * m * v * v, 1e-3);  // at one of the looks, a seventieth of the contact apart
}

// A central impact returns e with every damper, whatever the stiffness.
TEST(CompliantMotion, CentralImpact_ReturnsE) {
  for (const Damper damper : {Damper::hysteretic, Damper::linear, Damper::hunt_crossley})
    for (const double e : {0.9, 0.5, 0.2})
      for (const double c : {1e4, 1e8}) {
        const double v = 1.5;
        const Pressed ran =
            press_world(thrown_ball({.mu = 0.3, .e = e, .damper = damper}, {0, 0, -v}, Vec3::Zero()), c, 0.5);
        SCOPED_TRACE(::testing::Message() << "e " << e << " c " << c << " damper " << static_cast<int>(damper));
        EXPECT_NEAR(ran.poses[1].velocity.z(), e * v, 1e-9);
        EXPECT_NEAR(ran.ledger.lost_to_impact, 0.5 * 0.7 * v * v * (1 - e * e), 1e-9);
        EXPECT_LT(ran.worst_imbalance, 1e-9);
        EXPECT_EQ(ran.ledger.elastic, 0);
      }
}

// Against the law as an independent computation: closed forms of a contact that neither moves nor turns. What differs
// is of the order of the deflection, v √(m/c).
TEST(CompliantMotion, StiffContact_TendsToTheLawSpringSledge) {
  for (const Damper damper : {Damper::hysteretic, Damper::linear})
    for (const double slip : {0.3, 1.0, 4.0})
      for (const double e : {1.0, 0.6}) {
        const SpringSledge law{.kappa = 14.0 / 17, .mu = 0.3, .e = e, .damper = damper};
        const Vec3 v(slip, 0.1, -1), spin(2, 3, 1);
        World world = thrown_ball(law, v, spin);
        RigidBody there = world.bodies[1].body;
        there.position.z() = 0.1;
        const auto contact =
            contact_between(world.bodies[0].body, there, {there.position.x(), there.position.y(), 0}, Vec3::UnitZ());
        ASSERT_TRUE(contact);
        const auto expected = collide(law, *contact);
        ASSERT_TRUE(expected) << expected.error().message();
        SCOPED_TRACE(::testing::Message() << "slip " << slip << " e " << e << " damper " << static_cast<int>(damper));
        std::vector<double> off;
        for (const double c : {1e6, 1e8, 1e10}) {
          const Pressed ran = press_world(world, c, 0.06, 40);
          const auto impacts = ran.recording.of(EventKind::impact);
          ASSERT_EQ(impacts.size(), 1U);
          off.push_back((seen_from(0, impacts[0]).P - expected->P).norm() / expected->P.norm());
          EXPECT_LT(ran.worst_imbalance, 1e-9);
        }
        EXPECT_LT(off[0], 0.05);
        // A factor of 100 in c is one of 10 in the deflection.
        EXPECT_LT(off[1], 0.2 * off[0] + 1e-10);
        EXPECT_LT(off[2], 0.2 * off[1] + 1e-10);
      }
}

// An eccentric impact: the end of a rod, with slip.
TEST(CompliantMotion, EndOfARod_TendsToTheLawSpringSledge) {
  const SpringSledge law{.kappa = 0.8, .mu = 0.4, .e = 0.7};
  WorldBody stick = rod(0.5, 0.01, 1, {0, 0, 0.6});
  stick.body.orientation = raised(0.9);
  stick.body.velocity = {0.4, 0.2, -2};
  const World world = world_of({ground(), stick}, {law, 0.4, 0.4}, Vec3::Zero());
  const double lowest = 0.6 - 0.5 * std::sin(0.9) - 0.01;
  RigidBody there = stick.body;
  there.position += lowest / 2 * there.velocity;
  const Vec3 tip = there.position + there.orientation * Vec3(-0.5, 0, 0);
  const auto contact = contact_between(world.bodies[0].body, there, {tip.x(), tip.y(), 0}, Vec3::UnitZ());
  ASSERT_TRUE(contact);
  const auto expected = collide(law, *contact);
  ASSERT_TRUE(expected);
  std::vector<double> off;
  for (const double c : {1e7, 1e9}) {
    const Pressed ran = press_world(world, c, lowest / 2 + 0.02, 40);
    const auto impacts = ran.recording.of(EventKind::impact);
    ASSERT_GE(impacts.size(), 1U);
    off.push_back((seen_from(0, impacts[0]).P - expected->P).norm() / expected->P.norm());
    EXPECT_LT(ran.worst_imbalance, 1e-9);
  }
  EXPECT_LT(off[0], 0.1);
  EXPECT_LT(off[1], 0.2 * off[0]);
}

// z = r − m g/c (1 − cos ω t) for a ball that is set onto its spring.
TEST(CompliantMotion, BallSetOnItsSpring_Oscillates) {
  const double c = 1e4, m = 0.7, w = std::sqrt(c / m), until = 0.3;
  World world = thrown_ball({.mu = 0, .e = 1}, Vec3::Zero(), Vec3::Zero(), Vec3(0, 0, -gravity));
  world.bodies[1].body.position.z() = 0.1;
  auto motion = CompliantMotion::start(world, {.stiffness = c});
  ASSERT_TRUE(motion) << motion.error().message();
  const double end = (std::floor(until * w / (2 * std::numbers::pi)) + 0.3) * 2 * std::numbers::pi / w;
  ASSERT_TRUE(motion->run(end));
  // It comes back to its start after every period, where the contact opens and closes again.
  EXPECT_NEAR(motion->poses()[1].position.z(), 0.1 - m * gravity / c * (1 - std::cos(w * end)), 1e-8);
  EXPECT_LT(std::abs(motion->ledger().imbalance()), 1e-9);
}

// A linear damper brings it to rest at the static deflection.
TEST(CompliantMotion, DampedBall_RestsAtItsDeflection) {
  const double c = 1e5, m = 0.7;
  const Pressed ran = press_world(
      thrown_ball({.mu = 0.5, .e = 0.3, .damper = Damper::linear}, Vec3::Zero(), Vec3::Zero(), Vec3(0, 0, -gravity)), c,
      1.5);
  EXPECT_NEAR(ran.poses[1].position.z(), 0.1 - m * gravity / c, 1e-10);
  EXPECT_LT(ran.poses[1].velocity.norm(), 1e-9);
  EXPECT_NEAR(ran.ledger.elastic, 0.5 * m * m * gravity * gravity / c, 1e-12);
  EXPECT_LT(ran.worst_imbalance, 1e-9);
}

// Bounces under gravity tend to those of a rigid floor as the spring stiffens; the second one, of the order of 1/√c.
TEST(CompliantMotion, BouncingBall_TendsToTheRigidOne) {
  const double e = 0.8, height = 0.05, t0 = std::sqrt(2 * height / gravity);
  std::vector<double> off;
  for (const double c : {1e6, 1e8, 1e10}) {
    const Pressed ran = press_world(thrown_ball({.mu = 0, .e = e}, Vec3::Zero(), Vec3::Zero(), Vec3(0, 0, -gravity)), c,
                                    t0 * (1 + 2 * e) + 0.05, 50);
    const auto impacts = ran.recording.of(EventKind::impact);
    ASSERT_EQ(impacts.size(), 2U);
    off.push_back(std::abs(impacts[1].time - t0 * (1 + 2 * e)));
    EXPECT_LT(ran.worst_imbalance, 1e-9);
  }
  EXPECT_NEAR(off[0] / off[1], 10, 1.5);
  EXPECT_NEAR(off[1] / off[2], 10, 1.5);
}

// Coulomb's slider stops a ball that slides: it rolls at 5/7 v₀, and swings about that by the tangential spring.
TEST(CompliantMotion, SlidingBall_RollsAtFiveSevenths) {
  const double v = 1, mu = 0.3;
  World world =
      thrown_ball({.mu = mu, .e = 0.2, .damper = Damper::linear}, {v, 0, 0}, Vec3::Zero(), Vec3(0, 0, -gravity));
  world.bodies[1].body.position.z() = 0.1;
  const Pressed ran = press_world(world, 1e7, 0.2, 100);
  EXPECT_NEAR(ran.poses[1].velocity.x(), 5 * v / 7, 2e-3);
  EXPECT_NEAR(ran.ledger.lost_to_friction, 0.5 * 0.7 * v * v * 2 / 7, 1e-3);
  EXPECT_LT(ran.worst_imbalance, 1e-9);
  EXPECT_FALSE(ran.recording.of(EventKind::stick).empty());
}

TEST(CompliantMotion, BallsAndBlocks_EnergyCloses) {
  for (const Damper damper : {Damper::hysteretic, Damper::linear, Damper::hunt_crossley}) {
    const SpringSledge law{.kappa = 0.8, .mu = 0.4, .e = 0.6, .damper = damper};
    WorldBody tumbling = block({0.1, 0.15, 0.2}, 1, {0, 2, 0.6}, {0.5, 0, 0});
    tumbling.body.angular_velocity = {1, 4, 0.5};
    World world = world_of({ground(), ball(0.1, 1, {0, 0, 0.3}, {1, 0, 0}, {0, -20, 0}),
                            ball(0.15, 2, {0.5, 0.05, 0.35}, {-1, 0, 0}), tumbling},
                           {law, 0.4, 0.4});
    world.forces.push_back({1, {}, {Vec3(0, 0.5, 0)}, {Vec3(0, 0, 0.01)}});
    const Pressed ran = press_world(world, 1e5, 0.8, 400);
    SCOPED_TRACE(static_cast<int>(damper));
    EXPECT_LT(ran.worst_imbalance, 1e-9);
    EXPECT_GT(ran.most_elastic, 0.01);
    EXPECT_GE(ran.recording.of(EventKind::impact).size(), 3U);
  }
}

TEST(CompliantMotion, ResumedAtAnyTime_EndsOnTheSameBits) {
  const auto world = [] {
    return world_of(
        {ground(), ball(0.1, 1, {0, 0, 0.12}, {1, 0, 0}, {0, -20, 0}), ball(0.15, 2, {0.4, 0.05, 0.35}, {-1, 0, 0})},
        {SpringSledge{.mu = 0.4, .e = 0.6}, 0.4, 0.4});
  };
  const CompliantOptions options{.stiffness = 1e5};
  Recording whole;
  auto one = CompliantMotion::start(world(), options);
  ASSERT_TRUE(one);
  ASSERT_TRUE(one->run(0.4, whole.observer(), 0.0123));
  ASSERT_FALSE(whole.events.empty());
  // Within the first contact too.
  for (const double stop : {0.01, 0.0645, 0.067, 0.2, 0.333}) {
    Recording parts;
    auto first = CompliantMotion::start(world(), options);
    ASSERT_TRUE(first);
    ASSERT_TRUE(first->run(stop, parts.observer(), 0.0123));
    auto second = CompliantMotion::resume(world(), first->checkpoint(), options);
    ASSERT_TRUE(second) << second.error().message();
    EXPECT_EQ(second->time(), stop);
    ASSERT_TRUE(second->run(0.4, parts.observer(), 0.0123));
    const auto end = second->poses(), expected = one->poses();
    for (std::size_t i = 0; i < end.size(); ++i)
      EXPECT_EQ(std::memcmp(end[i].position.data(), expected[i].position.data(), 3 * sizeof(double)), 0);
    ASSERT_EQ(parts.events.size(), whole.events.size());
    ASSERT_EQ(parts.samples.size(), whole.samples.size());
    EXPECT_EQ(second->ledger().imbalance(), one->ledger().imbalance());
  }
  EXPECT_FALSE(CompliantMotion::resume(world(), one->checkpoint(), {.stiffness = 2e5}));
}

TEST(CompliantMotion, RefusesWhatItHasNot) {
  World world = thrown_ball({.mu = 0.3, .e = 0.5}, Vec3::Zero(), Vec3::Zero());
  const auto soft = CompliantMotion::start(world, {});
  ASSERT_FALSE(soft);
  EXPECT_EQ(soft.error().path, "compliance.stiffness");
  World plastic = thrown_ball({.mu = 0.3, .e = 0}, Vec3::Zero(), Vec3::Zero());
  const auto refused = CompliantMotion::start(plastic, {.stiffness = 1e5});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().path, "e");
  world.joints = {{0, 1, Vec3(0, 0, 1)}};
  const auto hinged = CompliantMotion::start(world, {.stiffness = 1e5});
  ASSERT_FALSE(hinged);
  EXPECT_EQ(hinged.error().path, "hinge");
}

}  // namespace
}  // namespace ricochet::motion
