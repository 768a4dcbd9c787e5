/// Stops and dry friction of joints, against closed forms.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

Link rod_link(int parent, double length, double mass, const Vec3& at) {
  Link out;
  out.name = parent < 0 ? "thigh" : "shin";
  out.parent = parent;
  out.joint = JointType::revolute;
  out.axis = -Vec3::UnitY();
  out.position = at;
  out.mass = mass;
  out.centre = {0, 0, -length / 2};
  out.inertia = mass * length * length / 12 * Vec3(1, 1, 0.01).asDiagonal();
  return out;
}

Link slider(double mass, const Vec3& axis) {
  Link out;
  out.name = "slider";
  out.joint = JointType::prismatic;
  out.axis = axis;
  out.mass = mass;
  out.inertia = 0.01 * mass * Mat3::Identity();
  return out;
}

/// One mechanism whose links are all bodies without shapes.
World world_with(Mechanism mechanism, const Vec3& g = Vec3(0, 0, -gravity)) {
  World out = world_of({}, {Routh{}, 0, 0}, g);
  for (std::size_t i = 0; i < mechanism.tree.links.size(); ++i) {
    const Link& link = mechanism.tree.links[i];
    WorldBody body;
    body.name = link.name;
    body.body.mass = link.mass;
    body.body.inertia = link.inertia;
    mechanism.bodies.push_back(static_cast<std::uint32_t>(i));
    mechanism.links.push_back(static_cast<int>(i));
    out.bodies.push_back(body);
  }
  out.mechanisms.push_back(std::move(mechanism));
  return out;
}

Mechanism one_joint(const Link& link, double q, double u) {
  Mechanism out;
  out.tree.links.push_back(link);
  out.q = VecX::Constant(1, q);
  out.u = VecX::Constant(1, u);
  return out;
}

constexpr double none = std::numeric_limits<double>::infinity();

// A stop that touches to within its tolerance holds the joint where it is: nothing falls, and no energy is missing.
TEST(JointStop, TouchedWithinItsTolerance_HoldsTheJointThere) {
  for (const double above : {5e-11, 0.0}) {
    SCOPED_TRACE(above);
    Mechanism lift = one_joint(slider(2, Vec3::UnitZ()), above, 0);
    lift.limits.push_back({0, 0, 0, none});
    const Ran ran = run_world(world_with(lift), 3);
    ASSERT_TRUE(ran.ok);
    EXPECT_NEAR(ran.poses[0].position.z(), above, 1e-15);
    EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-13);
  }
}

// A rod that hangs from its end, with a stop where it is vertical. Released at θ₀ it strikes after K(sin θ₀/2)/ω₀, at
// the speed 2 ω₀ sin θ₀/2, and again after 2 K(k)/ω₀ each, k and the speed smaller by e every time.
TEST(JointStop, PendulumAgainstIt_StrikesAtItsEllipticTimes) {
  const double length = 1.3, e = 0.8, start = 1.9, omega = std::sqrt(1.5 * gravity / length);
  Mechanism pendulum = one_joint(rod_link(-1, length, 0.7, Vec3::Zero()), start, 0);
  pendulum.limits.push_back({0, 0, 0, none});
  pendulum.stop_e = e;
  const Ran ran = run_world(world_with(pendulum), 8);
  ASSERT_TRUE(ran.ok);
  const auto hits = ran.recording.of(EventKind::impact);
  ASSERT_GE(hits.size(), 5U);
  Deviation time("impact time"), speed("approach"), balance("imbalance"), lost("energy change");
  double k = std::sin(start / 2), t = std::comp_ellint_1(k) / omega;
  for (const Event& hit : hits) {
    time.add(hit.time, t);
    speed.add(hit.approach, 2 * omega * k);
    lost.add(hit.energy_change, -0.5 * (1 - e * e) * 0.7 * length * length / 3 * hit.approach * hit.approach);
    k *= e;
    t += 2 * std::comp_ellint_1(k) / omega;
  }
  balance.add(ran.ledger.imbalance(), 0, 1);
  EXPECT_LT(time.largest(), 1e-12);
  EXPECT_LT(speed.largest(), 1e-11);
  EXPECT_LT(lost.largest(), 1e-12);
  EXPECT_LT(balance.largest(), 1e-12);
}

// A slide that falls onto its stop is a bouncing ball: rest at t₀ (1 + e)/(1 − e). A force that grows takes it off
// again where it exceeds the weight.
TEST(JointStop, SlideThatFallsOnIt_RestsAtTheLimit_AndLeavesWhenItIsLifted) {
  const double m = 2, e = 0.6, height = 0.8;
  Mechanism slide = one_joint(slider(m, Vec3::UnitZ()), height, 0);
  slide.limits.push_back({0, 0, 0, none});
  slide.stop_e = e;
  slide.forces.push_back({0, {3, 5}, {0, 2 * m * gravity}});
  const Ran ran = run_world(world_with(slide), 4.4);
  ASSERT_TRUE(ran.ok);
  const double first = std::sqrt(2 * height / gravity);
  const auto rests = ran.recording.of(EventKind::rest), lifts = ran.recording.of(EventKind::lift_off);
  ASSERT_EQ(rests.size(), 1U);
  ASSERT_EQ(lifts.size(), 1U);
  Deviation rest("rest time"), lift("lift off time"), place("place");
  rest.add(rests[0].time, first * (1 + e) / (1 - e));
  lift.add(lifts[0].time, 4);
  // a = g (t − 4) from there on.
  place.add(ran.poses[0].position.z(), gravity * 0.4 * 0.4 * 0.4 / 6);
  EXPECT_LT(rest.largest(), 1e-11);
  EXPECT_LT(lift.largest(), 1e-12);
  EXPECT_LT(place.largest(), 1e-10);
}

