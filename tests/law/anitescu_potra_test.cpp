#include "ricochet/law/anitescu_potra.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "numbers.hpp"
#include "random_contact.hpp"
#include "ricochet/law/anitescu_potra_kernel.hpp"
#include "ricochet/law/frictionless.hpp"
#include "ricochet/law/pfeiffer_glocker.hpp"

namespace ricochet {
namespace {

using namespace testing;

using testing::infinity;

/// One phase of Coulomb friction at its end: P in the cone, against the slip that is left. `terms` is what the
/// velocities are made of, `size` the impulses that P is the difference of.
void expect_coulomb(const Vec3& P, const Vec3& V, double mu, double terms, double size, const char* phase) {
  const double slip = std::hypot(V(1), V(2));
  const double P_t = std::hypot(P(1), P(2));
  const double weight = mu == infinity ? 0 : 1 / (1 + mu);
  const double limit = mu == infinity ? P(0) : mu / (1 + mu) * P(0);
  EXPECT_GE(P(0), 0) << phase;
  EXPECT_LE(weight * P_t, limit + 1e-14 * size) << phase;
  if (slip <= 1e-11 * terms || P_t == 0) return;
  EXPECT_NEAR(weight * P_t, limit, 1e-14 * size) << phase;
  const Vec2 angle = P.tail<2>() / P_t + V.tail<2>() / slip;
  EXPECT_LE(angle.norm() * slip, 1e-11 * terms + 1e-14 * slip * size / P_t) << phase << " mu " << mu;
}

/// The two phases from the law's statement. Returns whether expansion took more normal impulse than e_k P_n,c.
bool expect_two_phases(const Local<double>& c, const Vec3& P_c, const Vec3& P_e, double e_k, double mu) {
  const Vec3 V_c = c.V + c.W * P_c;
  const Vec3 V = V_c + c.W * P_e;
  const double terms = (c.V.cwiseAbs() + c.W.cwiseAbs() * (P_c.cwiseAbs() + P_e.cwiseAbs())).maxCoeff();
  const double size = P_c.norm() + P_e.norm();
  EXPECT_NEAR(V_c(0), 0, 1e-12 * terms);
  expect_coulomb(P_c, V_c, mu, terms, size, "compression");
  expect_coulomb(P_e, V, mu, terms, size, "expansion");
  const double extra = P_e(0) - e_k * P_c(0);
  EXPECT_GE(extra, -1e-14 * P_c(0));
  EXPECT_GE(V(0), -1e-12 * terms);
  const bool complementary = extra > 1e-9 * P_c(0);
  if (complementary) {
    EXPECT_NEAR(V(0), 0, 1e-11 * terms);
  }
  return complementary;
}

TEST(AnitescuPotra, BothPhasesHoldTheirConditions_AndTheAnswerIsPermissible) {
  Rng rng(41);
  for (const double condition : {1.0, 4.0, 10.0}) {
    for (int trial = 0; trial < 10000; ++trial) {
      const Contact contact = random_contact(rng, condition);
      const AnitescuPotra law{random_e(rng), random_mu(rng)};
      const auto hit = collide(law, contact);
      ASSERT_TRUE(hit) << hit.error().message() << " mu " << law.mu << " e_k " << law.e_k;
      EXPECT_TRUE(hit->certificate.permissible) << "mu " << law.mu << " e_k " << law.e_k;
      const Local<double> local = localize<double>(contact);
      Path<double> path;
      const auto s = solve(law, local, path);
      ASSERT_EQ(path.count, 3);
      EXPECT_EQ(path.points[1].event, Event::compression_ends);
      const Vec3 P_c = path.points[1].P;
      if (condition <= 4) expect_two_phases(local, P_c, s.P - P_c, law.e_k, law.mu);
      const double work = path.points[1].normal_work + path.points[1].friction_work;
      const double energy = energy_change<double>(local.W, local.V, path.points[1].P);
      EXPECT_NEAR(work, energy, 1e-11 * (std::abs(s.normal_work) + std::abs(s.friction_work) + std::abs(energy)));
    }
  }
}

/// Contacts made backwards from the end of a slipping compression, where friction in expansion turns the slip into a
/// jamming direction: P_n,e = e_k P_n,c would leave the bodies approaching.
TEST(AnitescuPotra, ExpansionThatWouldApproachAgain_TakesMoreImpulseAndEndsAtRestAlongTheNormal) {
  Rng rng(42);
  int sticking = 0;
  int slipping = 0;
  int chosen = 0;
  for (int trial = 0; trial < 400000 && (sticking < 20 || slipping < 20); ++trial) {
    const Mat3 W = random_mass(rng, 4);
    const double mu = log_uniform(rng, 0.7, 2);
    const double phi = uniform(rng, 0, 2 * std::numbers::pi);
    const Vec3 ray(1, -mu * std::cos(phi), -mu * std::sin(phi));
    const Vec3 change = W * ray;
    if (!(change(0) > 0.01 * W(0, 0))) continue;
    const double slip = log_uniform(rng, -2, 1) * change.tail<2>().norm();
    const Vec3 V = Vec3(0, slip * std::cos(phi), slip * std::sin(phi)) - change;
    const Local<double> local = localize<double>(contact_from_mobility(W, V, Vec3::UnitX()).value());
    const AnitescuPotra law{0.8, mu};
    const auto answers = whittaker_solutions<double>({0, mu}, local);
    for (const auto& compression : answers) {
      const auto expansion = poisson_expansion<double>(law, local, compression);
      ASSERT_TRUE(expansion.found);
      if (!expect_two_phases(local, compression.P, expansion.P, 0.8, mu)) continue;
      EXPECT_TRUE(certify(local.W, local.V, Vec3(compression.P + expansion.P), mu).permissible);
      ++(expansion.sticks ? sticking : slipping);
      if (compression.P == preferred<double>(answers, local).P) ++chosen;
    }
  }
  EXPECT_GE(sticking, 5);
  EXPECT_GE(slipping, 5);
  RecordProperty("of_the_compression_that_solve_takes", chosen);
}

/// The friction at a given normal impulse minimises ½ qᵀWq + g·q over the disk.
TEST(AnitescuPotra, FrictionAtGivenNormal_IsTheLeastPointOfTheDisk) {
  Rng rng(43);
  for (int trial = 0; trial < 300; ++trial) {
    const Mat2 W = random_mass(rng, 3).topLeftCorner<2, 2>();
    const Vec2 g(uniform(rng, -1, 1), uniform(rng, -1, 1));
    const double radius = log_uniform(rng, -2, 2);
    const auto cost = [&](const Vec2& q) { return q.dot(W * q / 2 + g); };
    const auto friction = friction_at_given_normal<double>(W, g, radius);
    EXPECT_LE(friction.q.norm(), radius * (1 + 1e-15));
    if (friction.sticks) {
      EXPECT_LE((g + W * friction.q).norm(), 1e-12 * (g.norm() + W.norm() * friction.q.norm()));
    }
    for (int i = 0; i < 400; ++i) {
      const double phi = 2 * std::numbers::pi * i / 400;
      for (const double part : {0.25, 0.5, 0.9, 1.0})
        EXPECT_GE(cost(part * radius * Vec2(std::cos(phi), std::sin(phi))),
                  cost(friction.q) - 1e-13 * radius * (g.norm() + W.norm() * radius));
    }
  }
}

TEST(AnitescuPotra, FrictionAtGivenNormal_DirectionThatCannotMoveTakesNoFriction) {
  Mat2 W;
  W << 2, 0, 0, 0;
  const auto stuck = friction_at_given_normal<double>(W, Vec2(1, 0), infinity);
  EXPECT_TRUE(stuck.sticks);
  EXPECT_EQ(stuck.q, Vec2(-0.5, 0));
  const auto limited = friction_at_given_normal<double>(W, Vec2(1, 0), 0.1);
  EXPECT_FALSE(limited.sticks);
  EXPECT_NEAR((limited.q - Vec2(-0.1, 0)).norm(), 0, 1e-16);
  EXPECT_EQ(friction_at_given_normal<double>(Mat2::Zero(), Vec2(0, 0), 1.0).q, Vec2(0, 0));
}

TEST(AnitescuPotra, WithoutRestitutionIsWhittakersLawWithoutRestitution) {
  Rng rng(44);
  for (int trial = 0; trial < 2000; ++trial) {
    const Contact contact = random_contact(rng, 4);
    const double mu = random_mu(rng);
    EXPECT_EQ(collide(AnitescuPotra{0, mu}, contact).value().P, collide(Whittaker{0, mu}, contact).value().P);
  }
}

TEST(AnitescuPotra, DiagonalMass_IsTheClosedFormOfSpheres) {
  Rng rng(45);
  for (int trial = 0; trial < 2000; ++trial) {
    const double m_n = log_uniform(rng, -2, 2);
    const double m_t = log_uniform(rng, -2, 2);
    const double V_n = -uniform(rng, 0.01, 3);
    const double V_t = -uniform(rng, 0.01, 3);
    const AnitescuPotra law{random_e(rng), random_mu(rng)};
    Mat3 M = Mat3::Identity() * m_t;
    M(0, 0) = m_n;
    const auto hit = collide(law, contact_from_mass(M, Vec3(V_n, V_t, 0), Vec3::UnitX()).value()).value();
    const double P_n = -(1 + law.e_k) * m_n * V_n;
    const double P_t = std::min(law.mu == 0 ? 0 : law.mu * P_n, -m_t * V_t);
    EXPECT_NEAR(hit.P(0), P_n, 1e-13 * P_n);
    EXPECT_NEAR(hit.P(1), P_t, 1e-13 * (P_n + P_t));
    EXPECT_NEAR(hit.P(2), 0, 1e-13 * (P_n + P_t));
  }
}

TEST(AnitescuPotra, InThePlaneIsPfeifferGlockerWithoutTangentialRestitution) {
  Rng rng(46);
  for (int trial = 0; trial < 10000; ++trial) {
    const Contact contact = random_planar_contact(rng, 3);
    const double e_k = random_e(rng);
    const double mu = random_mu(rng);
    const auto one = collide(AnitescuPotra{e_k, mu}, contact).value();
    const auto other = collide(PfeifferGlocker{.e_k = e_k, .mu = mu}, contact).value();
    EXPECT_LE((one.P - other.P).norm(), 1e-12 * one.P.norm()) << "mu " << mu << " e_k " << e_k;
    EXPECT_NEAR(one.friction_work, other.friction_work, 1e-12 * contact.V.dot(contact.M * contact.V));
  }
}

TEST(AnitescuPotra, WithoutFrictionIsFrictionless) {
  Rng rng(47);
  for (int trial = 0; trial < 1000; ++trial) {
    const Contact contact = random_contact(rng, 6);
    const double e = random_e(rng);
    const Vec3 expected = collide(Frictionless{e}, contact).value().P;
    EXPECT_LE((collide(AnitescuPotra{e, 0}, contact).value().P - expected).norm(), 1e-15 * expected.norm());
  }
}

TEST(AnitescuPotra, LargeFrictionTendsToInfiniteFriction) {
  Rng rng(48);
  for (int trial = 0; trial < 2000; ++trial) {
    const Contact contact = random_contact(rng, 1);
    const double e_k = random_e(rng);
    const Vec3 limit = collide(AnitescuPotra{e_k, infinity}, contact).value().P;
    const Vec3 close = collide(AnitescuPotra{e_k, 1e9}, contact).value().P;
    EXPECT_LE((limit - close).norm(), 1e-5 * limit.norm());
  }
}

TEST(AnitescuPotra, DoublingTheSpeedDoublesTheImpulse_AndTurningTheSceneTurnsIt) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Rng rng(seed);
    const Contact contact = random_contact(rng, 2);
    const AnitescuPotra law{random_e(rng), random_mu(rng)};
    const Local<double> local = localize<double>(contact);
    RC_PRE(whittaker_solutions<double>({0, law.mu}, local).count == 1);
    const Vec3 P = collide(law, contact).value().P;
    Contact faster = contact;
    faster.V *= 2;
    RC_ASSERT((collide(law, faster).value().P - 2 * P).norm() <= 1e-13 * P.norm());
    const Mat3 Q = random_rotation(rng);
    Contact turned = contact;
    turned.M = Q * contact.M * Q.transpose();
    turned.W = Q * contact.W * Q.transpose();
    turned.V = Q * contact.V;
    turned.n = Q * contact.n;
    const double rounding = 1e-13 * contact.M.norm() * contact.V.norm();
    RC_ASSERT((collide(law, turned).value().P - Q * P).norm() <= 1e-8 * P.norm() + rounding);
  }));
}

TEST(AnitescuPotra, HingedRod_StaysOnItsOneDirection) {
  const Vec3 t(-std::sin(0.6), std::cos(0.6), 0);
  const Contact hinged = contact_from_mobility(t * t.transpose(), t, Vec3::UnitX()).value();
  for (const double mu : {0.3, 2.0, infinity}) {
    const auto hit = collide(AnitescuPotra{0.6, mu}, hinged).value();
    EXPECT_LE((hit.V - t * t.dot(hit.V)).norm(), 1e-12);
    EXPECT_GE(hit.V(0), -1e-12);
    EXPECT_LE(hit.energy_change, 1e-12);
  }
}

TEST(AnitescuPotra, ParametersOutOfRangeAreNamed) {
  const Contact contact = contact_from_mass(Mat3::Identity(), -Vec3::UnitX(), Vec3::UnitX()).value();
  EXPECT_EQ(collide(AnitescuPotra{1.5, 0}, contact).error().path, "e_k");
  EXPECT_EQ(collide(AnitescuPotra{0.5, -1}, contact).error().path, "mu");
}

}  // namespace
}  // namespace ricochet
