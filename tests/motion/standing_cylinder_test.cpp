/// A standing cylinder of radius r and height 2h tips over its rim in any direction: under a push F at its centre where
/// F h = m g r, on a slope where tan α = r/h. It then turns about the point of the rim that is foremost:
///   (J + m (h² + r²)) θ̈ = F (h cos θ + r sin θ) − m g (r cos θ − h sin θ)

#include <gtest/gtest.h>

#include <array>
#include <boost/numeric/odeint.hpp>
#include <cmath>

#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr double r = 0.1, h = 0.25, m = 2;
constexpr double J = m * (3 * r * r + 4 * h * h) / 12;

WorldBody standing(double z) {
  WorldBody out;
  out.name = "cylinder";
  out.body.mass = m;
  out.body.inertia = Vec3(J, J, m * r * r / 2).asDiagonal();
  out.body.position = {0, 0, z};
  ConvexShape shape;
  shape.core = ConvexShape::Core::cylinder;
  shape.size = {r, r, h};
  out.shapes.push_back(shape);
  return out;
}

WorldBody table() {
  WorldBody out = block({1, 1, 0.5}, 1, {0, 0, -0.5}, Vec3::Zero(), "table");
  out.body.fixed = true;
  return out;
}

const PairLaw rough{Routh{.e = 0, .mu = 2}, 2, 2};

/// θ and θ̇ after the time since the push k t began to tip it.
std::array<long double, 2> tipped(double k, double begins, double ends) {
  std::array<long double, 2> x{0, 0};
  const auto rate = [&](const std::array<long double, 2>& s, std::array<long double, 2>& d, long double t) {
    const long double c = std::cos(s[0]), sine = std::sin(s[0]), inertia = J + m * (h * h + r * r);
    d = {s[1], (k * t * (h * c + r * sine) - m * gravity * (r * c - h * sine)) / inertia};
  };
  namespace ode = boost::numeric::odeint;
  using Stepper = ode::runge_kutta_fehlberg78<std::array<long double, 2>, long double>;
  ode::integrate_adaptive(ode::make_controlled(1e-17L, 1e-17L, Stepper()), rate, x, static_cast<long double>(begins),
                          static_cast<long double>(ends), 1e-3L);
  return x;
}

TEST(StandingCylinder, PushedHarderAndHarder_TipsOverItsRimInAnyDirection) {
  const double k = 4, begins = m * gravity * r / (h * k);
  Deviation spin("spin"), way("direction");
  for (const WorldBody& below : {ground(), table()})
    for (const double azimuth : {0.0, 0.35, 0.785, 2.0, 4.4}) {
      const Vec3 along(std::cos(azimuth), std::sin(azimuth), 0);
      World world = world_of({below, standing(h)}, rough);
      world.forces.push_back({1, {0, 10}, {Vec3::Zero(), Vec3(10 * k * along)}, {Vec3::Zero(), Vec3::Zero()}});
      const Ran before = run_world(world, begins * (1 - 1e-9)), after = run_world(world, begins + 0.15);
      ASSERT_TRUE(before.ok && after.ok);
      EXPECT_LT(before.poses[1].angular_velocity.norm(), 1e-12);
      const Vec3 w = after.poses[1].angular_velocity;
      spin.add(w.norm(), static_cast<double>(tipped(k, begins, begins + 0.15)[1]));
      way.add(w.normalized(), Vec3::UnitZ().cross(along), 1);
    }
  EXPECT_LT(spin.largest(), 1e-6);
  EXPECT_LT(way.largest(), 1e-6);
}

TEST(StandingCylinder, OnASlope_TipsBeyondTheAngleOfItsRim) {
  for (const double azimuth : {0.2, 0.7, 3.5})
    for (const double off : {-1e-6, 1e-6}) {
      const double angle = std::atan(r / h) * (1 + off);
      const Vec3 g =
          gravity * Vec3(std::sin(angle) * std::cos(azimuth), std::sin(angle) * std::sin(azimuth), -std::cos(angle));
      const Ran ran = run_world(world_of({ground(), standing(h)}, rough, g), 1);
      ASSERT_TRUE(ran.ok);
      const double w = ran.poses[1].angular_velocity.norm();
      if (off < 0)
        EXPECT_LT(w, 1e-12);
      else
        EXPECT_GT(w, 1e-6);
    }
}

// On four corners of a square it would not: a push in the direction of a side's middle tips it sooner.
TEST(StandingCylinder, SlidesWithoutTipping_WhenItsFrictionActsWithinItsRim) {
  // μ h < r: friction alone does not tip it.
  const double mu = 0.9 * r / h, v = 1.5;
  for (const double azimuth : {0.0, 0.4, 0.785}) {
    WorldBody body = standing(h);
    body.body.velocity = v * Vec3(std::cos(azimuth), std::sin(azimuth), 0);
    const Ran ran = run_world(world_of({ground(), body}, {Routh{.e = 0, .mu = mu}, mu, mu}), 1);
    ASSERT_TRUE(ran.ok);
    EXPECT_NEAR(ran.poses[1].position.head<2>().norm(), v * v / (2 * mu * gravity), 1e-12);
    EXPECT_LT(ran.poses[1].angular_velocity.norm(), 1e-12);
  }
}

}  // namespace
}  // namespace ricochet::motion
