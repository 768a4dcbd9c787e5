/// Motion by equal steps against closed forms, with the order of the error in h; its energy; and the event-driven
/// motion of the same worlds (docs/time-stepping.md).

#include "ricochet/motion/time_stepping.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

struct Stepped {
  Recording recording;
  std::vector<Pose> poses;
  EnergyLedger ledger;
  StepStatistics statistics;
  double largest_gain = 0;  ///< of energy in one step, without applied work [J]
};

/// A run to `until`, looked at after every step.
Stepped step_world(World world, double h, double until, double sample_interval = 0) {
  Stepped out;
  auto motion = TimeStepping::start(std::move(world), {.step = h});
  if (!motion) {
    ADD_FAILURE() << "start: " << motion.error().message();
    return out;
  }
  EnergyLedger before = motion->ledger();
  const auto steps = static_cast<std::uint64_t>(std::floor(until / h * (1 + 1e-14)));
  for (std::uint64_t k = 1; k <= steps + 1; ++k) {
    const double end = k <= steps ? std::min(static_cast<double>(k) * h, until) : until;
    const auto done = motion->run(end, out.recording.observer(), sample_interval);
    if (!done) {
      ADD_FAILURE() << "run, at t = " << motion->time() << ": " << done.error().message();
      return out;
    }
    const EnergyLedger after = motion->ledger();
    out.largest_gain = std::max(out.largest_gain, after.kinetic + after.potential - after.applied_work -
                                                      (before.kinetic + before.potential - before.applied_work));
    before = after;
  }
  out.poses = motion->poses();
  out.ledger = motion->ledger();
  out.statistics = motion->statistics();
  return out;
}

PairLaw newton(double e, double mu = 0) { return {ChatterjeeRuina{.e = e, .e_t = 0, .mu = mu}, mu, mu}; }

/// Height of a ball at t that falls from h onto a floor: its parabolas between t_k = t₀ (1 + 2 Σ eⁱ).
double bounce_height(double h, double e, double t) {
  const double t0 = std::sqrt(2 * h / gravity);
  if (t <= t0) return h - gravity * t * t / 2;
  double v = e * gravity * t0, at = t0;
  while (t > at + 2 * v / gravity) {
    at += 2 * v / gravity;
    v *= e;
  }
  const double tau = t - at;
  return v * tau - gravity * tau * tau / 2;
}

// An impact is late or early by at most a step, so that the height is off by at most the sum of the steps in speed,
// Σ (1 + e) v_k h. The error of one height depends on where its impacts lie between steps: the largest of many counts.
TEST(TimeStepping, BouncingBall_ErrorIsOfFirstOrder) {
  const double e = 0.7, until = 1.1;
  std::vector<double> errors;
  for (const double h : {1.0 / 512, 1.0 / 2048, 1.0 / 8192}) {
    double worst = 0;
    for (int k = 0; k < 24; ++k) {
      const double height = 0.8 + 0.0123 * k;
      const Stepped ran = step_world(world_of({ground(), ball(0.1, 0.7, {0, 0, 0.1 + height})}, newton(e)), h, until);
      const double error = std::abs(ran.poses[1].position.z() - 0.1 - bounce_height(height, e, until));
      const double v = std::sqrt(2 * gravity * height);
      EXPECT_LE(error, 1.1 * h * v * (1 + e) * (1 + e + e * e));
      EXPECT_LE(ran.largest_gain, 1e-13);
      EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-12);
      worst = std::max(worst, error);
    }
    errors.push_back(worst);
  }
  for (std::size_t k = 1; k < errors.size(); ++k) {
    RecordProperty("order_" + std::to_string(k), to_text(std::log2(errors[k - 1] / errors[k]) / 2));
    EXPECT_GT(errors[k - 1] / errors[k], 2.5);  // 4 where the order is one
    EXPECT_LT(errors[k - 1] / errors[k], 7);
  }
}

