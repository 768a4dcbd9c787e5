/// Mechanisms moved by equal steps (docs/time-stepping.md (TS12) to (TS14)), against closed forms, against free bodies
/// and against the event-driven motion of the same worlds.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "motion/mechanism_worlds.hpp"
#include "ricochet/law/law.hpp"
#include "ricochet/motion/time_stepping.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr double unlimited = std::numeric_limits<double>::infinity();

struct SteppedTree {
  std::vector<Pose> poses;
  EnergyLedger ledger;
  StepStatistics statistics;
};

SteppedTree step_tree(const World& world, double h, double until) {
  SteppedTree out;
  auto motion = TimeStepping::start(world, {.step = h});
  if (!motion) {
    ADD_FAILURE() << "start: " << motion.error().message();
    return out;
  }
  if (const auto done = motion->run(until); !done) ADD_FAILURE() << "run: " << done.error().message();
  out.poses = motion->poses();
  out.ledger = motion->ledger();
  out.statistics = motion->statistics();
  return out;
}

PairLaw newton_law(double e, double mu) { return {ChatterjeeRuina{.e = e, .e_t = 0, .mu = mu}, mu, mu}; }

/// A slide along `axis` that carries a body without a shape.
World slide_world(double m, const Vec3& axis, Mechanism joint, double q, double u) {
  WorldBody body = ball(0.1, m, Vec3::Zero());
  body.shapes.clear();
  joint.tree.links = {link_of(body, JointType::prismatic, axis)};
  joint.q = VecX::Constant(1, q);
  joint.u = VecX::Constant(1, u);
  return tree_world(std::move(joint), {body}, newton_law(0, 0));
}

// A body that floats is the same system as a free body: the same steps, from another mass matrix. With unequal moments
// only until it strikes, since V⁻ is that before (TS12), and that after (TS2) of a free body.
TEST(SteppedMechanism, LinkWithAFreeJoint_MovesAsAFreeBody) {
  Deviation place("place"), spin("spin");
  for (const double e : {0.0, 0.5})
    for (const int shape : {0, 1}) {
      WorldBody body = shape == 0 ? ball(0.1, 0.7, {0, 0, 0.3}) : block({0.2, 0.15, 0.1}, 1.3, {0, 0, 0.45});
      body.body.velocity = {0.8, -0.3, 0.2};
      body.body.angular_velocity = {1, -2, 0.7};
      body.body.orientation = Quaternion(0.9, 0.2, -0.3, 0.1).normalized();
      const PairLaw law = newton_law(e, 0.3);
      const double until = shape == 0 ? 0.6 : 0.15;
      const SteppedTree one = step_tree(world_of({ground(), body}, law), 1e-3, until);
      const SteppedTree other = step_tree(tree_world(floating(body), {body}, law), 1e-3, until);
      ASSERT_EQ(one.poses.size(), other.poses.size());
      EXPECT_EQ(one.ledger.lost_to_impact > 0.01, shape == 0);
      place.add(other.poses[1].position, one.poses[1].position, 1);
      spin.add(other.poses[1].angular_velocity, one.poses[1].angular_velocity, 1);
      EXPECT_LT(std::abs(other.ledger.imbalance()), 1e-10);
    }
  EXPECT_LT(place.largest(), 1e-9);
  EXPECT_LT(spin.largest(), 1e-8);
}

// f h/m of speed is lost in every step, and the way is that of the mean of two speeds: exact up to the last step.
TEST(SteppedMechanism, SlideWithDryFriction_StopsWhereItShould) {
  const double m = 2, f = 3, v = 1.7;
  Mechanism joint;
  joint.dry_friction = VecX::Constant(1, f);
  for (const double h : {7e-3, 1.3e-3}) {
    const SteppedTree ran = step_tree(slide_world(m, Vec3::UnitX(), joint, 0, v), h, 2);
    EXPECT_NEAR(ran.poses[1].position.x(), m * v * v / (2 * f), f / m * h * h / 8 + 1e-12);
    EXPECT_LT(ran.poses[1].velocity.norm(), 1e-14);
    EXPECT_NEAR(ran.ledger.lost_to_friction, 0.5 * m * v * v, 1e-12);
    EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-12);
  }
}

// Less than f holds it, more moves it by the rest.
TEST(SteppedMechanism, SlideWithDryFriction_HoldsUpToItsLimit) {
  const double m = 2, f = 3;
  for (const double force : {2.999, 3.5}) {
    Mechanism joint;
    joint.dry_friction = VecX::Constant(1, f);
    joint.forces.push_back({0, {}, {force}});
    const SteppedTree ran = step_tree(slide_world(m, Vec3::UnitX(), joint, 0, 0), 1e-3, 1);
    EXPECT_NEAR(ran.poses[1].velocity.x(), std::max(0.0, force - f) / m, 1e-12);
    EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-12);
  }
}

