/// A slender rod, half length l, m l²/J = 3, that falls on one end and clatters (GPS98). θ is its angle to the floor,
/// its ends are at z ± l sin θ.
///
/// A smooth impact at the end s = ±1 with approach V = ż + s l θ̇ cos θ < 0 has
///   P = −(1 + e) m V/(1 + 3cos²θ),   Δż = P/m,   Δθ̇ = 3 s P cos θ/(m l)
/// and between impacts z is a parabola and θ̇ constant.

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "motion/quadrature.hpp"
#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr double rod_half = 0.6, rod_mass = 1.5;
constexpr long double rod_g = gravity, rod_l = rod_half;

World falling_rod(const PairLaw& law, double theta, double lowest, double radius, double down = 0) {
  WorldBody stick = rod(rod_half, radius, rod_mass, {0, 0, lowest + radius + rod_half * std::sin(theta)});
  stick.body.orientation = raised(theta);
  stick.body.velocity = {0, 0, -down};
  return world_of({ground(), stick}, law);
}

struct RodFlight {
  long double t, z, v, theta, spin;

  [[nodiscard]] long double height(int s, long double tau) const {
    return z + v * tau - rod_g * tau * tau / 2 + s * rod_l * std::sin(theta + spin * tau);
  }
  /// To the next touch: the first change of sign on a grid of 20 µs, then bisection. A flight is much longer.
  [[nodiscard]] std::pair<int, long double> next() const {
    constexpr long double step = 2e-5L;
    for (long double a = step; a < 10; a += step)
      for (const int s : {-1, 1}) {
        if (height(s, a + step) >= 0) continue;
        long double low = a, high = a + step;
        for (int k = 0; k < 80; ++k) {
          const long double middle = (low + high) / 2;
          (height(s, middle) < 0 ? high : low) = middle;
        }
        return {s, low};
      }
    return {0, 0};
  }
  void fly(long double tau) {
    t += tau;
    z += v * tau - rod_g * tau * tau / 2;
    v -= rod_g * tau;
    theta += spin * tau;
  }
  void bounce(int s, long double e) {
    const long double c = std::cos(theta);
    const long double P = -(1 + e) * (v + s * rod_l * spin * c) / (1 + 3 * c * c);  // over m
    v += P;
    spin += 3 * s * P * c / rod_l;
  }
};

TEST(ClatteringRod, FirstImpact_TurnsItAsTheClosedFormSays) {
  Deviation time("impact_time"), spin("spin"), speed("velocity");
  for (const double e : {0.3, 0.8, 1.0})
    for (const double theta : {0.05, 0.7, 1.4})
      for (const double radius : {0.0, 0.02}) {
        const double h = 0.5, down = 1, fall = std::sqrt(down * down + 2 * gravity * h);
        const double t = (fall - down) / gravity;
        const Ran ran = run_world(falling_rod({Frictionless{.e = e}}, theta, h, radius, down), t + 1e-4);
        ASSERT_TRUE(ran.ok);
        const auto impacts = ran.recording.of(EventKind::impact);
        ASSERT_EQ(impacts.size(), 1U);
        time.add(impacts[0].time, t);
        const double c = std::cos(theta), P = (1 + e) * rod_mass * fall / (1 + 3 * c * c);
        speed.add(seen_from(0, impacts[0]).P, {0, 0, P}, P);
        speed.add(impacts[0].approach, fall);
        // θ̇ = −ω_y; the lower end is s = −1.
        spin.add(-ran.poses[1].angular_velocity.y(), -3 * P * c / (rod_mass * rod_half), fall / rod_half);
        EXPECT_NEAR(impacts[0].point.x(), -rod_half * c, 1e-12);
      }
  EXPECT_LT(time.largest(), 1e-12);
  EXPECT_LT(spin.largest(), 1e-12);
  EXPECT_LT(speed.largest(), 1e-12);
}

TEST(ClatteringRod, NextImpacts_AsInAFlightByBisection) {
  Deviation time("impact_time"), speed("approach");
  for (const double e : {0.5, 0.8})
    for (const double theta : {0.12, 0.45}) {
      SCOPED_TRACE(theta);
      const double h = 0.4;
      RodFlight flight{0, h + rod_l * std::sin(static_cast<long double>(theta)), 0, theta, 0};
      std::vector<std::pair<double, double>> expected;  // time and approach
      for (int k = 0; k < 6; ++k) {
        const auto [s, tau] = flight.next();
        ASSERT_NE(s, 0);
        ASSERT_GT(tau, 1e-3L) << "too short for the grid";
        flight.fly(tau);
        expected.emplace_back(static_cast<double>(flight.t),
                              static_cast<double>(-(flight.v + s * rod_l * flight.spin * std::cos(flight.theta))));
        flight.bounce(s, e);
      }
      const Ran ran = run_world(falling_rod({Frictionless{.e = e}}, theta, h, 0), expected.back().first + 1e-7);
      ASSERT_TRUE(ran.ok);
      const auto impacts = ran.recording.of(EventKind::impact);
      ASSERT_EQ(impacts.size(), expected.size());
      for (std::size_t k = 0; k < expected.size(); ++k) {
        time.add(impacts[k].time, expected[k].first);
        speed.add(impacts[k].approach, expected[k].second, 1);
      }
      EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-12 * ran.ledger.start);
    }
  EXPECT_LT(time.largest(), 1e-12);
  EXPECT_LT(speed.largest(), 1e-12);
}