TEST(TimeStepping, BouncingBall_ComesToRest_AndStays) {
  const Stepped ran = step_world(world_of({ground(), ball(0.1, 0.7, {0, 0, 0.6})}, newton(0.5)), 1e-3, 3);
  EXPECT_EQ(ran.recording.of(EventKind::rest).size(), 1U);
  EXPECT_TRUE(ran.recording.of(EventKind::lift_off).empty());
  EXPECT_GE(ran.recording.of(EventKind::impact).size(), 5U);
  EXPECT_LT(ran.poses[1].velocity.norm(), 1e-12);
  // Of the drop of 0.5 m nothing is left; where it rests it overlaps by less than half a step.
  const double v = std::sqrt(2 * gravity * 0.5);
  EXPECT_LT(std::abs(ran.poses[1].position.z() - 0.1), 0.5e-3 * v);
  EXPECT_LE(ran.statistics.largest_overlap, 0.5e-3 * v * (1 + 1e-3));
  EXPECT_LE(ran.largest_gain, 1e-13);
}

// v falls by μ g h in every step, and x moves by the mean of two speeds: exact up to the step in which it stops.
TEST(TimeStepping, SlidingBlock_StopsWhereItShould_ToSecondOrder) {
  const double mu = 0.3, v = 1.7;
  for (const double h : {7e-3, 1.3e-3, 3e-4}) {
    const Stepped ran =
        step_world(world_of({ground(), block({0.2, 0.1, 0.05}, 1.3, {0, 0, 0.05}, {v, 0, 0})}, newton(0, mu)), h, 1);
    EXPECT_NEAR(ran.poses[1].position.x(), v * v / (2 * mu * gravity), mu * gravity * h * h / 8 + 1e-9);
    EXPECT_NEAR(ran.poses[1].position.z(), 0.05, 1e-9);
    EXPECT_LT(ran.poses[1].velocity.norm(), 1e-9);
    const auto sticks = ran.recording.of(EventKind::stick);
    ASSERT_EQ(sticks.size(), 1U);
    EXPECT_NEAR(sticks[0].time, v / (mu * gravity), h);
    EXPECT_NEAR(ran.ledger.lost_to_friction, 0.5 * 1.3 * v * v, 1e-9);
    EXPECT_LE(ran.largest_gain, 1e-12);
    EXPECT_EQ(ran.statistics.not_converged, 0U);
  }
}

// Momentum about the point of contact is kept: v = 5/7 v₀, from t = 2 v₀/(7 μ g) on.
TEST(TimeStepping, BallSlidesThenRolls_AtFiveSevenths) {
  const double mu = 0.2, v = 3, h = 1e-3;
  const Stepped ran = step_world(world_of({ground(), ball(0.1, 1, {0, 0, 0.1}, {v, 0, 0})}, newton(0.5, mu)), h, 1.5);
  const auto rolls = ran.recording.of(EventKind::roll);
  ASSERT_EQ(rolls.size(), 1U);
  EXPECT_NEAR(rolls[0].time, 2 * v / (7 * mu * gravity), h);
  EXPECT_NEAR(ran.poses[1].velocity.x(), 5 * v / 7, 1e-12);
  EXPECT_NEAR(ran.poses[1].angular_velocity.y(), 50 * v / 7, 1e-11);
  EXPECT_NEAR(ran.ledger.lost_to_friction, 0.5 * v * v * (1 - 5.0 / 7), 1e-5);
  EXPECT_LE(ran.largest_gain, 1e-12);
}

TEST(TimeStepping, TumblingBody_KeepsEnergy_AndTurnsToSecondOrder) {
  const auto world = [] {
    WorldBody body = block({0.3, 0.2, 0.1}, 2, {0, 0, 0});
    body.body.angular_velocity = {0.1, 3, 0.2};
    return world_of({body}, newton(0), Vec3::Zero());
  };
  const Ran exact = run_world(world(), 5);
  ASSERT_TRUE(exact.ok);
  std::vector<double> off;
  for (const double h : {1.0 / 256, 1.0 / 1024}) {
    const Stepped ran = step_world(world(), h, 5);
    EXPECT_LT(std::abs(ran.ledger.kinetic - ran.ledger.start), 1e-11 * ran.ledger.start);
    off.push_back(ran.poses[0].orientation.angularDistance(exact.poses[0].orientation));
  }
  EXPECT_NEAR(off[0] / off[1], 16, 1.5);
  EXPECT_LT(off[1], 1e-3);
}