// A slide that falls on its stop: v² = 2 g h before the first bounce, e v after it, each bounce late by up to a step.
TEST(SteppedMechanism, SlideThatFallsOnItsStop_BouncesAsABall_AndRests) {
  const double m = 2, e = 0.6, height = 0.8, h = 1e-4;
  Mechanism joint;
  joint.limits.push_back({0, 0, 0, unlimited});
  joint.stop_e = e;
  const World world = slide_world(m, Vec3::UnitZ(), joint, height, 0);
  const double v = std::sqrt(2 * gravity * height), top = v / gravity * (1 + e);
  const SteppedTree risen = step_tree(world, h, top);
  EXPECT_NEAR(risen.poses[1].position.z(), e * e * height, 2 * h * v * (1 + e));
  const SteppedTree ran = step_tree(world, h, v / gravity * (1 + e) / (1 - e) + 0.2);
  EXPECT_LT(std::abs(ran.poses[1].position.z()), h * v);
  EXPECT_LT(ran.poses[1].velocity.norm(), 1e-12);
  EXPECT_NEAR(ran.ledger.lost_to_impact, m * gravity * height, m * gravity * h * v);
  EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-11);
}

TEST(SteppedMechanism, DoublePendulum_ConvergesToSecondOrder) {
  const World world = leg_world(2, (VecX(2) << 1.9, 0.4).finished(), (VecX(2) << 0.3, -1).finished(), newton_law(0, 0));
  const Ran exact = run_world(world, 1.5);
  ASSERT_TRUE(exact.ok);
  std::vector<double> off, imbalance;
  for (const double h : {1.0 / 512, 1.0 / 2048}) {
    const SteppedTree ran = step_tree(world, h, 1.5);
    off.push_back((ran.poses[2].position - exact.poses[2].position).norm());
    imbalance.push_back(std::abs(ran.ledger.imbalance()));
  }
  EXPECT_NEAR(off[0] / off[1], 16, 3);
  EXPECT_LT(off[1], 1e-3);
  EXPECT_NEAR(imbalance[0] / imbalance[1], 16, 3);
}

// The foot strikes the ground, slides and rests on it: the event-driven motion to first order.
TEST(SteppedMechanism, LegThatClattersOnTheGround_IsTheEventDrivenMotion_ToFirstOrder) {
  const World world =
      leg_world(0.9, (VecX(2) << 1.2, -0.5).finished(), (VecX(2) << 0, 0).finished(), newton_law(0.4, 0.3));
  const double until = 0.7;
  const Ran exact = run_world(world, until);
  ASSERT_TRUE(exact.ok);
  ASSERT_GE(exact.recording.of(EventKind::impact).size(), 2U);
  const auto mean_error = [&](double h) {
    double sum = 0;
    for (int k = 0; k < 8; ++k) {
      const SteppedTree ran = step_tree(world, h * (1 + 0.037 * k), until);
      sum += (ran.poses[2].position - exact.poses[2].position).norm() / 8;
    }
    return sum;
  };
  const double coarse = mean_error(1e-3), fine = mean_error(1e-4);
  RecordProperty("error_at_1e-3", to_text(coarse));
  RecordProperty("error_at_1e-4", to_text(fine));
  EXPECT_LT(coarse, 0.02);
  EXPECT_GT(coarse / fine, 4);
}

TEST(SteppedMechanism, ResumedAtAnyTime_EndsOnTheSameBits) {
  World world = leg_world(0.9, (VecX(2) << 1.2, -0.5).finished(), (VecX(2) << 0, 0).finished(), newton_law(0.4, 0.3));
  world.mechanisms[0].limits.push_back({1, 1, -0.6, 0.2});
  world.mechanisms[0].dry_friction = VecX::Constant(2, 0.1);
  world.mechanisms[0].damping = VecX::Constant(2, 0.05);
  const StepOptions options{.step = 1e-3};
  auto whole = TimeStepping::start(world, options);
  ASSERT_TRUE(whole && whole->run(0.8));
  for (const double at : {0.0004, 0.31234, 0.7}) {
    auto first = TimeStepping::start(world, options);
    ASSERT_TRUE(first && first->run(at));
    auto rest = TimeStepping::resume(world, first->checkpoint(), options);
    ASSERT_TRUE(rest) << rest.error().message();
    ASSERT_TRUE(rest->run(0.8));
    EXPECT_EQ(rest->poses()[2].position, whole->poses()[2].position);
    EXPECT_EQ(rest->poses()[2].angular_velocity, whole->poses()[2].angular_velocity);
    EXPECT_EQ(rest->ledger().imbalance(), whole->ledger().imbalance());
  }
}

}  // namespace
}  // namespace ricochet::motion
