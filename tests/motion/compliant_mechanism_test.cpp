/// Mechanisms with spring-sledge contacts (docs/compliant-motion.md): oscillators in closed form, the same bodies
/// without joints, and the law spring-sledge as the limit of stiff springs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "motion/mechanism_worlds.hpp"
#include "ricochet/law/law.hpp"
#include "ricochet/motion/compliant_motion.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

struct PressedTree {
  Recording recording;
  std::vector<Pose> poses;
  EnergyLedger ledger;
};

PressedTree press_tree(const World& world, double stiffness, double until) {
  PressedTree out;
  auto motion = CompliantMotion::start(world, {.stiffness = stiffness});
  if (!motion) {
    ADD_FAILURE() << "start: " << motion.error().message();
    return out;
  }
  if (const auto done = motion->run(until, out.recording.observer()); !done)
    ADD_FAILURE() << "run, at t = " << motion->time() << ": " << done.error().message();
  out.poses = motion->poses();
  out.ledger = motion->ledger();
  return out;
}

PairLaw sledge(double e, double mu) { return {SpringSledge{.mu = mu, .e = e}, mu, mu}; }

// A lever about y whose end strikes an elastic spring at right angles: half a period π √(J/c)/L, the speed is reversed,
// and the impulse is 2 J ω/L, up to the square of the angle of deflection ω √(J/c)/L.
TEST(CompliantMechanism, LeverOnASpring_IsHalfAnOscillation) {
  const double r = 0.02, L = 0.6, m = 1.2, spin = 1.5, c = 1e8, J = m * L * L / 3, before = 0.02;
  WorldBody body = ball(r, m, Vec3::Zero());
  body.body.inertia = m * L * L / 12 * Vec3(0.01, 1, 1).asDiagonal();
  body.shapes[0].position = {L / 2, 0, 0};
  Mechanism lever;
  Link link = link_of(body, JointType::revolute, Vec3::UnitY());
  link.position = {0, 0, r};
  link.centre = {L / 2, 0, 0};
  lever.tree.links = {link};
  lever.q = VecX::Constant(1, -spin * before);  // a positive angle lowers the end
  lever.u = VecX::Constant(1, spin);
  World world = tree_world(lever, {body}, sledge(1, 0));
  world.gravity.setZero();
  const PressedTree ran = press_tree(world, c, 0.05);
  const auto hits = ran.recording.of(EventKind::impact);
  ASSERT_EQ(hits.size(), 1U);
  const double square = spin * spin * J / (c * L * L);
  EXPECT_NEAR(hits[0].time, before + std::numbers::pi * std::sqrt(J / c) / L, square * 0.01 + 1e-12);
  EXPECT_NEAR(seen_from(0, hits[0]).P.z(), 2 * J * spin / L, square * 2 * J * spin / L + 1e-12);
  EXPECT_NEAR(ran.poses[1].angular_velocity.y(), -spin, 1e-11);
  EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-11);
}

TEST(CompliantMechanism, LinkWithAFreeJoint_MovesAsAFreeBody) {
  WorldBody body = rod(0.3, 0.03, 1.3, {0, 0, 0.3});
  body.body.velocity = {0.8, -0.3, 0.2};
  body.body.angular_velocity = {1, -2, 0.7};
  body.body.orientation = Quaternion(0.9, 0.2, -0.3, 0.1).normalized();
  const PairLaw law = sledge(0.5, 0.3);
  const PressedTree one = press_tree(world_of({ground(), body}, law), 1e5, 0.5);
  const PressedTree other = press_tree(tree_world(floating(body), {body}, law), 1e5, 0.5);
  ASSERT_EQ(one.poses.size(), other.poses.size());
  EXPECT_GE(one.recording.of(EventKind::impact).size(), 2U);
  EXPECT_EQ(one.recording.events.size(), other.recording.events.size());
  EXPECT_LT((other.poses[1].position - one.poses[1].position).norm(), 1e-8);
  EXPECT_LT((other.poses[1].angular_velocity - one.poses[1].angular_velocity).norm(), 1e-7);
  EXPECT_LT(std::abs(other.ledger.imbalance()), 1e-9);
}

// Stiff contacts tend to the law that acts on all links at once, to the order of 1/√c.
TEST(CompliantMechanism, LegThatStrikesTheGround_TendsToTheLawSpringSledge) {
  World world = leg_world(0.9, (VecX(2) << 1.2, -0.5).finished(), VecX::Zero(2), sledge(0.5, 0.3));
  world.mechanisms[0].damping = VecX::Constant(2, 0.02);
  world.mechanisms[0].stiffness = VecX::Constant(2, 0.5);
  world.mechanisms[0].rest = VecX::Zero(2);
  const Ran all = run_world(world, 1);
  ASSERT_TRUE(all.ok);
  const auto hits = all.recording.of(EventKind::impact);
  ASSERT_GE(hits.size(), 2U);
  const double until = 0.5 * (hits[0].time + hits[1].time);
  const Ran rigid = run_world(world, until);
  std::vector<double> off;
  for (const double c : {1e6, 1e8, 1e10}) {
    const PressedTree ran = press_tree(world, c, until);
    ASSERT_EQ(ran.poses.size(), 3U);
    off.push_back((ran.poses[2].velocity - rigid.poses[2].velocity).norm() / rigid.poses[2].velocity.norm());
    EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-9) << c;
    EXPECT_GT(ran.ledger.lost_to_friction, 0);
  }
  EXPECT_LT(off[2], 1e-4);
  EXPECT_NEAR(off[1] / off[2], 10, 4);
}

TEST(CompliantMechanism, ResumedAtAnyTime_EndsOnTheSameBits) {
  const World world = leg_world(0.9, (VecX(2) << 1.2, -0.5).finished(), VecX::Zero(2), sledge(0.4, 0.3));
  const CompliantOptions options{.stiffness = 1e5};
  auto whole = CompliantMotion::start(world, options);
  ASSERT_TRUE(whole && whole->run(0.6));
  for (const double at : {0.1, 0.41234}) {
    auto first = CompliantMotion::start(world, options);
    ASSERT_TRUE(first && first->run(at));
    auto rest = CompliantMotion::resume(world, first->checkpoint(), options);
    ASSERT_TRUE(rest) << rest.error().message();
    ASSERT_TRUE(rest->run(0.6));
    EXPECT_EQ(rest->poses()[2].position, whole->poses()[2].position);
    EXPECT_EQ(rest->poses()[2].angular_velocity, whole->poses()[2].angular_velocity);
  }
}

TEST(CompliantMechanism, DryFriction_AndAStopThatIsReached_AreRefused) {
  World world = leg_world(2, (VecX(2) << 1.2, 0).finished(), VecX::Zero(2), sledge(0.4, 0.3));
  world.mechanisms[0].dry_friction = VecX::Constant(2, 0.1);
  const auto dry = CompliantMotion::start(world, {.stiffness = 1e5});
  ASSERT_FALSE(dry);
  EXPECT_EQ(dry.error().path, "robot[1]");
  world.mechanisms[0].dry_friction.setZero();
  world.mechanisms[0].limits.push_back({0, 0, 0, std::numeric_limits<double>::infinity()});
  auto stop = CompliantMotion::start(world, {.stiffness = 1e5});
  ASSERT_TRUE(stop) << stop.error().message();
  const auto run = stop->run(2);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().path, "robot[1]");
  EXPECT_GT(stop->time(), 0.1);
}

}  // namespace
}  // namespace ricochet::motion