// A small slide that is at its stop, closes at a speed within the rounding of such a joint, and is pulled off: it falls
// by ½ g t². A speed that rests for the impact and closes for the search would be met again and again at the same
// instant.
TEST(JointStop, ClosingByRounding_AndPulledOff_Leaves) {
  const double radius = 0.02;
  for (const double rounding : {1e-14, 1e-13, 1e-12, 1e-11}) {
    Mechanism slide = one_joint(slider(2, Vec3::UnitZ()), 0, rounding);
    slide.limits.push_back({0, 0, -none, 0});
    World world = world_with(slide);
    ConvexShape shape;
    shape.margin = radius;
    world.bodies[0].shapes.push_back(shape);
    const Ran ran = run_world(world, 0.3);
    ASSERT_TRUE(ran.ok) << rounding;
    EXPECT_LE(ran.recording.events.size(), 2U);
    EXPECT_NEAR(ran.poses[0].position.z(), -0.5 * gravity * 0.09, 1e-11);
  }
}

// A leg whose knee straightens against its stop: the angular momentum about the hip is kept, since the hip has no
// torque, and the knee rebounds with e.
TEST(JointStop, KneeThatStraightens_KeepsTheMomentumAboutTheHip) {
  const double l1 = 0.5, l2 = 0.4, m1 = 3, m2 = 2, e = 0.3;
  Mechanism leg;
  leg.tree.links = {rod_link(-1, l1, m1, Vec3::Zero()), rod_link(0, l2, m2, {0, 0, -l1})};
  leg.q = (VecX(2) << 0.2, -0.7).finished();
  leg.u = (VecX(2) << 1.0, 4.0).finished();
  leg.limits.push_back({1, 1, -none, 0});
  leg.stop_e = e;
  World world = world_with(leg);
  const Ran found = run_world(world, 0.4);
  ASSERT_TRUE(found.ok);
  const auto hits = found.recording.of(EventKind::impact);
  ASSERT_GE(hits.size(), 1U);
  EXPECT_EQ(world.bodies[hits[0].body_a].name, "thigh");
  EXPECT_EQ(world.bodies[hits[0].body_b].name, "shin");
  const double before = std::nextafter(hits[0].time, 0) - 1e-12, after = hits[0].time + 1e-12;
  const auto momentum = [&](const std::vector<Pose>& poses) {
    double L = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      const RigidBody& b = world.bodies[i].body;
      L += poses[i].position.cross(b.mass * poses[i].velocity).y() + b.inertia(1, 1) * poses[i].angular_velocity.y();
    }
    return L;
  };
  const auto knee = [](const std::vector<Pose>& poses) {
    return poses[1].angular_velocity.y() - poses[0].angular_velocity.y();
  };
  const Ran b = run_world(world, before), a = run_world(world, after);
  ASSERT_TRUE(a.ok && b.ok);
  Deviation kept("angular momentum"), rebound("rebound"), straight("angle at the stop");
  kept.add(momentum(a.poses), momentum(b.poses));
  rebound.add(knee(a.poses), -e * knee(b.poses));
  straight.add((a.poses[0].orientation.conjugate() * a.poses[1].orientation).vec().norm(), 0, 1);
  EXPECT_LT(kept.largest(), 1e-9);
  EXPECT_LT(rebound.largest(), 1e-9);
  EXPECT_LT(straight.largest(), 1e-10);
}

// A plastic stop holds the knee straight, and the leg swings as one rod: its period is that of the whole.
TEST(JointStop, PlasticKnee_StaysStraight_AndSwingsAsOneRod) {
  const double l1 = 0.5, l2 = 0.5, m = 1;
  Mechanism leg;
  leg.tree.links = {rod_link(-1, l1, m, Vec3::Zero()), rod_link(0, l2, m, {0, 0, -l1})};
  leg.q = (VecX(2) << 0.4, 0.0).finished();  // the shin is pressed against its stop while the leg swings down
  leg.u = VecX::Zero(2);
  leg.limits.push_back({1, 1, -none, 0});
  leg.limits.push_back({1, 1, 0, none});
  const Ran ran = run_world(world_with(leg), 3);
  ASSERT_TRUE(ran.ok);
  const double length = l1 + l2, omega = std::sqrt(1.5 * gravity / length);
  // Energy of a rod of 2 m.
  const double angle = 2 * std::asin(std::clamp(ran.poses[0].orientation.y(), -1.0, 1.0));
  const double spin = ran.poses[0].angular_velocity.y();
  Deviation straight("straight"), energy("energy");
  straight.add(ran.poses[0].angular_velocity, ran.poses[1].angular_velocity, 1);
  energy.add(0.5 * spin * spin, omega * omega * (std::cos(angle) - std::cos(0.4)), omega * omega);
  EXPECT_LT(straight.largest(), 1e-12);
  EXPECT_LT(energy.largest(), 1e-11);
}

