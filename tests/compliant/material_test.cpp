#include "ricochet/compliant/material.hpp"

#include <gtest/gtest.h>

#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "numbers.hpp"
#include "ricochet/compliant/damper.hpp"

namespace ricochet::compliant {
namespace {

using testing::infinity;
const ElasticSphere steel{.E = 210e9, .nu = 0.3, .density = 7800, .radius = 0.01};
const ElasticSphere glass{.E = 70e9, .nu = 0.22, .density = 2500, .radius = 0.004};
const ElasticSphere steel_wall{.E = 210e9, .nu = 0.3, .density = 0, .radius = infinity};

/// A central impact followed step by step: contact time, largest force, largest deflection, speed of rebound.
struct Followed {
  double time = 0, force = 0, deflection = 0, rebound = 0;
};
template <class Force>
Followed follow(double mass, double speed, double expected_time, const Force& force) {
  using State = std::array<double, 2>;  // deflection and its rate
  boost::numeric::odeint::runge_kutta4<State> stepper;
  State x{0, speed};
  Followed out;
  const double dt = expected_time / 40000;
  const auto rhs = [&](const State& s, State& d, double) {
    d[0] = s[1];
    d[1] = -force(s[0], s[1]) / mass;
  };
  for (double t = 0; t < 3 * expected_time; t += dt) {
    const State before = x;
    stepper.do_step(rhs, x, t, dt);
    out.force = std::max(out.force, force(x[0], x[1]));
    out.deflection = std::max(out.deflection, x[0]);
    if (force(x[0], x[1]) <= 0) {
      const double a = force(before[0], before[1]), share = a / (a - force(x[0], x[1]));
      out.time = t + share * dt;
      out.rebound = -(before[1] + share * (x[1] - before[1]));
      return out;
    }
  }
  return out;
}

TEST(Material, LikeSpheres_KappaIsMindlins) {
  // M49: k_t/k_n = 2(1−ν)/(2−ν); REG quotes 0.824 for ν = 0.3.
  for (const double nu : {0.0, 0.1, 0.3, 0.45, 0.5}) {
    ElasticSphere one = steel;
    one.nu = nu;
    const auto hit = hertz_impact(one, one, 1.0);
    ASSERT_TRUE(hit);
    EXPECT_NEAR(hit->kappa, 2 * (1 - nu) / (2 - nu), 1e-14);
  }
  EXPECT_NEAR(hertz_impact(steel, steel, 1.0)->kappa, 0.824, 5e-4);
}

TEST(Material, UnlikeSpheres_StiffnessesAreThoseOfTwoCompliancesInSeries) {
  // Each body's own compliance under a circle of radius a: (1−ν²)/(2aE) along, (2−ν)/(8aG) across the normal (M49).
  const auto hit = hertz_impact(steel, glass, 1.0);
  ASSERT_TRUE(hit);
  const double a = 1e-4;
  double normal = 0, tangential = 0;
  for (const ElasticSphere& s : {steel, glass}) {
    normal += (1 - s.nu * s.nu) / (2 * a * s.E);
    tangential += (2 - s.nu) * (1 + s.nu) / (4 * a * s.E);
  }
  EXPECT_NEAR(hit->kappa, normal / tangential, 1e-14);
}

TEST(Material, HertzImpact_AgreesWithIntegration) {
  for (const auto& [A, B] : {std::pair{steel, steel}, {steel, glass}, {glass, steel_wall}}) {
    for (const double speed : {0.01, 1.0, 5.0}) {
      const auto hit = hertz_impact(A, B, speed);
      ASSERT_TRUE(hit);
      const double k = 4.0 / 3 * hit->E * std::sqrt(hit->radius);
      const auto ran = follow(hit->mass, speed, hit->contact_time,
                              [&](double x, double) { return x > 0 ? k * x * std::sqrt(x) : 0; });
      EXPECT_NEAR(hit->contact_time, ran.time, 1e-4 * ran.time);
      EXPECT_NEAR(hit->force, ran.force, 1e-6 * ran.force);
      EXPECT_NEAR(hit->deflection, ran.deflection, 1e-6 * ran.deflection);
      EXPECT_NEAR(ran.rebound, speed, 1e-4 * speed);
    }
  }
}

TEST(Material, SteelBallOnSteelWall_ClosedFormOfHertz) {
  // The published form of the contact time, 2.87 (m*²/(R* E*² v))^(1/5).
  const auto hit = hertz_impact(steel, steel_wall, 1.0);
  ASSERT_TRUE(hit);
  const double m = 7800 * 4.0 / 3 * std::numbers::pi * 1e-6;
  EXPECT_NEAR(hit->mass, m, 1e-12 * m);
  EXPECT_NEAR(hit->radius, 0.01, 1e-15);
  EXPECT_NEAR(hit->contact_time, 2.87 * std::pow(m * m / (0.01 * hit->E * hit->E * 1.0), 0.2),
              2e-3 * hit->contact_time);
  EXPECT_NEAR(hit->pressure, 1.5 * hit->force / (std::numbers::pi * hit->contact_radius * hit->contact_radius),
              1e-12 * hit->pressure);
}

TEST(Material, LinearSpring_SharesWhatItIsAskedToShare) {
  const auto hit = hertz_impact(steel, glass, 2.0);
  ASSERT_TRUE(hit);
  for (const Match match : {Match::contact_time, Match::force, Match::deflection}) {
    const auto c = linear_contact(*hit, match, 1.0);
    ASSERT_TRUE(c);
    EXPECT_EQ(c->damping, 0);
    EXPECT_NEAR(c->k_t, hit->kappa * c->k_n, 1e-12 * c->k_t);
    const auto ran =
        follow(hit->mass, 2.0, c->contact_time, [&](double x, double) { return x > 0 ? c->k_n * x : -1e-30; });
    EXPECT_NEAR(ran.time, c->contact_time, 1e-6 * c->contact_time);
    if (match == Match::contact_time) {
      EXPECT_NEAR(ran.time, hit->contact_time, 1e-6 * hit->contact_time);
    }
    if (match == Match::force) {
      EXPECT_NEAR(ran.force, hit->force, 1e-6 * hit->force);
    }
    if (match == Match::deflection) {
      EXPECT_NEAR(ran.deflection, hit->deflection, 1e-6 * hit->deflection);
    }
  }
}

TEST(Material, Damper_ReturnsTheRestitutionAskedFor) {
  const auto hit = hertz_impact(steel, steel_wall, 1.0);
  ASSERT_TRUE(hit);
  for (const double e : {0.05, 0.3, 0.7, 0.95, 1.0}) {
    const auto c = linear_contact(*hit, Match::contact_time, e);
    ASSERT_TRUE(c);
    // Force without tension: the contact ends where it would become tensile.
    const auto ran =
        follow(hit->mass, 1.0, c->contact_time, [&](double x, double v) { return c->k_n * x + c->damping * v; });
    EXPECT_NEAR(ran.rebound, e, 1e-6) << e;
    EXPECT_NEAR(ran.time, c->contact_time, 1e-5 * c->contact_time) << e;
  }
}

TEST(Material, BadConstants_AreNamed) {
  const auto refused = [](ElasticSphere A, ElasticSphere B, double speed) {
    const auto hit = hertz_impact(A, B, speed);
    return hit ? std::string("accepted") : hit.error().path;
  };
  ElasticSphere bad = steel;
  bad.E = -1;
  EXPECT_EQ(refused(bad, steel, 1), "E");
  EXPECT_EQ(refused(steel, bad, 1), "E2");
  bad = steel;
  bad.nu = 0.51;
  EXPECT_EQ(refused(bad, steel, 1), "nu");
  bad.nu = std::nan("");
  EXPECT_EQ(refused(steel, bad, 1), "nu2");
  bad = steel;
  bad.density = 0;
  EXPECT_EQ(refused(bad, steel, 1), "density");
  bad = steel;
  bad.radius = 0;
  EXPECT_EQ(refused(bad, steel, 1), "radius");
  EXPECT_EQ(refused(steel_wall, steel_wall, 1), "radius2");
  EXPECT_EQ(refused(steel, steel, 0), "speed");
  EXPECT_EQ(refused(steel, steel, infinity), "speed");
  EXPECT_FALSE(linear_contact(*hertz_impact(steel, steel, 1), Match::force, 1e-5));
  EXPECT_FALSE(linear_contact(*hertz_impact(steel, steel, 1), Match::force, 1.01));
}

TEST(Material, LimitsOfValidity_AreSaidWhereTheyAreExceeded) {
  EXPECT_TRUE(beyond_validity(*hertz_impact(steel, steel_wall, 0.1)).empty());
  ElasticSphere soft = steel;
  soft.yield = 300e6;  // mild steel: dents already when dropped from a few millimetres
  EXPECT_EQ(beyond_validity(*hertz_impact(soft, steel_wall, 1.0)).size(), 1U);
  const ElasticSphere jelly{.E = 1e4, .nu = 0.49, .density = 1000, .radius = 0.03};
  EXPECT_GE(beyond_validity(*hertz_impact(jelly, jelly, 1.0)).size(), 2U);
}

}  // namespace
}  // namespace ricochet::compliant
