/// Rods on ball joints, swinging in a plane. A uniform rod of half length l about its end has J = 4/3 m l² and
/// θ̈ = −ω₀² sin θ with ω₀² = 3g/(4l); from rest at θ₀ it passes the vertical after K(sin θ₀/2)/ω₀, with θ̇ = 2 ω₀
/// sin(θ₀/2) (Landau & Lifshitz, Mechanics, §11).

#include <gtest/gtest.h>

#include <array>
#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <numbers>

#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr double swing_half = 0.4, swing_mass = 1.3;

/// Hangs from `from` at the angle θ from straight down, at rest. Nothing to collide with.
WorldBody hanging(const Vec3& from, double theta) {
  WorldBody out = rod(swing_half, 0, swing_mass, from + swing_half * Vec3(std::sin(theta), 0, -std::cos(theta)));
  out.body.orientation = raised(theta - std::numbers::pi / 2);
  out.shapes.clear();
  return out;
}

WorldBody pivot() {
  WorldBody out;
  out.name = "pivot";
  out.body.fixed = true;
  return out;
}

TEST(Pendulum, PassesTheVerticalAfterAQuarterOfItsEllipticPeriod) {
  Deviation place("place"), speed("velocity"), energy("imbalance");
  for (const double theta : {0.1, 1.5, 3.0}) {
    World world = world_of({pivot(), hanging(Vec3::Zero(), theta)}, {Frictionless{}});
    world.joints.push_back({0, 1, Vec3::Zero()});
    const double rate = std::sqrt(3 * gravity / (4 * swing_half));
    const double quarter = boost::math::ellint_1(std::sin(theta / 2)) / rate;
    // After 9 quarters it moves as after the first: θ̇ < 0, at the bottom.
    const Ran ran = run_world(std::move(world), 9 * quarter);
    ASSERT_TRUE(ran.ok);
    const double spin = 2 * rate * std::sin(theta / 2);
    place.add(ran.poses[1].position, {0, 0, -swing_half}, swing_half);
    speed.add(ran.poses[1].velocity, {-swing_half * spin, 0, 0}, swing_half * spin);
    speed.add(ran.poses[1].angular_velocity, {0, spin, 0}, spin);
    energy.add(ran.ledger.imbalance(), 0, swing_mass * gravity * swing_half);
  }
  EXPECT_LT(place.largest(), 1e-8);
  EXPECT_LT(speed.largest(), 1e-8);
  EXPECT_LT(energy.largest(), 1e-10);
}

// Two equal rods of length L, angles from straight down, c and s of θ₁ − θ₂:
//   (4/3) θ̈₁ + ½ c θ̈₂ + ½ s θ̇₂² + (3/2)(g/L) sin θ₁ = 0
//   ½ c θ̈₁ + (1/3) θ̈₂ − ½ s θ̇₁² + ½ (g/L) sin θ₂ = 0
using TwoAngles = std::array<long double, 4>;

TwoAngles swing(TwoAngles y, long double duration) {
  const long double k = static_cast<long double>(gravity) / (2 * static_cast<long double>(swing_half));
  const auto rate = [&](const TwoAngles& x, TwoAngles& d, long double) {
    const long double c = std::cos(x[0] - x[1]), s = std::sin(x[0] - x[1]);
    const long double a = -s * x[3] * x[3] / 2 - 1.5L * k * std::sin(x[0]);
    const long double b = s * x[2] * x[2] / 2 - k * std::sin(x[1]) / 2;
    const long double det = 4 / 9.0L - c * c / 4;
    d = {x[2], x[3], (a / 3 - c * b / 2) / det, (4 * b / 3 - c * a / 2) / det};
  };
  namespace ode = boost::numeric::odeint;
  using Stepper = ode::runge_kutta_fehlberg78<TwoAngles, long double>;
  ode::integrate_adaptive(ode::make_controlled(1e-17L, 1e-17L, Stepper()), rate, y, 0.0L, duration, 1e-3L);
  return y;
}

TEST(DoublePendulum, SwingsAsItsTwoEquationsSay) {
  const double first = 1.9, second = -0.4, T = 2;
  const Vec3 elbow = 2 * swing_half * Vec3(std::sin(first), 0, -std::cos(first));
  World world = world_of({pivot(), hanging(Vec3::Zero(), first), hanging(elbow, second)}, {Frictionless{}});
  world.joints.push_back({0, 1, Vec3::Zero()});
  world.joints.push_back({1, 2, elbow});
  const Ran ran = run_world(std::move(world), T);
  ASSERT_TRUE(ran.ok);
  const TwoAngles end = swing({first, second, 0, 0}, T);
  const auto way = [](long double x) {
    return Vec3(static_cast<double>(std::sin(x)), 0, static_cast<double>(-std::cos(x)));
  };
  Deviation place("place"), speed("spin"), joint("joint_drift");
  place.add(ran.poses[1].position, swing_half * way(end[0]), swing_half);
  place.add(ran.poses[2].position, 2 * swing_half * way(end[0]) + swing_half * way(end[1]), swing_half);
  speed.add(-ran.poses[1].angular_velocity.y(), static_cast<double>(end[2]), 10);
  speed.add(-ran.poses[2].angular_velocity.y(), static_cast<double>(end[3]), 10);
  const Vec3 one = ran.poses[1].position + ran.poses[1].orientation * Vec3(swing_half, 0, 0);
  const Vec3 two = ran.poses[2].position - ran.poses[2].orientation * Vec3(swing_half, 0, 0);
  joint.add(one, two, swing_half);
  EXPECT_LT(place.largest(), 1e-8);
  EXPECT_LT(speed.largest(), 1e-8);
  EXPECT_LT(joint.largest(), 1e-9);
  EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-10 * swing_mass * gravity * swing_half);
}

}  // namespace
}  // namespace ricochet::motion