TEST(TimeStepping, DoublePendulum_JointsDoNoWork_AndDriftToSecondOrder) {
  const auto world = [] {
    World out = world_of({half_space({0, 0, -100}, Vec3::UnitZ()), block({0.5, 0.02, 0.02}, 1, {0.5, 0, 0}),
                          block({0.5, 0.02, 0.02}, 1, {1.5, 0, 0})},
                         newton(0));
    out.joints = {{0, 1, Vec3(0, 0, 0)}, {1, 2, Vec3(1, 0, 0)}};
    return out;
  };
  const Ran exact = run_world(world(), 1);
  ASSERT_TRUE(exact.ok);
  std::vector<double> off, open;
  for (const double h : {1.0 / 512, 1.0 / 2048}) {
    const Stepped ran = step_world(world(), h, 1);
    EXPECT_LT(std::abs(ran.ledger.kinetic + ran.ledger.potential - ran.ledger.start), 1e-9);
    off.push_back((ran.poses[2].position - exact.poses[2].position).norm());
    const Pose& p = ran.poses[1];
    open.push_back((p.position - p.orientation * Vec3(0.5, 0, 0)).norm());
  }
  EXPECT_GT(off[0] / off[1], 12);  // 16 where the order is two
  EXPECT_LT(off[1], 1e-4);
  EXPECT_LT(open[1], 1e-5);
}

// Central impacts of balls have one answer with e and μ. The stepped motion is that of the event-driven one to the
// order of h.
TEST(TimeStepping, AgainstEventDriven_ErrorIsOfFirstOrder) {
  const auto world = [] {
    return world_of(
        {ground(), ball(0.1, 1, {0, 0, 0.5}, {1, 0, 0}, {0, -30, 0}), ball(0.15, 2, {1, 0.05, 0.8}, {-1, 0.1, 0})},
        newton(0.6, 0.3));
  };
  const Ran exact = run_world(world(), 0.9);
  ASSERT_TRUE(exact.ok);
  ASSERT_GE(exact.recording.of(EventKind::impact).size(), 4U);
  const auto mean_error = [&](double h) {
    double sum = 0;
    for (int k = 0; k < 8; ++k) {
      const Stepped ran = step_world(world(), h * (1 + 0.037 * k), 0.9);
      EXPECT_LE(ran.largest_gain, 1e-12);
      EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-11);
      for (std::size_t i = 1; i < 3; ++i) sum += (ran.poses[i].position - exact.poses[i].position).norm();
    }
    return sum / 16;
  };
  const double coarse = mean_error(1e-3), fine = mean_error(1e-4);
  RecordProperty("error_at_1e-4", to_text(fine));
  EXPECT_LT(coarse, 0.05);
  EXPECT_GT(coarse / fine, 3);
}

/// A square pyramid of touching balls, `rows` along an edge at the bottom.
std::vector<WorldBody> pyramid(int rows, double r) {
  std::vector<WorldBody> out{ground()};
  for (int layer = 0; layer < rows; ++layer)
    for (int i = 0; i < rows - layer; ++i)
      for (int j = 0; j < rows - layer; ++j)
        out.push_back(ball(r, 1, {(2 * i + layer) * r, (2 * j + layer) * r, r + layer * std::sqrt(2.0) * r}));
  return out;
}

TEST(TimeStepping, PyramidOf55Balls_StaysAtRest) {
  const World world = world_of(pyramid(5, 0.1), newton(0.5, 2));
  ASSERT_EQ(world.bodies.size(), 56U);
  const Stepped ran = step_world(world, 2e-3, 1);
  double moved = 0, speed = 0;
  for (std::size_t i = 1; i < ran.poses.size(); ++i) {
    moved = std::max(moved, (ran.poses[i].position - world.bodies[i].body.position).norm());
    speed = std::max(speed, ran.poses[i].velocity.norm());
  }
  RecordProperty("moved", to_text(moved));
  RecordProperty("sweeps_of_a_step", to_text(static_cast<double>(ran.statistics.sweeps) / 500));
  EXPECT_LT(moved, 1e-9);
  EXPECT_LT(speed, 1e-9);
  EXPECT_LT(ran.statistics.largest_overlap, 1e-9);
  EXPECT_EQ(ran.statistics.not_converged, 0U);
  EXPECT_TRUE(ran.recording.of(EventKind::impact).empty());
}

// Without friction four balls part, and the fifth falls between them.
TEST(TimeStepping, PyramidWithoutFriction_Falls) {
  const World world = world_of(pyramid(2, 0.1), newton(0, 0));
  const Stepped ran = step_world(world, 2e-3, 1);
  double highest = 0;
  for (std::size_t i = 1; i < ran.poses.size(); ++i) highest = std::max(highest, ran.poses[i].position.z());
  EXPECT_LT(highest, 0.11);
  EXPECT_LE(ran.largest_gain, 1e-10);
}

