#include "ricochet/law/pfeiffer_glocker.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

#include "numbers.hpp"
#include "random_contact.hpp"
#include "ricochet/law/frictionless.hpp"
#include "ricochet/law/pfeiffer_glocker_kernel.hpp"

namespace ricochet {
namespace {

using namespace testing;

using testing::infinity;

Contact planar(double m_nn, double m_nt, double m_tt, double V_n, double V_t) {
  Mat3 M;
  M << m_nn, m_nt, 0, m_nt, m_tt, 0, 0, 0, 1;
  return contact_from_mass(M, Vec3(V_n, V_t, 0), Vec3::UnitX()).value();
}

PfeifferGlocker random_law(Rng& rng) {
  return {.e_k = random_e(rng), .nu = random_e(rng), .e_t = random_e(rng), .mu = random_mu(rng)};
}

TEST(PfeifferGlocker, BothPhasesHoldTheirConditions) {
  Rng rng(51);
  int at_upper = 0;
  int at_lower = 0;
  int between = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const Contact contact = random_planar_contact(rng, 4);
    const PfeifferGlocker law = random_law(rng);
    if (law.mu == infinity) continue;
    const Local<double> c = localize<double>(contact);
    Path<double> path;
    const auto s = solve(law, c, path);
    const Vec3 P_c = path.points[1].P;
    const Vec3 V_c = path.points[1].V;
    const Vec3 P_e = s.P - P_c;
    const double terms = (c.V.cwiseAbs() + c.W.cwiseAbs() * (P_c.cwiseAbs() + s.P.cwiseAbs())).maxCoeff();
    EXPECT_NEAR(V_c(0), 0, 1e-12 * terms);
    EXPECT_LE(std::abs(P_c(1)), law.mu * P_c(0) * (1 + 1e-13));
    if (std::abs(V_c(1)) > 1e-11 * terms) {
      EXPECT_NEAR(P_c(1), -std::copysign(law.mu * P_c(0), V_c(1)), 1e-13 * P_c.norm());
    }
    // In the plane Poisson's impulse is never short of separation.
    EXPECT_NEAR(P_e(0), law.e_k * P_c(0), 1e-14 * s.P(0));
    EXPECT_GE(s.V(0), -1e-12 * terms);
    if (P_c(1) == 0) continue;
    const double sigma = std::copysign(1, P_c(1));
    const double y = sigma * P_e(1);
    const double upper = law.mu * P_e(0);
    const double lower = -(1 - law.nu) * law.mu * P_e(0) + law.nu * law.e_t * law.e_k * std::abs(P_c(1));
    const double blur = 1e-13 * (s.P.norm() + upper);
    EXPECT_LE(y, upper + blur);
    EXPECT_GE(y, lower - blur);
    const double V_t = sigma * s.V(1);
    if (V_t < -1e-11 * terms) {
      ++at_upper;
      EXPECT_NEAR(y, upper, blur);
    } else if (V_t > 1e-11 * terms) {
      ++at_lower;
      EXPECT_NEAR(y, lower, blur);
    } else {
      ++between;
    }
  }
  EXPECT_GT(at_upper, 100);
  EXPECT_GT(at_lower, 100);
  EXPECT_GT(between, 100);
}

TEST(PfeifferGlocker, AnswersArePermissible_TangentialRestitutionIncluded) {
  Rng rng(52);
  for (const double condition : {1.0, 4.0, 10.0}) {
    for (int trial = 0; trial < 20000; ++trial) {
      const Contact contact = random_planar_contact(rng, condition);
      const PfeifferGlocker law = random_law(rng);
      const auto hit = collide(law, contact);
      ASSERT_TRUE(hit) << hit.error().message();
      EXPECT_TRUE(hit->certificate.permissible)
          << "mu " << law.mu << " e_k " << law.e_k << " nu " << law.nu << " e_t " << law.e_t;
      EXPECT_EQ(hit->P.z(), 0);
    }
  }
}

TEST(PfeifferGlocker, FullyReversibleStickingCompressionReversesTheSlip) {
  for (const double mu : {2.0, infinity}) {
    const Contact disk = planar(1.5, 0, 0.5, -1, -0.8);
    const auto hit = collide(PfeifferGlocker{.e_k = 1, .nu = 1, .e_t = 1, .mu = mu}, disk).value();
    EXPECT_NEAR(hit.V(0), 1, 1e-15);
    EXPECT_NEAR(hit.V(1), 0.8, 1e-15);
    EXPECT_NEAR(hit.energy_change, 0, 1e-15);
    EXPECT_EQ(hit.mode, Mode::slip_reversal);
    // With e_t alone the reversal is that fraction.
    const auto part = collide(PfeifferGlocker{.e_k = 1, .nu = 1, .e_t = 0.25, .mu = mu}, disk).value();
    EXPECT_NEAR(part.V(1), 0.2, 1e-15);
    const auto none = collide(PfeifferGlocker{.e_k = 1, .nu = 0, .e_t = 1, .mu = mu}, disk).value();
    EXPECT_EQ(none.V(1), 0);
    EXPECT_EQ(none.mode, Mode::stick);
  }
}

/// Slip through both phases is at the upper end whatever is stored.
TEST(PfeifferGlocker, GrossSlipKnowsNoTangentialRestitution) {
  const Contact contact = planar(1, 0.2, 1, -0.2, -5);
  const auto without = collide(PfeifferGlocker{.e_k = 0.5, .mu = 0.3}, contact).value();
  const auto with = collide(PfeifferGlocker{.e_k = 0.5, .nu = 1, .e_t = 1, .mu = 0.3}, contact).value();
  EXPECT_EQ(without.P, with.P);
  EXPECT_NEAR(with.P(1), 0.3 * with.P(0), 1e-15);
  EXPECT_EQ(with.mode, Mode::slip);
}

TEST(PfeifferGlocker, ContactThatIsNotPlanarIsRefused) {
  Mat3 M = Mat3::Identity();
  M(0, 0) = 2;
  M(0, 2) = M(2, 0) = 0.1;
  const Vec3 V(-1, -0.5, 0);
  const PfeifferGlocker law{.e_k = 0.5, .mu = 0.3};
  EXPECT_EQ(collide(law, contact_from_mass(M, V, Vec3::UnitX()).value()).error().path, "M");
  M(0, 2) = M(2, 0) = 0;
  M(1, 2) = M(2, 1) = 0.1;
  EXPECT_EQ(collide(law, contact_from_mass(M, V, Vec3::UnitX()).value()).error().path, "M");
  M(1, 2) = M(2, 1) = 1e-11;
  EXPECT_TRUE(collide(law, contact_from_mass(M, V, Vec3::UnitX()).value()));
  PfeifferGlocker strict = law;
  strict.tolerance = 1e-13;
  EXPECT_EQ(collide(strict, contact_from_mass(M, V, Vec3::UnitX()).value()).error().path, "M");
  // Separating bodies need no law.
  M(1, 2) = M(2, 1) = 0.1;
  EXPECT_EQ(collide(law, contact_from_mass(M, -V, Vec3::UnitX()).value()).value().mode, Mode::separating);
}

TEST(PfeifferGlocker, NormalIncidence_PlaneIsThatOfTheCoupling) {
  Rng rng(53);
  for (int trial = 0; trial < 500; ++trial) {
    const Contact flat = random_planar_contact(rng, 2);
    const PfeifferGlocker law = random_law(rng);
    Mat3 M = flat.M;
    const Contact contact = contact_from_mass(M, -Vec3::UnitX(), Vec3::UnitX()).value();
    const Vec3 P = collide(law, contact).value().P;
    // The same contact seen from axes turned about the normal, and mirrored: the same impulse.
    const double angle = uniform(rng, 0, 6.28);
    Mat3 Q = Mat3::Identity();
    Q(1, 1) = Q(2, 2) = std::cos(angle);
    Q(2, 1) = std::sin(angle);
    Q(1, 2) = -std::sin(angle);
    Mat3 turned_M = Q * M * Q.transpose();
    turned_M = (0.5 * (turned_M + turned_M.transpose())).eval();
    const auto turned = collide(law, contact_from_mass(turned_M, -Vec3::UnitX(), Vec3::UnitX()).value());
    ASSERT_TRUE(turned) << turned.error().message();
    EXPECT_LE((turned->P - Q * P).norm(), 1e-11 * P.norm());
  }
  // Skew in both tangential directions and no principal plane: refused. No coupling at all: only the normal moves.
  Mat3 M = Mat3::Identity();
  M << 3, 1, 0.5, 1, 2, 0.3, 0.5, 0.3, 1;
  const PfeifferGlocker law{.e_k = 0.5, .mu = 0.3};
  EXPECT_EQ(collide(law, contact_from_mass(M, -Vec3::UnitX(), Vec3::UnitX()).value()).error().path, "M");
  M << 3, 0, 0, 0, 2, 0.3, 0, 0.3, 1;
  const Vec3 P = collide(law, contact_from_mass(M, -Vec3::UnitX(), Vec3::UnitX()).value()).value().P;
  EXPECT_LE((P - Vec3(4.5, 0, 0)).norm(), 1e-14);
}

TEST(PfeifferGlocker, LargeFrictionTendsToInfiniteFriction) {
  Rng rng(54);
  for (int trial = 0; trial < 5000; ++trial) {
    const Contact contact = random_planar_contact(rng, 2);
    PfeifferGlocker law = random_law(rng);
    law.mu = infinity;
    const Vec3 limit = collide(law, contact).value().P;
    law.mu = 1e10;
    EXPECT_LE((collide(law, contact).value().P - limit).norm(), 1e-6 * limit.norm());
  }
}

TEST(PfeifferGlocker, WithoutFrictionIsFrictionless) {
  Rng rng(55);
  for (int trial = 0; trial < 1000; ++trial) {
    const Contact contact = random_planar_contact(rng, 6);
    PfeifferGlocker law = random_law(rng);
    law.mu = 0;
    const Vec3 expected = collide(Frictionless{law.e_k}, contact).value().P;
    EXPECT_LE((collide(law, contact).value().P - expected).norm(), 1e-15 * expected.norm());
  }
}

TEST(PfeifferGlocker, DoublingTheSpeedDoublesTheImpulse) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Rng rng(seed);
    Contact contact = random_planar_contact(rng, 4);
    const PfeifferGlocker law = random_law(rng);
    const Vec3 P = collide(law, contact).value().P;
    contact.V *= 2;
    RC_ASSERT((collide(law, contact).value().P - 2 * P).norm() <= 1e-14 * P.norm());
  }));
}

TEST(PfeifferGlocker, ParametersOutOfRangeAreNamed) {
  const Contact contact = planar(1, 0, 1, -1, -1);
  EXPECT_EQ(collide(PfeifferGlocker{.e_k = 1.5}, contact).error().path, "e_k");
  EXPECT_EQ(collide(PfeifferGlocker{.nu = -0.5}, contact).error().path, "nu");
  EXPECT_EQ(collide(PfeifferGlocker{.e_t = 1.5}, contact).error().path, "e_t");
  EXPECT_EQ(collide(PfeifferGlocker{.mu = -1}, contact).error().path, "mu");
  EXPECT_EQ(collide(PfeifferGlocker{.tolerance = -1}, contact).error().path, "tolerance");
}

}  // namespace
}  // namespace ricochet
