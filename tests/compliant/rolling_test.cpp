#include "ricochet/compliant/rolling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "compliant/disc_oracle.hpp"
#include "numbers.hpp"

namespace ricochet::compliant {
namespace {

using ricochet::testing::Cvode;
using testing::infinity;

Wheel skidding() {
  return {.radius = 0.3, .mass = 10, .inertia = 0.5, .load = 98.1, .stiffness = 1e5, .mu = 0.5, .velocity = 5};
}

Rolling run(const Wheel& wheel, double duration) {
  const auto found = roll(wheel, duration);
  if (!found) throw std::runtime_error(found.error().message());
  return *found;
}

/// Velocity, spin, ξ and loss by a general solver: sticking and sliding, changed at its roots.
std::vector<double> by_cvode(const Wheel& w, double duration) {
  const double limit = w.mu * w.load, beta = 1 / w.mass + w.radius * w.radius / w.inertia;
  const double time = 1 / std::sqrt(beta * w.stiffness),
               speed = std::abs(w.velocity) + w.radius * std::abs(w.spin) + limit * beta * time;
  bool slips = false;
  double side = 0;
  // In units of speed and time: v, Rω, ξ, loss by m·speed².
  std::vector<double> y{w.velocity / speed, w.radius * w.spin / speed, w.deflection / (speed * time), 0};
  const auto force = [&](const std::vector<double>& s) {
    return slips ? -side * limit : -w.stiffness * s[2] * speed * time;
  };
  const auto slope = [&](const std::vector<double>& s, std::vector<double>& d) {
    const double f = force(s), V = s[0] - s[1];
    d[0] = (w.force + f) / w.mass * time / speed;
    d[1] = w.radius * (w.torque - w.radius * f) / w.inertia * time / speed;
    d[2] = slips ? 0 : V;
    d[3] = slips ? limit * side * V * time / (w.mass * speed) : 0;
  };
  const auto roots = [&](const std::vector<double>& s, std::vector<double>& r) {
    r[0] = slips ? side * (s[0] - s[1]) : limit / (w.stiffness * speed * time) - std::abs(s[2]);
  };
  double t = 0;
  while (true) {
    Cvode ode(slope, roots, 1, 1e-12, 1e-13);
    if (ode.run(y, t, duration / time) < 0) break;
    slips = !slips;
    if (slips) side = y[2] < 0 ? -1 : 1;
  }
  return {y[0] * speed, y[1] * speed / w.radius, y[2] * speed * time, y[3] * w.mass * speed * speed};
}

TEST(Rolling, SkidEndsWhereIdealRollingBegins) {
  // (RW5), and ideal skid time V₀/(βμN): the spring makes either a little longer or shorter, to the order of 1/c.
  double last = 0;
  for (const double c : {1e4, 1e6, 1e8}) {
    Wheel w = skidding();
    w.stiffness = c;
    const double beta = 1 / w.mass + w.radius * w.radius / w.inertia, skid = 5 / (beta * w.mu * w.load);
    const Rolling r = run(w, 3 * skid);
    EXPECT_TRUE(r.grips);
    ASSERT_GE(r.phases.size(), 3u);  // the spring is loaded, the wheel slides, the spring oscillates
    EXPECT_EQ(r.phases[1].phase, RollingPhase::slip);
    EXPECT_NEAR(r.ideal_velocity, 5 / (1 + 0.5 / (10 * 0.09)), 1e-12);
    // (RW6)
    EXPECT_NEAR(r.largest_gap_after_grip, w.mu * w.load * std::sqrt(beta / c), 1e-9 * r.largest_gap_after_grip);
    double mean = 0, worst = 0;
    const double period = 2 * M_PI / std::sqrt(beta * c), from = r.phases.back().t;
    for (int i = 0; i < 1000; ++i) {
      const WheelState s = r.at(from + period * i / 1000).value();
      mean += s.v / 1000;
      worst = std::max(worst, std::abs(s.v - r.ideal_velocity));
      EXPECT_NEAR(w.mass * s.v + w.inertia * s.omega / w.radius, 50, 1e-11);
    }
    EXPECT_NEAR(mean, r.ideal_velocity, 1e-10);
    EXPECT_NEAR(worst, r.largest_gap_after_grip / (beta * w.mass), 1e-4 * worst);
    const double lateness = std::abs(r.phases[2].t - skid) / skid;
    if (last > 0) {
      EXPECT_NEAR(lateness / last, 0.01, 0.005);
    }
    last = lateness;
  }
}

TEST(Rolling, DrivenWheelHoldsToWhatFrictionAllows) {
  // Ideal traction: F ≤ μN with torque T gives v̇ = T/(R(m + J/R²)); above the limit it spins.
  Wheel w = skidding();
  w.velocity = 0;
  const double total = w.mass + w.inertia / (w.radius * w.radius);
  w.torque = 0.8 * w.mu * w.load * w.radius * total / w.mass / 2;  // half, as the spring swings to twice the mean
  const Rolling grips = run(w, 2);
  ASSERT_EQ(grips.phases.size(), 1u);
  // The oscillation of the spring about its mean, (RW3), remains in the velocity.
  const double beta = 1 / w.mass + w.radius * w.radius / w.inertia;
  const double swing = w.radius * w.torque / w.inertia / std::sqrt(beta * w.stiffness) / (beta * w.mass);
  EXPECT_NEAR(grips.at(2).value().v, 2 * w.torque / w.radius / total, swing * (1 + 1e-9));
  w.torque = 1.5 * w.mu * w.load * w.radius * total / w.mass;
  const Rolling spins = run(w, 2);
  EXPECT_FALSE(spins.grips);
  EXPECT_NEAR(spins.at(2).value().friction_force, w.mu * w.load, 1e-12);
  EXPECT_LT(spins.at(2).value().gap, -1);
}

TEST(Rolling, GeneralSolverAgreesAndTheLedgerCloses) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> u(-1, 1);
  int phases = 0;
  for (int i = 0; i < 200; ++i) {
    Wheel w{.radius = 0.1 + std::abs(u(random)),
            .mass = 0.5 + std::abs(u(random)),
            .inertia = 0.01 + std::abs(u(random)),
            .load = 5 + std::abs(u(random)),
            .stiffness = 200 + 800 * std::abs(u(random)),
            .mu = 0.1 + std::abs(u(random)),
            .velocity = u(random),
            .spin = 2 * u(random)};
    if (i % 2 == 0) w.force = 8 * u(random), w.torque = 4 * u(random);
    w.deflection = 0.9 * u(random) * w.mu * w.load / w.stiffness;
    const double duration = 2;
    const Rolling r = run(w, duration);
    const WheelState end = r.at(duration).value();
    const std::vector<double> other = by_cvode(w, duration);
    phases += static_cast<int>(r.phases.size());
    EXPECT_NEAR(end.v, other[0], 1e-9) << i;
    EXPECT_NEAR(end.omega, other[1], 1e-8) << i;
    EXPECT_NEAR(end.xi, other[2], 1e-9) << i;
    EXPECT_NEAR(end.friction, other[3], 1e-9) << i;
    const WheelState start = r.phases.front();
    for (int k = 0; k <= 50; ++k) {
      const WheelState s = r.at(duration * k / 50).value();
      const double change = s.kinetic + s.spring + s.friction - s.drive - (start.kinetic + start.spring);
      EXPECT_LT(std::abs(change), 1e-12 * (start.kinetic + s.kinetic + s.friction + std::abs(s.drive) + 1)) << i;
      EXPECT_LE(std::abs(s.friction_force), w.mu * w.load * (1 + 1e-12));
      EXPECT_NEAR(s.gap, s.v - w.radius * s.omega, 1e-11);
    }
  }
  EXPECT_GT(phases, 500);
}

TEST(Rolling, EverythingIsContinuousWherePhasesMeet) {
  const Rolling r = run(skidding(), 0.5);
  ASSERT_GT(r.phases.size(), 2u);
  for (std::size_t i = 1; i < r.phases.size(); ++i) {
    const double t = r.phases[i].t, h = 1e-9;
    const WheelState before = r.at(t - h).value(), after = r.at(t + h).value();
    EXPECT_NEAR(before.v, after.v, 1e-7);
    EXPECT_NEAR(before.friction_force, after.friction_force, 1e-2);
    EXPECT_NEAR(before.xi, after.xi, 1e-7);
    EXPECT_NEAR(before.x, after.x, 1e-7);
    EXPECT_NEAR(before.friction, after.friction, 1e-5);
  }
}

TEST(Rolling, WithoutFrictionNothingChanges_WithInfiniteFrictionItNeverSlides) {
  Wheel w = skidding();
  w.mu = 0;
  const Rolling free = run(w, 1);
  EXPECT_EQ(free.at(1).value().v, 5);
  EXPECT_EQ(free.at(1).value().omega, 0);
  w.mu = infinity;
  const Rolling held = run(w, 1);
  ASSERT_EQ(held.phases.size(), 1u);
  // All the energy of the gap goes back and forth: |V| stays V₀.
  EXPECT_NEAR(held.largest_gap_after_grip, 5, 1e-12);
  EXPECT_EQ(held.at(1).value().friction, 0);
}

TEST(Rolling, RefusalsNameTheField) {
  const auto refused = [](const char* field, const auto& spoil, double duration = 1) {
    Wheel w = skidding();
    spoil(w);
    const auto result = roll(w, duration);
    ASSERT_FALSE(result) << field;
    EXPECT_EQ(result.error().path, field);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refused("radius", [](Wheel& w) { w.radius = 0; });
  refused("mass", [=](Wheel& w) { w.mass = nan; });
  refused("inertia", [](Wheel& w) { w.inertia = -1; });
  refused("load", [](Wheel& w) { w.load = 0; });
  refused("stiffness", [](Wheel& w) { w.stiffness = infinity; });
  refused("mu", [](Wheel& w) { w.mu = -1; });
  refused("velocity", [=](Wheel& w) { w.velocity = nan; });
  refused("spin", [](Wheel& w) { w.spin = infinity; });
  refused("force", [=](Wheel& w) { w.force = nan; });
  refused("torque", [=](Wheel& w) { w.torque = nan; });
  refused("deflection", [](Wheel& w) { w.deflection = 1; });
  refused(
      "duration", [](Wheel&) {}, 0);
  const Rolling r = run(skidding(), 1);
  EXPECT_FALSE(r.at(-0.1));
  EXPECT_FALSE(r.at(1.1));
  EXPECT_FALSE(r.at(nan));
}

TEST(Rolling, DrivenWheel_HasTheIdealVelocityOfItsDrive) {
  // A wheel that grips without limit rolls ideally in the mean: its momentum m v + J ω/R is what the drive has given
  // it.
  Wheel w = skidding();
  w.velocity = w.spin = 0;
  w.mu = std::numeric_limits<double>::infinity();
  w.force = 3;
  w.torque = 4;
  w.stiffness = 1e9;
  const Rolling r = run(w, 0.5);
  const double expected = (3 + 4 / w.radius) * 0.5 / (w.mass + w.inertia / (w.radius * w.radius));
  EXPECT_NEAR(r.ideal_velocity, expected, 1e-12);
  EXPECT_NEAR(r.at(0.5).value().v, expected, 1e-3);
}

}  // namespace
}  // namespace ricochet::compliant