// Dry friction f stops a slide after m v/f, having moved by m v²/2f; a force below f does not move it, and beyond f it
// slips with the rest.
TEST(DryFriction, SlideComesToRest_AndSlipsWhenItsForceExceedsTheFriction) {
  const double m = 1.5, f = 3, v = 2.4;
  Mechanism slide = one_joint(slider(m, Vec3::UnitX()), 0.1, v);
  slide.dry_friction = VecX::Constant(1, f);
  slide.forces.push_back({0, {2, 6}, {0, -2 * f}});
  const World world = world_with(slide);
  const double stop = m * v / f;
  const Ran early = run_world(world, 0.5 * stop), rest = run_world(world, 3.9), late = run_world(world, 5);
  ASSERT_TRUE(early.ok && rest.ok && late.ok);
  Deviation speed("velocity"), place("place"), lost("friction loss"), balance("imbalance");
  speed.add(early.poses[0].velocity.x(), 0.5 * v);
  place.add(rest.poses[0].position.x(), 0.1 + 0.5 * m * v * v / f);
  lost.add(rest.ledger.lost_to_friction, 0.5 * m * v * v);
  EXPECT_EQ(rest.poses[0].velocity.norm(), 0);
  // From t = 4 on the force exceeds f by ½ f (t − 4).
  speed.add(late.poses[0].velocity.x(), -f / (4 * m), 1);
  place.add(late.poses[0].position.x(), 0.1 + 0.5 * m * v * v / f - f / (12 * m));
  balance.add(late.ledger.imbalance(), 0, 1);
  EXPECT_LT(speed.largest(), 1e-12);
  EXPECT_LT(place.largest(), 1e-12);
  EXPECT_LT(lost.largest(), 1e-12);
  EXPECT_LT(balance.largest(), 1e-12);
}

// A pendulum with dry friction f in its joint turns round where m g l (cos θ' − cos θ) = f (|θ| + |θ'|), and stays
// where its weight no longer overcomes f.
TEST(DryFriction, PendulumTurnsRoundWhereItsEnergyIsSpent_AndStays) {
  const double length = 1, m = 1, f = 0.4, start = 1.2;
  Mechanism pendulum = one_joint(rod_link(-1, length, m, Vec3::Zero()), start, 0);
  pendulum.dry_friction = VecX::Constant(1, f);
  const Ran ran = run_world(world_with(pendulum), 12, 0.001);
  ASSERT_TRUE(ran.ok);
  const double weight = m * gravity * length / 2;
  std::vector<double> turns{start};
  for (int k = 0; k < 40; ++k) {
    const double from = std::abs(turns.back());
    if (weight * std::sin(from) <= f) break;
    double low = -from, high = from;  // θ' on the other side, by bisection
    for (int i = 0; i < 200; ++i) {
      const double mid = 0.5 * (low + high);
      (weight * (std::cos(mid) - std::cos(from)) - f * (from + mid) > 0 ? low : high) = mid;
    }
    turns.push_back((turns.back() > 0 ? -1 : 1) * 0.5 * (low + high));
  }
  const double angle = 2 * std::atan2(-ran.poses[0].orientation.y(), ran.poses[0].orientation.w());
  EXPECT_GT(turns.size(), 4U);
  EXPECT_NEAR(angle, turns.back(), 1e-10);
  EXPECT_EQ(ran.poses[0].angular_velocity.norm(), 0);
  EXPECT_NEAR(ran.ledger.lost_to_friction, weight * (std::cos(turns.back()) - std::cos(start)), 1e-11);
}

TEST(JointStop, ResumedFromAnyCheckpoint_EndsOnTheSameBits) {
  Mechanism pendulum = one_joint(rod_link(-1, 1, 1, Vec3::Zero()), 1.5, 0);
  pendulum.limits.push_back({0, 0, 0.3, none});
  pendulum.stop_e = 0.5;
  pendulum.dry_friction = VecX::Constant(1, 0.1);
  const World world = world_with(pendulum);
  auto whole = Simulation::start(world);
  ASSERT_TRUE(whole && whole->run(3));
  for (const double at : {0.2, 0.6, 1.3, 2.5}) {
    auto first = Simulation::start(world);
    ASSERT_TRUE(first && first->run(at));
    auto rest = Simulation::resume(world, first->checkpoint());
    ASSERT_TRUE(rest && rest->run(3));
    EXPECT_EQ(rest->poses()[0].orientation.coeffs(), whole->poses()[0].orientation.coeffs());
    EXPECT_EQ(rest->poses()[0].angular_velocity, whole->poses()[0].angular_velocity);
  }
}

}  // namespace
}  // namespace ricochet::motion