TEST(TimeStepping, FiftyBallsFallIntoABin_OverlapStaysBelowHalfAStep) {
  std::vector<WorldBody> bodies{
      ground(), half_space({-0.5, 0, 0}, Vec3::UnitX(), "west"), half_space({0.5, 0, 0}, -Vec3::UnitX(), "east"),
      half_space({0, -0.5, 0}, Vec3::UnitY(), "south"), half_space({0, 0.5, 0}, -Vec3::UnitY(), "north")};
  std::mt19937_64 engine(3);
  const auto random = [&] { return static_cast<double>(engine() >> 11) * 0x1p-53 - 0.5; };
  for (int k = 0; k < 50; ++k)
    bodies.push_back(ball(0.1, 1,
                          {0.3 * (k % 3 - 1) + 0.05 * random(), 0.3 * (k / 3 % 3 - 1) + 0.05 * random(),
                           0.15 + 0.25 * (k / 9)}));  // NOLINT(bugprone-integer-division)
  const double h = 2e-3;
  const Stepped ran = step_world(world_of(std::move(bodies), newton(0.2, 0.4)), h, 1);
  const double fastest = std::sqrt(2 * gravity * 1.5);
  RecordProperty("overlap", to_text(ran.statistics.largest_overlap));
  RecordProperty("not_converged", to_text(static_cast<double>(ran.statistics.not_converged)));
  RecordProperty("gain", to_text(ran.largest_gain));
  EXPECT_LT(ran.statistics.largest_overlap, h * fastest);
  // What the sweeps leave open does work: impulses of 1 N s or so, times the largest residual.
  EXPECT_LE(ran.largest_gain, 1e-10 + 50 * ran.statistics.largest_residual);
  EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-9);
  EXPECT_LT(ran.ledger.kinetic, 0.05 * ran.ledger.lost_to_impact);
}

// Boxes that fall onto each other by a millimetre, a little out of line, stand as a tower.
TEST(TimeStepping, TowerOfTenBoxes_Stands) {
  std::vector<WorldBody> bodies{ground()};
  for (int k = 0; k < 10; ++k) {
    WorldBody box = block({0.1, 0.1, 0.05}, 1, {0.003 * (k % 3), 0.002 * (k % 2), 0.05 + 0.101 * k + 0.001});
    box.body.orientation = Quaternion(Eigen::AngleAxisd(0.01 * k, Vec3::UnitZ()));
    bodies.push_back(box);
  }
  const World world = world_of(std::move(bodies), newton(0, 0.5));
  const double h = 1e-3;
  const Stepped ran = step_world(world, h, 0.5);
  RecordProperty("overlap", to_text(ran.statistics.largest_overlap));
  RecordProperty("not_converged", to_text(static_cast<double>(ran.statistics.not_converged)));
  for (std::size_t k = 1; k < ran.poses.size(); ++k) {
    const Vec3 moved = ran.poses[k].position - world.bodies[k].body.position;
    EXPECT_LT(moved.head<2>().norm(), 2e-3) << k;
    EXPECT_NEAR(ran.poses[k].position.z(), 0.1 * static_cast<double>(k) - 0.05, 2e-3) << k;
    EXPECT_LT(ran.poses[k].velocity.norm(), 1e-3) << k;
  }
  EXPECT_LT(ran.statistics.largest_overlap, 1e-3);
  EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-10);
}

// Kane's gain, rods and blocks that tumble with friction and hard restitution, and slides that stop uphill.
TEST(TimeStepping, NoStepGainsEnergy) {
  std::mt19937_64 engine(11);
  const auto random = [&] { return static_cast<double>(engine() >> 11) * 0x1p-53; };
  std::uint64_t tempered = 0;
  for (int k = 0; k < 30; ++k) {
    std::vector<WorldBody> bodies{half_space(Vec3::Zero(), Vec3(0.6 * (random() - 0.5), 0, 1).normalized())};
    for (int i = 0; i < 3; ++i) {
      WorldBody body = i == 0   ? rod(0.4, 0.02, 1, {2.0 * i, 0, 1 + random()})
                       : i == 1 ? block({0.1, 0.15, 0.2}, 1, {2.0 * i, 0, 1 + random()})
                                : ball(0.2, 1, {2.0 * i, 0, 1 + random()});
      body.body.orientation = Quaternion(random(), random(), random(), random()).normalized();
      body.body.velocity = Vec3(4 * random() - 2, random(), -random());
      body.body.angular_velocity = Vec3(random(), 8 * random() - 4, random());
      bodies.push_back(body);
    }
    const double e = k % 3 == 0 ? 1 : random(), mu = 2 * random();
    const Stepped ran = step_world(world_of(std::move(bodies), newton(e, mu)), 1e-3, 1.5);
    tempered += ran.statistics.tempered;
    // Rounding, and 1e-12 of the speeds that (TS9) leaves open.
    EXPECT_LE(ran.largest_gain, 3e-12 * ran.ledger.start) << "world " << k;
    EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-11);
  }
  EXPECT_GT(tempered, 0U);  // otherwise nothing was shown about (TS8)
}

