/// Worlds that no motion can start from are refused by name, and times that are none as well.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

World two_balls() {
  World out = world_of({ground(), ball(0.5, 1, {0, 0, 3}), ball(0.5, 1, {2, 0, 3})}, {Frictionless{.e = 0.5}});
  out.forces.push_back({1, {}, {Vec3(1, 0, 0)}, {Vec3::Zero()}});
  return out;
}

/// The message names the input, and nothing starts.
void expect_refused(const std::function<void(World&)>& spoil, const std::string& path, ErrorCode code) {
  SCOPED_TRACE(path);
  World world = two_balls();
  ASSERT_TRUE(Simulation::start(world)) << "the world is sound before it is spoilt";
  spoil(world);
  const auto started = Simulation::start(std::move(world));
  ASSERT_FALSE(started) << "started";
  EXPECT_EQ(started.error().path.rfind(path, 0), 0U) << started.error().message();
  EXPECT_EQ(started.error().code, code) << started.error().message();
  EXPECT_FALSE(started.error().allowed.empty());
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

TEST(StartRefused, BodiesThatNoMotionHas) {
  expect_refused([](World& w) { w.bodies[1].body.mass = 0; }, "body[2].mass", ErrorCode::out_of_range);
  expect_refused([](World& w) { w.bodies[1].body.mass = -2; }, "body[2].mass", ErrorCode::out_of_range);
  expect_refused([](World& w) { w.bodies[2].body.mass = not_a_number; }, "body[3].mass", ErrorCode::out_of_range);
  expect_refused([](World& w) { w.bodies[2].body.velocity.y() = not_a_number; }, "body[3].velocity",
                 ErrorCode::out_of_range);
  expect_refused([](World& w) { w.bodies[2].body.position.x() = HUGE_VAL; }, "body[3].position",
                 ErrorCode::out_of_range);
  expect_refused([](World& w) { w.bodies[1].body.inertia(0, 0) = not_a_number; }, "body[2].inertia",
                 ErrorCode::out_of_range);
  expect_refused([](World& w) { w.gravity.x() = not_a_number; }, "gravity", ErrorCode::out_of_range);
}

TEST(StartRefused, ForcesOnNobody) {
  expect_refused([](World& w) { w.forces[0].body = 3; }, "force[1].body", ErrorCode::unknown_name);
  expect_refused([](World& w) { w.forces[0].forces[0].z() = not_a_number; }, "force[1]", ErrorCode::out_of_range);
  // Times that do not increase.
  const auto table = [](World& w, std::vector<double> times) {
    w.forces[0].times = std::move(times);
    w.forces[0].forces = {Vec3::Zero(), Vec3::UnitX()};
    w.forces[0].torques = {Vec3::Zero(), Vec3::Zero()};
  };
  expect_refused([&](World& w) { table(w, {1, 1}); }, "force[1].times", ErrorCode::out_of_range);
  const auto refused = [](World world) { return !Simulation::start(std::move(world)); };
  World short_table = two_balls();
  table(short_table, {0, 1, 2});
  EXPECT_TRUE(refused(short_table)) << "three times, two forces";
}

TEST(StartRefused, LawsThatAreNotThere) {
  World no_law = two_balls();
  no_law.law_of_pair = {7};
  EXPECT_FALSE(Simulation::start(no_law));
  World short_table = two_balls();
  short_table.law_of_pair = {0, 0};
  EXPECT_FALSE(Simulation::start(short_table));
  World bad_e = two_balls();
  bad_e.laws[0].law = Frictionless{.e = 1.5};
  EXPECT_FALSE(Simulation::start(bad_e));
  World bad_mu = two_balls();
  bad_mu.laws[0].mu = -0.1;
  EXPECT_FALSE(Simulation::start(bad_mu));
  World less_static = two_balls();
  less_static.laws[0].mu = 0.5;
  less_static.laws[0].mu_s = 0.4;
  EXPECT_FALSE(Simulation::start(less_static));
}

TEST(StartRefused, BodiesThatOverlap) {
  World apart = two_balls();
  apart.bodies[2].body.position = {1 + 1e-6, 0, 3};
  EXPECT_TRUE(Simulation::start(apart));
  World touching = two_balls();
  touching.bodies[2].body.position = {1, 0, 3};
  EXPECT_TRUE(Simulation::start(touching));
  for (const double depth : {1e-6, 0.3}) {
    World overlapping = two_balls();
    overlapping.bodies[2].body.position = {1 - depth, 0, 3};
    const auto started = Simulation::start(overlapping);
    ASSERT_FALSE(started) << depth;
    EXPECT_NE(started.error().message().find("body"), std::string::npos) << started.error().message();
  }
  World sunk = two_balls();
  sunk.bodies[1].body.position.z() = 0.4;
  EXPECT_FALSE(Simulation::start(sunk));
}

TEST(RunRefused, TimesThatAreNone) {
  auto simulation = Simulation::start(two_balls());
  ASSERT_TRUE(simulation);
  ASSERT_TRUE(simulation->run(0.1));
  EXPECT_FALSE(simulation->run(not_a_number));
  EXPECT_FALSE(simulation->run(0.05)) << "back in time";
  EXPECT_FALSE(simulation->run(0.2, {}, -1)) << "a negative interval";
  EXPECT_FALSE(simulation->run(0.2, {}, not_a_number));
  EXPECT_EQ(simulation->time(), 0.1);
  EXPECT_TRUE(simulation->run(0.2));
}

TEST(ResumeRefused, BytesOfSomethingElse) {
  auto simulation = Simulation::start(two_balls());
  ASSERT_TRUE(simulation);
  ASSERT_TRUE(simulation->run(0.1));
  const std::string kept = simulation->checkpoint();
  EXPECT_TRUE(Simulation::resume(two_balls(), kept));
  EXPECT_FALSE(Simulation::resume(two_balls(), ""));
  EXPECT_FALSE(Simulation::resume(two_balls(), "nonsense"));
  EXPECT_FALSE(Simulation::resume(two_balls(), std::string_view(kept).substr(0, kept.size() / 2)));
  World other = two_balls();
  other.bodies.pop_back();
  EXPECT_FALSE(Simulation::resume(other, kept));
}

}  // namespace
}  // namespace ricochet::motion
