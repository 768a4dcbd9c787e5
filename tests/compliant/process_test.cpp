#include "ricochet/compliant/process.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "random_contact.hpp"

namespace ricochet::compliant {
namespace {

using testing::Rng;
using testing::uniform;

TEST(Process, EveryPoint_BalancesItsEnergyAndStaysInTheCone) {
  Rng rng(51);
  for (int i = 0; i < 60; ++i) {
    const Contact c = i % 2 == 0 ? testing::random_planar_contact(rng, 1) : testing::random_contact(rng, 1);
    const Damper damper = std::array{Damper::hysteretic, Damper::linear, Damper::hunt_crossley}[i % 3];
    // Without a limit to friction the springs are still loaded when contact ends.
    const double mu = i % 5 == 4 ? std::numeric_limits<double>::infinity() : uniform(rng, 0.05, 1.5);
    const SpringSledge law{testing::log_uniform(rng, -1, 1), mu, uniform(rng, 0.2, 1), damper};
    const auto p = process(law, c, {.points_per_phase = 8});
    ASSERT_TRUE(p) << p.error().message() << ", case " << i;
    ASSERT_GE(p->points.size(), 3U);
    double before = -1;
    for (const ProcessPoint& point : p->points) {
      ASSERT_GE(point.time, before);
      before = point.time;
      const Vec3 V = c.V + c.W * point.P;
      ASSERT_LT((V - point.V).norm(), 1e-12 * (1 + V.norm()) * c.M.norm() * c.W.norm());
      const double kinetic = point.P.dot(c.V + 0.5 * c.W * point.P);
      const double stored = point.stored_normal + point.stored_tangential,
                   lost = point.lost_normal + point.lost_friction;
      const double terms = 0.5 * c.V.dot(c.M * c.V) + point.P.norm() * (c.V.norm() + (c.W * point.P).norm());
      ASSERT_NEAR(kinetic + stored + lost, 0, 1e-10 * terms) << "case " << i << " time " << point.time;
      const double F_t = std::hypot(point.force(1), point.force(2));
      if (std::isfinite(law.mu)) {
        ASSERT_LE(F_t, law.mu * point.force(0) + 1e-9 * (1 + F_t)) << "case " << i;
      }
      ASSERT_GE(point.force(0), -1e-9);
    }
    EXPECT_EQ(p->points.front().P, Vec3::Zero());
    EXPECT_LT((p->points.back().P - p->P).norm(), 1e-12 * (1 + p->P.norm()) * c.M.norm());
    EXPECT_NEAR(p->points.back().time, p->duration, 1e-12 * p->duration);
    // The phases cover the time without gaps.
    double clock = 0;
    for (const ProcessPhase& phase : p->phases) {
      EXPECT_NEAR(phase.start, clock, 1e-12 * (1 + clock));
      clock = phase.start + phase.length;
    }
    EXPECT_NEAR(clock, p->duration, 1e-12 * (1 + clock));
  }
}

/// Without a limit to friction contact ends on loaded springs: what they hold is stored until then, and lost after.
TEST(Process, SpringsStillLoadedAtTheEnd_AreInTheLedger) {
  const Mat3 W = (Mat3() << 1, 0.5, 0, 0.5, 2, 0, 0, 0, 1).finished();
  const Contact c = contact_from_mobility(W, Vec3(-1, 0.4, 0), Vec3::UnitX()).value();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const Damper damper : {Damper::hysteretic, Damper::linear, Damper::hunt_crossley}) {
    for (int i = 0; i < 24; ++i) {
      const SpringSledge law{0.02 * std::pow(1.4, i), infinity, 0.3, damper};
      const auto p = process(law, c, {.points_per_phase = 3});
      ASSERT_TRUE(p) << p.error().message();
      for (const ProcessPoint& point : p->points) {
        const double kinetic = point.P.dot(c.V + 0.5 * c.W * point.P);
        const double stored = point.stored_normal + point.stored_tangential;
        EXPECT_NEAR(kinetic + stored + point.lost_normal + point.lost_friction, 0, 1e-12)
            << "damper " << static_cast<int>(damper) << " kappa " << law.kappa << " time " << point.time;
      }
      const ProcessPoint& last = p->points.back();
      EXPECT_EQ(last.stored_normal + last.stored_tangential, 0);
      EXPECT_GT(last.lost_friction, 0);
    }
  }
}

TEST(Process, GrazingContactThatFrictionDrivesDeeper_TakesTheTimeOfItsExponential) {
  // CR98 Fig. 6. While it slides, N'' = −ν N with ν = n·W(n + μ t)/n·Wn < 0, so that v_n = v_n(0) cosh(√−ν t).
  const Mat3 M = (Mat3() << 2, 0.9, 0, 0.9, 1, 0, 0, 0, 1).finished();
  const Contact c = contact_from_mass(M, Vec3(-1e-9, -1, 0), Vec3::UnitX()).value();
  const double mu = 2.5, nu = (c.W(0, 0) + mu * c.W(0, 1)) / c.W(0, 0);
  ASSERT_LT(nu, 0);
  const auto p = process({0.8, mu, 0.5}, c).value();
  ASSERT_FALSE(p.phases.front().sticks);
  double before = -1;
  const ProcessPoint* last = nullptr;
  for (const ProcessPoint& point : p.points) {
    ASSERT_TRUE(point.P.allFinite() && point.force.allFinite() && std::isfinite(point.time));
    ASSERT_GE(point.time, before);
    before = point.time;
    if (point.phase == 0) last = &point;
  }
  EXPECT_NEAR(last->time, std::acosh(last->V.x() / -1e-9) / std::sqrt(-nu), 1e-9 * last->time);
  EXPECT_NEAR(p.phases.front().length, last->time, 1e-12 * last->time);
}

TEST(Process, Stiffness_GivesSeconds) {
  // A 0.5 kg body on a spring of 2e4 N/m stays for half a period; v √(c m) is the largest force, v √(m/c) the depth.
  const Contact c = contact_from_mass(0.5 * Mat3::Identity(), Vec3(0, -2, 0), Vec3::UnitY()).value();
  const auto p = process({0.8, 0, 1}, c, {.points_per_phase = 200, .stiffness = 2e4}).value();
  EXPECT_NEAR(p.duration, std::numbers::pi * std::sqrt(0.5 / 2e4), 1e-15);
  double force = 0, depth = 0;
  for (const auto& point : p.points) {
    force = std::max(force, point.force(0));
    depth = std::max(depth, point.deflection(0));
  }
  EXPECT_NEAR(force, 2 * std::sqrt(2e4 * 0.5), 1e-2);
  EXPECT_NEAR(depth, 2 * std::sqrt(0.5 / 2e4), 1e-6);
}

TEST(Process, ForceIsTheRateOfTheImpulse) {
  const Contact c = contact_from_mobility(Vec3(1, 3.5, 3.5).asDiagonal(), Vec3(-1, 0.8, 0.1), Vec3::UnitX()).value();
  const auto p = process({0.8, 0.4, 0.7}, c, {.points_per_phase = 400}).value();
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 1; i < p.points.size(); ++i)
    sum += 0.5 * (p.points[i].force + p.points[i - 1].force) * (p.points[i].time - p.points[i - 1].time);
  // Dimensionless force and time: the impulse in units of |V_n|/W_nn, which is 1 here.
  EXPECT_LT((sum - p.points.back().P_local).norm(), 1e-4);
}

TEST(Process, BadInput_IsNamed) {
  const Contact c = contact_from_mass(Mat3::Identity(), Vec3(0, 0, -1), Vec3::UnitZ()).value();
  const auto field = [&](const SpringSledge& law, const Contact& contact, const ProcessOptions& options) {
    const auto p = process(law, contact, options);
    return p ? std::string("none") : p.error().field;
  };
  EXPECT_EQ(field({0, 0.3, 1}, c, {}), "kappa");
  EXPECT_EQ(field({1, 0.3, 1}, c, {.points_per_phase = 0}), "points_per_phase");
  EXPECT_EQ(field({1, 0.3, 1}, c, {.stiffness = -1.0}), "stiffness");
  Contact parting = c;
  parting.V = -c.V;
  EXPECT_EQ(field({1, 0.3, 1}, parting, {}), "V");
}

}  // namespace
}  // namespace ricochet::compliant
