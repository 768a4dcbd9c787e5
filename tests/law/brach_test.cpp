#include "ricochet/law/brach.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "numbers.hpp"
#include "random_contact.hpp"

namespace ricochet {
namespace {

using namespace testing;

using testing::infinity;

TEST(Brach, KeepsItsRestitutionAndItsRatios) {
  Rng rng(80);
  for (int trial = 0; trial < 5000; ++trial) {
    const Contact contact = random_contact(rng, 6);
    const Brach law{.e = random_e(rng), .mu_2 = uniform(rng, -1, 1), .mu_3 = uniform(rng, -1, 1)};
    const auto hit = collide(law, contact);
    const Local<double> c = localize<double>(contact);
    const double response = c.W(0, 0) + c.W(0, 1) * law.mu_2 + c.W(0, 2) * law.mu_3;
    ASSERT_EQ(hit.has_value(), response > 0);
    if (!hit) {
      EXPECT_EQ(hit.error().code, ErrorCode::no_solution);
      continue;
    }
    const Vec3 P = c.R.transpose() * hit->P;
    EXPECT_NEAR(P(1), law.mu_2 * P(0), 1e-14 * P.norm());
    EXPECT_NEAR(P(2), law.mu_3 * P(0), 1e-14 * P.norm());
    // The axes are known to rounding, and so is each component of W to that of its norm.
    EXPECT_NEAR(c.V(0) + c.W.row(0).dot(P), -law.e * c.V(0), 1e-15 * (c.V.norm() + c.W.norm() * P.norm()));
  }
}

TEST(Brach, ReachesAnyPermissibleImpulse) {
  Rng rng(81);
  int seen = 0;
  while (seen < 500) {
    const Contact contact = random_contact(rng, 2);
    const Local<double> c = localize<double>(contact);
    if (-c.V(0) < 0.05 * c.V.norm()) continue;
    // An impulse anywhere in the half ellipsoid.
    const Vec3 P_II = -(c.M * c.V);
    const Vec3 P = P_II + uniform(rng, 0, 1) * P_II.norm() * random_unit(rng);
    const double rebound = (c.V + c.W * P)(0);
    if (!(P(0) > 0.01 * P.norm()) || !(rebound > 0) || P.dot(c.V + 0.5 * (c.W * P)) > 0) continue;
    ++seen;
    const auto hit = collide(Brach{.e = rebound / -c.V(0), .mu_2 = P(1) / P(0), .mu_3 = P(2) / P(0)}, contact);
    ASSERT_TRUE(hit);
    EXPECT_LT((hit->P - c.R * P).norm(), 1e-9 * P.norm());
    EXPECT_TRUE(hit->certificate.permissible);
  }
}

TEST(Brach, BoundsSeparateLossFromGainOfEnergy) {
  Rng rng(82);
  int open = 0, empty = 0, closed = 0;
  for (int trial = 0; trial < 6000; ++trial) {
    const Contact contact = random_contact(rng, 3);
    if (contact.approach_speed() < 1e-3 * contact.V.norm()) continue;
    const double e = chance(rng, 0.4) ? uniform(rng, 1, 4) : random_e(rng);
    const double angle = uniform(rng, -7, 7);
    const double mu = random_mu(rng);
    const auto bounds = brach_bounds(contact, e, angle, mu).value();
    const auto gain = [&](double r) {
      const auto hit = collide(Brach{.e = e, .mu_2 = r * std::cos(angle), .mu_3 = r * std::sin(angle)}, contact);
      return hit ? hit->energy_change / (hit->P.norm() * contact.V.norm()) : infinity;
    };
    for (int i = 0; i < 40; ++i) {
      const double r = i == 0 ? 0 : log_uniform(rng, -4, 4);
      const double g = gain(r);
      if (std::abs(g) < 1e-9) continue;  // on the boundary either way
      const bool within = !bounds.energy.empty && r >= bounds.energy.low && r <= bounds.energy.high;
      EXPECT_EQ(within, g < 0) << "e " << e << " r " << r << " in " << bounds.energy.low << " " << bounds.energy.high
                               << " gain " << g;
    }
    if (bounds.energy.empty) {
      ++empty;
      EXPECT_GT(e, 1);
      EXPECT_TRUE(bounds.permissible.empty);
    } else {
      ++(std::isinf(bounds.energy.high) ? open : closed);
      EXPECT_EQ(bounds.permissible.empty, bounds.energy.low > mu);
    }
    if (bounds.critical) {
      const double r = *bounds.critical;
      const Local<double> c = localize<double>(contact);
      const auto hit = collide(Brach{.e = e, .mu_2 = r * std::cos(angle), .mu_3 = r * std::sin(angle)}, contact);
      ASSERT_TRUE(hit);
      const Vec3 V = c.R.transpose() * hit->V;
      EXPECT_NEAR(V(1) * std::cos(angle) + V(2) * std::sin(angle), 0,
                  1e-10 * (c.V.norm() + c.W.norm() * hit->P.norm()));
    }
  }
  EXPECT_GT(open, 20);
  EXPECT_GT(empty, 20);
  EXPECT_GT(closed, 500);
}

// A sphere sliding on a wall: the ratio that just stops it is the textbook (2/7) s / ((1+e) k).
TEST(Brach, CriticalRatioOfASphere) {
  const double m = 2, k = 1.5, s = 0.7, e = 0.4;
  const Contact contact =
      contact_from_mass(Vec3(m, 2 * m / 7, 2 * m / 7).asDiagonal(), Vec3(-k, s, 0), Vec3::UnitX()).value();
  const auto bounds = brach_bounds(contact, e, 0, 0.05).value();
  ASSERT_TRUE(bounds.critical.has_value());
  EXPECT_NEAR(*bounds.critical, 2.0 / 7 * s / ((1 + e) * k), 1e-15);
  EXPECT_EQ(bounds.permissible.high, 0.05);
  EXPECT_FALSE(brach_bounds(contact, e, 3.14159265358979, 0.05)->critical.has_value());
}

TEST(Brach, BadInputIsRefusedByField) {
  const Contact contact = contact_from_mass(Mat3::Identity(), Vec3(-1, 1, 0), Vec3::UnitX()).value();
  EXPECT_EQ(collide(Brach{.e = -1}, contact).error().path, "e");
  EXPECT_EQ(collide(Brach{.mu_2 = infinity}, contact).error().path, "mu_2");
  EXPECT_EQ(collide(Brach{.mu_3 = std::nan("")}, contact).error().path, "mu_3");
  EXPECT_EQ(collide(Brach{.mu = -1}, contact).error().path, "mu");
  EXPECT_EQ(brach_bounds(contact, 0.5, infinity, 1).error().path, "angle");
  const Contact parting = contact_from_mass(Mat3::Identity(), Vec3(1, 1, 0), Vec3::UnitX()).value();
  EXPECT_EQ(brach_bounds(parting, 0.5, 0, 1).error().path, "V");
}

}  // namespace
}  // namespace ricochet
