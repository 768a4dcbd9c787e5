/// A gas of elastic balls in a box of six half spaces: energy is kept, nothing overlaps, and motion can be reversed.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr double gas_box = 1, gas_radius = 0.06;

/// Walls 0 to 5, then balls on a grid with random velocities; the numbers are the same everywhere.
World gas(int side, const Vec3& g, const Law& law) {
  std::mt19937_64 engine(20260714);
  const auto draw = [&] { return static_cast<double>(engine() >> 11) * 0x1p-53 * 2 - 1; };
  std::vector<WorldBody> bodies;
  for (int k = 0; k < 3; ++k)
    for (const double s : {-1.0, 1.0})
      bodies.push_back(half_space(s * gas_box / 2 * Vec3::Unit(k), -s * Vec3::Unit(k)));
  const double step = gas_box / side;
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j)
      for (int k = 0; k < side; ++k) {
        const Vec3 at((i + 0.5) * step - gas_box / 2, (j + 0.5) * step - gas_box / 2, (k + 0.5) * step - gas_box / 2);
        bodies.push_back(ball(gas_radius * (1 + 0.3 * draw()), 1 + 0.5 * draw(), at, {draw(), draw(), draw()},
                              10 * Vec3(draw(), draw(), draw())));
      }
  return world_of(std::move(bodies), {law}, g);
}

double deepest_overlap(const World& world, const std::vector<Pose>& poses) {
  double out = 0;
  for (std::size_t i = 6; i < poses.size(); ++i) {
    const double r = world.bodies[i].shapes[0].margin;
    for (int k = 0; k < 3; ++k) out = std::max(out, std::abs(poses[i].position(k)) + r - gas_box / 2);
    for (std::size_t j = 6; j < i; ++j)
      out = std::max(out, r + world.bodies[j].shapes[0].margin - (poses[i].position - poses[j].position).norm());
  }
  return out;
}

/// 100,000, or as RICOCHET_IMPACTS says.
std::uint64_t impacts_wanted() {
  const char* text = std::getenv("RICOCHET_IMPACTS");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 100'000;
}

TEST(ElasticGas, AHundredThousandImpacts_KeepEnergyAndDoNotOverlap) {
  const World world = gas(3, {0, 0, -1}, Frictionless{.e = 1});
  auto simulation = Simulation::start(world);
  ASSERT_TRUE(simulation) << simulation.error().message();
  Deviation overlap("overlap"), energy("energy_drift");
  Observer observer;
  observer.sample = [&](double, const std::vector<Pose>& poses) { overlap.add(deepest_overlap(world, poses), 0, 1); };
  // Gravity's zero of potential is the middle of the box: kinetic energy is the scale.
  const double scale = simulation->ledger().kinetic;
  for (int k = 1; simulation->events() < impacts_wanted(); ++k) {
    const auto done = simulation->run(10.0 * k, observer);
    ASSERT_TRUE(done) << done.error().message();
    ASSERT_LT(k, 1'000'000);
    const EnergyLedger now = simulation->ledger();
    energy.add(now.kinetic + now.potential, now.start, scale);
  }
  EXPECT_LT(energy.largest(), 1e-11);
  EXPECT_LT(overlap.largest(), 1e-9);
}

TEST(ElasticGas, WithSpinAndReversedSlip_KeepsEnergy) {
  auto simulation = Simulation::start(gas(3, Vec3::Zero(), ChatterjeeRuina{.e = 1, .e_t = 1, .mu = HUGE_VAL}));
  ASSERT_TRUE(simulation) << simulation.error().message();
  for (int k = 1; simulation->events() < 10'000; ++k) {
    const auto done = simulation->run(k);
    ASSERT_TRUE(done) << done.error().message();
    ASSERT_LT(k, 100'000);
  }
  const EnergyLedger now = simulation->ledger();
  EXPECT_NEAR(now.kinetic, now.start, 1e-12 * now.start);
}

TEST(DissipativeGas, NeverGainsEnergy_AndTheLedgerCloses) {
  auto simulation = Simulation::start(gas(2, Vec3::Zero(), Routh{.e = 0.95, .mu = 0.3}));
  ASSERT_TRUE(simulation) << simulation.error().message();
  double worst = -HUGE_VAL;
  Observer observer;
  observer.event = [&](const Event& event) { worst = std::max(worst, event.energy_change); };
  const auto done = simulation->run(60, observer);
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_GT(simulation->events(), 100U);
  EXPECT_LE(worst, 1e-15);
  const EnergyLedger now = simulation->ledger();
  EXPECT_LT(now.kinetic, now.start);
  EXPECT_LT(std::abs(now.imbalance()), 1e-12 * now.start);
}

// Collisions multiply an error by about the free path over the radius each time, so only a few can be undone.
TEST(ElasticGas, ReversedVelocities_BringItBack) {
  World world = gas(2, {0, 0, -1}, Frictionless{.e = 1});
  const double T = 1.5;
  auto there = Simulation::start(world);
  ASSERT_TRUE(there) << there.error().message();
  ASSERT_TRUE(there->run(T));
  EXPECT_GE(there->events(), 8U);
  World back_world = world;
  const auto turned = there->poses();
  for (std::size_t i = 6; i < turned.size(); ++i) {
    RigidBody& body = back_world.bodies[i].body;
    body.position = turned[i].position;
    body.orientation = turned[i].orientation;
    body.velocity = -turned[i].velocity;
    body.angular_velocity = -turned[i].angular_velocity;
  }
  auto back = Simulation::start(back_world);
  ASSERT_TRUE(back) << back.error().message();
  ASSERT_TRUE(back->run(T));
  EXPECT_EQ(back->events(), there->events());
  Deviation off("place");
  const auto end = back->poses();
  for (std::size_t i = 6; i < end.size(); ++i) {
    off.add(end[i].position, world.bodies[i].body.position, 1);
    off.add(end[i].velocity, -world.bodies[i].body.velocity, 1);
  }
  EXPECT_LT(off.largest(), 1e-9);
}

}  // namespace
}  // namespace ricochet::motion
