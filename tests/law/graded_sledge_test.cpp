#include "ricochet/law/graded_sledge.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "numbers.hpp"
#include "random_contact.hpp"
#include "ricochet/law/law_table.hpp"

namespace ricochet {
namespace {

using testing::infinity;
using testing::Rng;
using testing::uniform;

/// Any parameters in range, steep slopes included.
GradedSledge any_grading(Rng& rng) {
  GradedSledge law;
  law.kappa = testing::log_uniform(rng, -2, 2);
  law.mu = testing::random_mu(rng);
  law.mu_v = uniform(rng, -1, 1);
  law.mu_i = uniform(rng, -2, 2);
  law.e = uniform(rng, 0, 2);
  law.e_v = uniform(rng, -1, 1);
  law.e_i = uniform(rng, -2, 2);
  return law;
}

/// (GS1, GS2) through the angle of incidence and the hyperbolic tangent: 2 (v − 1)/(v + 1) = 2 tanh(½ ln v).
SpringSledge graded(const GradedSledge& law, const Contact& c) {
  const double v = c.V.norm(), s = 2 * std::tanh(0.5 * std::log(v));
  const double n_V = c.n.dot(c.V), incidence = std::atan2((c.V - n_V * c.n).norm(), -n_V);
  const double w = 0.5 * (1 - std::cos(2 * incidence));
  return {.kappa = law.kappa,
          .mu = std::fmax(0, law.mu + law.mu_v * s + law.mu_i * w),
          .e = std::fmin(1, std::fmax(0, law.e + law.e_v * s + law.e_i * w))};
}

TEST(GradedSledge, EveryParameterInRange_GivesAPermissibleImpulse) {
  Rng rng(1);
  int answered = 0, limited = 0;
  for (int i = 0; i < 1000; ++i) {
    const Contact c = i % 4 == 0 ? testing::random_contact(rng, 6) : testing::random_planar_contact(rng, 6);
    const GradedSledge law = any_grading(rng);
    const auto hit = collide(law, c);
    const SpringSledge same = graded(law, c);
    if (!hit) {
      EXPECT_FALSE(collide(same, c)) << "case " << i << ": " << hit.error().message();
      continue;
    }
    ++answered;
    limited += same.e == 0 || same.e == 1 || same.mu == 0 ? 1 : 0;
    const Margins& m = hit->certificate.margins;
    ASSERT_TRUE(hit->certificate.permissible)
        << "case " << i << ": energy " << m.energy << ", separation " << m.separation << ", friction " << m.friction;
    // The cone is that of this collision, and no wider than that of all.
    if (same.mu < infinity) {
      const double P_n = c.n.dot(hit->P), P_t = (hit->P - P_n * c.n).norm();
      ASSERT_LE(P_t, same.mu * P_n + 1e-9 * hit->P.norm()) << "case " << i;
      ASSERT_NEAR(m.friction, same.mu * P_n - P_t, 1e-9 * (1 + same.mu) * hit->P.norm()) << "case " << i;
    }
    ASSERT_LE(same.mu, cone_friction(law) * (1 + 1e-14)) << "case " << i;
  }
  EXPECT_GE(answered, 980);
  EXPECT_GE(limited, 200);  // (GS2) limits enough of them that the limits are tested
}

TEST(GradedSledge, IsTheSpringSledgeOfItsCoefficients) {
  Rng rng(2);
  for (int i = 0; i < 300; ++i) {
    const Contact c = i % 2 == 0 ? testing::random_contact(rng, 2) : testing::random_planar_contact(rng, 2);
    GradedSledge law = any_grading(rng);
    law.mu = uniform(rng, 0, 1);
    const auto hit = collide(law, c).value();
    const auto same = collide(graded(law, c), c).value();
    EXPECT_LT((hit.P - same.P).norm(), 1e-9 * same.P.norm()) << "case " << i;
  }
}

TEST(GradedSledge, WithoutSlopes_IsTheSpringSledgeItself) {
  Rng rng(3);
  for (int i = 0; i < 200; ++i) {
    const Contact c = testing::random_contact(rng, 4);
    const double e = testing::random_e(rng), mu = testing::random_mu(rng);
    const auto a = collide(GradedSledge{.kappa = 0.7, .mu = mu, .e = e}, c);
    const auto b = collide(SpringSledge{.kappa = 0.7, .mu = mu, .e = e}, c);
    ASSERT_EQ(a.has_value(), b.has_value());
    if (a) {
      EXPECT_EQ(a->P, b->P);
    }
  }
}

// A central impact rebounds with e times its speed.
TEST(GradedSledge, CentralImpact_RestitutionFallsWithSpeedAndStaysInItsLimits) {
  const GradedSledge law{.mu = 0.3, .e = 0.6, .e_v = -0.1};
  const auto rebound = [](const GradedSledge& g, double v) {
    const auto c = contact_from_mass(2 * Mat3::Identity(), Vec3(0, 0, -v), Vec3::UnitZ()).value();
    return collide(g, c)->V.z() / v;
  };
  EXPECT_NEAR(rebound(law, 1), 0.6, 1e-14);
  EXPECT_NEAR(rebound(law, 3), 0.5, 1e-14);  // 2 (3 − 1)/(3 + 1) = 1
  EXPECT_NEAR(rebound(law, 1.0 / 3), 0.7, 1e-14);
  EXPECT_NEAR(rebound(law, 1e-12), 0.8, 1e-11);  // slow and fast impacts have bounds
  EXPECT_NEAR(rebound(law, 1e12), 0.4, 1e-11);
  // To second order the slope is that of the logarithm.
  const double h = 0.01;
  EXPECT_NEAR(rebound(law, 1 + h), 0.6 - 0.1 * std::log1p(h), 0.1 * h * h * h);
  EXPECT_NEAR(rebound({.mu = 0.3, .e = 1.5, .e_v = -0.5}, 3), 1, 1e-14);
  EXPECT_NEAR(rebound({.mu = 0.3, .e = 0.1, .e_v = -0.5}, 3), 0, 1e-14);
}

// A sphere at steep slip slides throughout: P_t = μ(V) P_n.
TEST(GradedSledge, SphereThatSlides_ShowsTheFrictionOfItsIncidence) {
  const GradedSledge law{.mu = 0.1, .mu_i = 0.2, .e = 0.5};
  const Mat3 M = Vec3(2.0 / 7, 2.0 / 7, 1).asDiagonal();
  const auto c = contact_from_mass(M, Vec3(3, 0, -1), Vec3::UnitZ()).value();
  const auto hit = collide(law, c).value();
  EXPECT_NEAR(-hit.P.x() / hit.P.z(), 0.1 + 0.2 * 0.9, 1e-12);
}

TEST(GradedSledge, WidestCone_BoundsAllSpeedsAndIncidences) {
  EXPECT_DOUBLE_EQ(cone_friction(GradedSledge{.mu = 0.3}), 0.3);
  EXPECT_DOUBLE_EQ(cone_friction(GradedSledge{.mu = 0.3, .mu_v = -0.1, .mu_i = 0.2}), 0.7);
  EXPECT_DOUBLE_EQ(cone_friction(GradedSledge{.mu = 0.3, .mu_v = 0.1, .mu_i = -0.2}), 0.5);
  EXPECT_EQ(cone_friction(GradedSledge{.mu = infinity, .mu_v = -1, .mu_i = -2}), infinity);
}

TEST(GradedSledge, ParametersOutOfRangeAreRefused) {
  const auto c = contact_from_mass(Mat3::Identity(), Vec3(0, 0, -1), Vec3::UnitZ()).value();
  EXPECT_EQ(collide(GradedSledge{.mu = -0.1}, c).error().path, "mu");
  EXPECT_EQ(collide(GradedSledge{.e = -0.1}, c).error().path, "e");
  EXPECT_EQ(collide(GradedSledge{.e_v = infinity}, c).error().path, "e_v");
  EXPECT_EQ(collide(GradedSledge{.kappa = 0}, c).error().path, "kappa");
}

}  // namespace
}  // namespace ricochet
