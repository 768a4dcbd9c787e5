/// A run that is stopped, written and resumed ends on the same bits as one that was not.

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

/// Two rods on hinges with dampers, the upper one hung above the floor, which the lower one strikes.
void add_pendulum(World& world) {
  Mechanism out;
  out.name = "pendulum";
  for (int i = 0; i < 2; ++i) {
    WorldBody body = rod(0.3, 0.02, 0.8, Vec3::Zero(), i == 0 ? "upper" : "lower");
    Link link;
    link.name = body.name;
    link.parent = i - 1;
    link.joint = JointType::revolute;
    link.axis = Vec3::UnitY();
    link.position = i == 0 ? Vec3(5, 0, 1) : Vec3(0.6, 0, 0);
    link.mass = body.body.mass;
    link.centre = {0.3, 0, 0};
    link.inertia = body.body.inertia;
    out.tree.links.push_back(link);
    out.bodies.push_back(static_cast<std::uint32_t>(world.bodies.size()));
    out.links.push_back(i);
    world.bodies.push_back(body);
  }
  out.q = Eigen::Vector2d(0.2, -0.4);
  out.u = Eigen::Vector2d(0.5, 0);
  out.damping = Eigen::Vector2d(0.05, 0.02);
  out.forces.push_back({1, {0.2, 0.7}, {0.0, 0.3}});
  world.apart.emplace_back(out.bodies[0], out.bodies[1]);
  world.mechanisms.push_back(out);
}

/// Balls that bounce, slide, roll and come to rest, a rod that clatters, a box that tumbles and a pendulum.
World busy_world() {
  World out = world_of({ground(), ball(0.1, 1, {0, 0, 0.5}, {1, 0, 0}, {0, -30, 0}),
                        ball(0.15, 2, {1, 0.05, 0.8}, {-1, 0, 0}), ball(0.1, 1, {-3, 0, 0.1}, {2, 0, 0})},
                       {Routh{.e = 0.6, .mu = 0.3}, 0.3, 0.3});
  WorldBody stick = rod(0.4, 0.02, 1, {0, 3, 1});
  stick.body.orientation = raised(0.3);
  out.bodies.push_back(stick);
  WorldBody cuboid = block({0.1, 0.15, 0.2}, 1, {0, -3, 1}, {0.3, 0, 1});
  cuboid.body.angular_velocity = {1, 4, 0.5};
  out.bodies.push_back(cuboid);
  out.forces.push_back({3, {0.5, 1}, {Vec3::Zero(), Vec3(0, 0.5, 0)}, {Vec3::Zero(), Vec3::Zero()}});
  add_pendulum(out);
  return out;
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }
bool same_bits(const Vec3& a, const Vec3& b) {
  return same_bits(a.x(), b.x()) && same_bits(a.y(), b.y()) && same_bits(a.z(), b.z());
}
bool same_bits(const Pose& a, const Pose& b) {
  return same_bits(a.position, b.position) && same_bits(a.velocity, b.velocity) &&
         same_bits(a.angular_velocity, b.angular_velocity) && same_bits(a.orientation.w(), b.orientation.w()) &&
         same_bits(Vec3(a.orientation.vec()), Vec3(b.orientation.vec()));
}

void expect_same_events(const std::vector<Event>& a, const std::vector<Event>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_TRUE(same_bits(a[k].time, b[k].time) && a[k].kind == b[k].kind && same_bits(a[k].P, b[k].P) &&
                same_bits(a[k].point, b[k].point) && same_bits(a[k].energy_change, b[k].energy_change))
        << "event " << k << " at " << a[k].time << " and " << b[k].time;
  }
}

TEST(Resume, AtTwentyRandomTimes_EndsOnTheSameBits) {
  const double T = 1.2;
  const Ran whole = run_world(busy_world(), T, 0.01);
  ASSERT_TRUE(whole.ok);
  ASSERT_GE(whole.recording.events.size(), 10U);
  std::mt19937_64 engine(7);
  for (int k = 0; k < 20; ++k) {
    const double stop = T * static_cast<double>(engine() >> 11) * 0x1p-53;
    SCOPED_TRACE(stop);
    Recording recording;
    std::string kept;
    {
      auto first = Simulation::start(busy_world());
      ASSERT_TRUE(first) << first.error().message();
      ASSERT_TRUE(first->run(stop, recording.observer(), 0.01));
      EXPECT_TRUE(same_bits(first->time(), stop));
      kept = first->checkpoint();
    }
    auto second = Simulation::resume(busy_world(), kept);
    ASSERT_TRUE(second) << second.error().message();
    EXPECT_TRUE(same_bits(second->time(), stop));
    ASSERT_TRUE(second->run(T, recording.observer(), 0.01));
    const auto end = second->poses();
    for (std::size_t i = 0; i < end.size(); ++i) EXPECT_TRUE(same_bits(end[i], whole.poses[i])) << "body " << i;
    EXPECT_EQ(second->events(), whole.recording.events.size());
    expect_same_events(recording.events, whole.recording.events);
    EXPECT_TRUE(same_bits(second->ledger().imbalance(), whole.ledger.imbalance()));
    ASSERT_EQ(recording.samples.size(), whole.recording.samples.size());
    for (std::size_t s = 0; s < recording.samples.size(); ++s)
      for (std::size_t i = 0; i < end.size(); ++i)
        EXPECT_TRUE(same_bits(recording.samples[s].poses[i], whole.recording.samples[s].poses[i]))
            << "sample " << s << ", body " << i;
  }
}

TEST(Resume, TwoRuns_AreTheSame) {
  const Ran one = run_world(busy_world(), 1), two = run_world(busy_world(), 1);
  ASSERT_TRUE(one.ok && two.ok);
  expect_same_events(one.recording.events, two.recording.events);
  for (std::size_t i = 0; i < one.poses.size(); ++i) EXPECT_TRUE(same_bits(one.poses[i], two.poses[i]));
}

// Stopping without writing changes nothing either: samples are looks at the motion, not steps of it.
TEST(Resume, SamplesAndStops_DoNotDisturb) {
  const double T = 1;
  const Ran plain = run_world(busy_world(), T), sampled = run_world(busy_world(), T, 1e-3);
  ASSERT_TRUE(plain.ok && sampled.ok);
  expect_same_events(plain.recording.events, sampled.recording.events);
  for (std::size_t i = 0; i < plain.poses.size(); ++i) EXPECT_TRUE(same_bits(plain.poses[i], sampled.poses[i]));
  auto stopped = Simulation::start(busy_world());
  ASSERT_TRUE(stopped);
  for (int k = 1; k <= 10; ++k) ASSERT_TRUE(stopped->run(k == 10 ? T : 0.1 * k));
  const auto end = stopped->poses();
  for (std::size_t i = 0; i < end.size(); ++i) EXPECT_TRUE(same_bits(plain.poses[i], end[i])) << "body " << i;
}

}  // namespace
}  // namespace ricochet::motion
