#include "ricochet/compliant/process.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

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
    // Without a friction limit the springs are still loaded when contact ends.
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

/// Without a friction limit contact ends on loaded springs: their energy is stored until then, and lost after.
TEST(Process, SpringsStillLoadedAtTheEnd_AreInTheLedger) {
  const Mat3 W = (Mat3() << 1, 0.5, 0, 0.5, 2, 0, 0, 0, 1).finished();
  const Contact c = contact_from_mobility(W, Vec3(-1, 0.4, 0), Vec3::UnitX()).value();
  constexpr double no_limit = std::numeric_limits<double>::infinity();
  for (const Damper damper : {Damper::hysteretic, Damper::linear, Damper::hunt_crossley}) {
    for (int i = 0; i < 24; ++i) {
      const SpringSledge law{0.02 * std::pow(1.4, i), no_limit, 0.3, damper};
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

TEST(Process, PointsInSpace_AreEvenInTheTimeOfEveryPhase) {
  const Contact c = contact_from_mobility(Vec3(1, 3.5, 2.5).asDiagonal(), Vec3(-1, 0.8, 0.1), Vec3::UnitX()).value();
  for (const Damper damper : {Damper::hysteretic, Damper::linear, Damper::hunt_crossley}) {
    for (const int count : {1, 5, 40}) {
      const auto p = process({0.8, 0.4, 0.7, damper}, c, {.points_per_phase = count}).value();
      ASSERT_FALSE(p.closed_form);
      for (std::size_t k = 0; k < p.phases.size(); ++k) {
        const ProcessPhase& phase = p.phases[k];
        std::vector<double> times;
        for (const ProcessPoint& point : p.points)
          if (point.phase == static_cast<int>(k)) times.push_back(point.time);
        const bool last = k + 1 == p.phases.size();
        const std::size_t expected = static_cast<std::size_t>(count) + (k == 0 ? 1 : 0);
        // Springs that are still loaded at the end are shown once more, released.
        if (last && times.size() == expected + 1) times.pop_back();
        ASSERT_EQ(times.size(), expected) << "phase " << k << ", damper " << static_cast<int>(damper);
        for (std::size_t i = 0; i < times.size(); ++i) {
          const double share = std::min(1.0, static_cast<double>(i + (k == 0 ? 0 : 1)) / count);
          // The first instant is passed over in a series (L17).
          EXPECT_NEAR(times[i], phase.start + phase.length * share, 1e-5);
        }
      }
    }
  }
}

TEST(Process, TimeNeverGoesBack_AndTheForceNeverPulls) {
  Rng rng(52);
  for (int i = 0; i < 400; ++i) {
    const Contact c = i % 4 == 0 ? testing::random_contact(rng, 1) : testing::random_planar_contact(rng, 1);
    const SpringSledge law{testing::log_uniform(rng, -1, 1), uniform(rng, 0.05, 1.5), uniform(rng, 0.2, 1)};
    const auto p = process(law, c, {.points_per_phase = 7});
    ASSERT_TRUE(p) << p.error().message();
    double before = 0;
    for (const ProcessPoint& point : p->points) {
      ASSERT_GE(point.time, before) << "case " << i;
      ASSERT_GE(point.force(0), 0) << "case " << i;
      before = point.time;
    }
    ASSERT_EQ(p->points.back().time, p->duration) << "case " << i;
  }
}

TEST(Process, MorePointsThanTheLimit_AreRefused) {
  const Contact c = contact_from_mass(Mat3::Identity(), Vec3(0, 0, -1), Vec3::UnitZ()).value();
  const auto many = process({1, 0.3, 1}, c, {.points_per_phase = 2'000'000'000});
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().path, "points_per_phase");
  EXPECT_EQ(many.error().code, ErrorCode::out_of_range);
  // Thousands of phases are shown by fewer points each, unless more are asked for.
  const Mat3 W = (Mat3() << 1, 0.5, 0, 0.5, 2, 0, 0, 0, 1).finished();
  const Contact rings = contact_from_mobility(W, Vec3(-1, 0.1, 0), Vec3::UnitX()).value();
  const auto shown = process({1e7, 0.5, 1}, rings);
  ASSERT_TRUE(shown) << shown.error().message();
  EXPECT_LE(shown->points.size(), most_points + 2);
}

TEST(Process, RestitutionWhoseSquareUnderflows_IsPlastic) {
  const Mat3 W = (Mat3() << 1, 0.5, 0, 0.5, 2, 0, 0, 0, 1).finished();
  for (const Vec3& V : {Vec3(-1, 0.4, 0), Vec3(-1, 0.4, 0.2)}) {
    const Contact c = contact_from_mobility(W, V, Vec3::UnitX()).value();
    const auto plastic = process({0.8, 0.3, 0}, c).value(), tiny = process({0.8, 0.3, 1e-155}, c).value();
    EXPECT_EQ(plastic.P, tiny.P);
    EXPECT_EQ(plastic.points.size(), tiny.points.size());
  }
}

TEST(Process, StiffDampedContact_NamesTheLimitOfSteps) {
  const Mat3 W = (Mat3() << 1, 0.5, 0, 0.5, 2, 0, 0, 0, 1).finished();
  const Contact c = contact_from_mobility(W, Vec3(-1, 0.1, 0), Vec3::UnitX()).value();
  const auto p = process({1e10, 0.9, 0.5, Damper::linear}, c);
  ASSERT_FALSE(p);
  EXPECT_EQ(p.error().code, ErrorCode::not_converged);
  EXPECT_NE(p.error().message().find("limit of integration steps"), std::string::npos) << p.error().message();
}

TEST(Process, BadInput_IsNamed) {
  const Contact c = contact_from_mass(Mat3::Identity(), Vec3(0, 0, -1), Vec3::UnitZ()).value();
  const auto field = [&](const SpringSledge& law, const Contact& contact, const ProcessOptions& options) {
    const auto p = process(law, contact, options);
    return p ? std::string("none") : p.error().path;
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