// e = 0, smooth: the end stays on the floor, z = l sin θ, and ½ m l² (cos²θ + 1/3) θ̇² + m g l sin θ = E. The other end
// arrives at θ = 0, with 2 l |θ̇|, and both ends together stop the rod.
TEST(ClatteringRod, PlasticAndSmooth_SlidesDownOnItsEnd) {
  const double theta0 = 0.6, h = 0.05;
  const long double fall = std::sqrt(2 * rod_g * h), c0 = std::cos(static_cast<long double>(theta0));
  const long double spin0 = -3 * fall * c0 / (rod_l * (1 + 3 * c0 * c0));
  const auto spin_squared = [&](long double theta) {
    const auto w = [](long double x) { return std::cos(x) * std::cos(x) + 1 / 3.0L; };
    const long double lost = 2 * rod_g / rod_l * (std::sin(static_cast<long double>(theta0)) - std::sin(theta));
    return (spin0 * spin0 * w(theta0) + lost) / w(theta);
  };
  // The floor must not have to pull: N/m = g + l (θ̈ cos θ − θ̇² sin θ) with (cos²θ + 1/3) θ̈ = cos θ (θ̇² sin θ − g/l).
  for (int k = 0; k <= 100; ++k) {
    const long double x = theta0 * k / 100, c = std::cos(x), s = std::sin(x), w = spin_squared(x);
    ASSERT_GT(rod_g + rod_l * (c * c * (w * s - rod_g / rod_l) / (c * c + 1 / 3.0L) - w * s), 0);
  }
  const double land = static_cast<double>(
      fall / rod_g + integral([&](long double x) { return 1 / std::sqrt(spin_squared(x)); }, 0, theta0));
  const Ran ran = run_world(falling_rod({Frictionless{.e = 0}}, theta0, h, 0), land + 1);
  ASSERT_TRUE(ran.ok);
  const auto impacts = ran.recording.of(EventKind::impact);
  ASSERT_GE(impacts.size(), 2U);
  Deviation time("landing_time"), speed("approach");
  time.add(impacts[1].time, land);
  // Of the contacts of that instant, the end that arrives.
  double approach = 0;
  for (const Event& event : impacts)
    if (event.time >= impacts[1].time) {
      EXPECT_NEAR(event.time, land, 1e-9);
      approach = std::max(approach, event.approach);
    }
  speed.add(approach, static_cast<double>(2 * rod_l * std::sqrt(spin_squared(0))));
  EXPECT_LT(time.largest(), 1e-10);
  EXPECT_LT(speed.largest(), 1e-9);
  EXPECT_NEAR(ran.poses[1].position.z(), 0, 1e-10);
  EXPECT_NEAR(ran.poses[1].position.x(), 0, 1e-12);
  EXPECT_LT(ran.poses[1].velocity.norm() + ran.poses[1].angular_velocity.norm(), 1e-9);
  EXPECT_NEAR(ran.ledger.lost_to_impact, ran.ledger.start, 1e-9 * ran.ledger.start);
}

// e = 0, rough: the end stays where it hits. Moment of momentum about it: |θ̇| = 3 v cos θ/(4 l); then it is a pendulum,
// θ̇² = θ̇₀² + (3g/2l)(sin θ₀ − sin θ). Friction is ample and below 4/3, Painlevé's threshold.
TEST(ClatteringRod, PlasticAndRough_PivotsAboutItsEnd) {
  const double theta0 = 0.12, h = 0.002, mu = 1.2;
  const long double fall = std::sqrt(2 * rod_g * h), c0 = std::cos(static_cast<long double>(theta0));
  const long double spin0 = 3 * fall * c0 / (4 * rod_l);
  const auto spin_squared = [&](long double x) {
    return spin0 * spin0 + 1.5L * rod_g / rod_l * (std::sin(static_cast<long double>(theta0)) - std::sin(x));
  };
  // The centre is at l (cos θ, sin θ) from the end: friction F/m = ẍ, load N/m = g + z̈, θ̈ = −(3g/4l) cos θ.
  for (int k = 0; k <= 100; ++k) {
    const long double x = theta0 * k / 100, c = std::cos(x), s = std::sin(x), w = spin_squared(x);
    const long double turn = -0.75L * rod_g / rod_l * c;
    const long double F = rod_l * (-s * turn - c * w), N = rod_g + rod_l * (c * turn - s * w);
    ASSERT_GT(mu * N, std::abs(F));
  }
  const double land = static_cast<double>(
      fall / rod_g + integral([&](long double x) { return 1 / std::sqrt(spin_squared(x)); }, 0, theta0));
  const Ran ran = run_world(falling_rod({Routh{.e = 0, .mu = mu}, mu, mu}, theta0, h, 0), land + 1e-9);
  ASSERT_TRUE(ran.ok);
  const auto impacts = ran.recording.of(EventKind::impact);
  ASSERT_GE(impacts.size(), 2U);
  Deviation time("landing_time"), place("pivot");
  time.add(impacts[1].time, land);
  for (std::size_t k = 1; k < impacts.size(); ++k)
    if (impacts[k].approach > 1e-6) place.add(impacts[k].point.x() - impacts[0].point.x(), 2 * rod_half);
  EXPECT_NEAR(impacts[0].point.x(), -static_cast<double>(rod_l * c0), 1e-12);
  EXPECT_LT(time.largest(), 1e-10);
  EXPECT_LT(place.largest(), 1e-9);
}

}  // namespace
}  // namespace ricochet::motion