bool same_bits(const Vec3& a, const Vec3& b) { return std::memcmp(a.data(), b.data(), 3 * sizeof(double)) == 0; }

TEST(TimeStepping, ResumedAtAnyTime_EndsOnTheSameBits) {
  const auto world = [] {
    World out = world_of({ground(), ball(0.1, 1, {0, 0, 0.3}, {1, 0, 0}), ball(0.1, 1, {0.05, 0, 0.55}),
                          block({0.1, 0.1, 0.1}, 1, {0.4, 0, 0.2}, {-1, 0, 0})},
                         newton(0.5, 0.4));
    out.forces.push_back({1, {0.1, 0.4}, {Vec3(0, 1, 0), Vec3(0, -1, 0)}, {Vec3::Zero(), Vec3(0, 0.1, 0)}});
    return out;
  };
  const StepOptions options{.step = 1e-3};
  Recording whole;
  auto one = TimeStepping::start(world(), options);
  ASSERT_TRUE(one);
  ASSERT_TRUE(one->run(0.7, whole.observer(), 0.0123));
  for (const double stop : {0.0004, 0.1, 0.12345, 0.4321, 0.69999}) {
    Recording parts;
    auto first = TimeStepping::start(world(), options);
    ASSERT_TRUE(first);
    ASSERT_TRUE(first->run(stop, parts.observer(), 0.0123));
    auto second = TimeStepping::resume(world(), first->checkpoint(), options);
    ASSERT_TRUE(second) << second.error().message();
    EXPECT_EQ(second->time(), stop);
    ASSERT_TRUE(second->run(0.7, parts.observer(), 0.0123));
    const auto end = second->poses(), expected = one->poses();
    for (std::size_t i = 0; i < end.size(); ++i) {
      EXPECT_TRUE(same_bits(end[i].position, expected[i].position));
      EXPECT_TRUE(same_bits(end[i].angular_velocity, expected[i].angular_velocity));
    }
    ASSERT_EQ(parts.events.size(), whole.events.size());
    ASSERT_EQ(parts.samples.size(), whole.samples.size());
    for (std::size_t k = 0; k < parts.samples.size(); ++k)
      EXPECT_TRUE(same_bits(parts.samples[k].poses[1].position, whole.samples[k].poses[1].position));
    EXPECT_EQ(second->ledger().imbalance(), one->ledger().imbalance());
  }
  EXPECT_FALSE(TimeStepping::resume(world(), one->checkpoint(), {.step = 2e-3}));
  EXPECT_FALSE(TimeStepping::resume(world(), "ricochet motion 1\n", options));
}

TEST(TimeStepping, SweepsThatDoNotSuffice_AreCounted) {
  auto motion = TimeStepping::start(world_of(pyramid(4, 0.1), newton(0, 0.7)), {.step = 1e-3, .most_sweeps = 2});
  ASSERT_TRUE(motion);
  ASSERT_TRUE(motion->run(0.01));
  EXPECT_GT(motion->statistics().not_converged, 0U);
  EXPECT_GT(motion->statistics().largest_residual, 0);
}

TEST(TimeStepping, RefusesWhatItCannotStep) {
  World world = world_of({ground(), ball(0.1, 1, {0, 0, 1})}, newton(0.5));
  for (const double h : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    const auto refused = TimeStepping::start(world, {.step = h});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().path, "step");
  }
  world.laws[0].e = std::numeric_limits<double>::quiet_NaN();
  const auto refused = TimeStepping::start(world);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().path, "law");
}

}  // namespace
}  // namespace ricochet::motion
