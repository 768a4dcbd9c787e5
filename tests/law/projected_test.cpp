#include "ricochet/law/projected.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "random_contact.hpp"
#include "ricochet/law/chatterjee_ruina.hpp"
#include "ricochet/space/impulse_space.hpp"

namespace ricochet {
namespace {

using namespace testing;

TEST(Projected, AnyWishEndsInTheRegion) {
  Rng rng(100);
  for (int trial = 0; trial < 1500; ++trial) {
    const Contact contact = random_contact(rng, 10);
    const double mu = random_mu(rng);
    const double size = 1 / contact.W.norm() * contact.V.norm();
    const Projected law{.target = size * log_uniform(rng, -6, 12) * random_unit(rng), .mu = mu};
    const auto hit = collide(law, contact);
    ASSERT_TRUE(hit) << hit.error().message();
    ASSERT_TRUE(hit->P.allFinite());
    EXPECT_TRUE(hit->certificate.permissible) << "mu " << mu;
  }
}

TEST(Projected, AWishInsideIsGranted) {
  Rng rng(101);
  for (int trial = 0; trial < 1000; ++trial) {
    const Contact contact = random_contact(rng, 3);
    if (contact.approach_speed() < 1e-2 * contact.V.norm()) continue;
    const double mu = uniform(rng, 0.05, 3);
    // Half rebound and half stick is well inside.
    const Vec3 target = collide(ChatterjeeRuina{.e = 0.5, .e_t = -0.5, .mu = mu / 2}, contact)->P;
    const auto hit = collide(Projected{.target = target, .mu = mu}, contact);
    ASSERT_TRUE(hit);
    EXPECT_LE((hit->P - target).norm(), 1e-15 * target.norm());
  }
}

TEST(Projected, AWishOutsideIsPulledStraightTowardsTheCentroidAndNoFurtherThanNeeded) {
  Rng rng(102);
  int seen = 0;
  while (seen < 200) {
    const Contact contact = random_contact(rng, 2);
    if (contact.approach_speed() < 1e-2 * contact.V.norm()) continue;
    const double mu = uniform(rng, 0.1, 2);
    const Vec3 centre = centroid(contact, mu)->P;
    const Vec3 target = centre + 5 * centre.norm() * uniform(rng, 0, 1) * random_unit(rng);
    if (certify(contact, target, mu).permissible) continue;
    ++seen;
    const Vec3 P = collide(Projected{.target = target, .mu = mu}, contact)->P;
    const Vec3 way = P - centre;
    EXPECT_LT(way.cross(target - centre).norm(), 1e-8 * way.norm() * (target - centre).norm());
    EXPECT_GT(way.dot(target - centre), 0);
    EXPECT_LE(way.norm(), (target - centre).norm());
    EXPECT_TRUE(certify(contact, P, mu).permissible);
    EXPECT_FALSE(certify(contact, centre + 1.000001 * way, mu).permissible);
  }
}

TEST(Projected, WishTurnsWithTheAxes) {
  Rng rng(103);
  for (int trial = 0; trial < 100; ++trial) {
    const Contact contact = random_contact(rng, 2);
    if (contact.approach_speed() < 1e-2 * contact.V.norm()) continue;
    const Mat3 Q = random_rotation(rng);
    const Contact turned = contact_from_mass(Q * contact.M * Q.transpose(), Q * contact.V, Q * contact.n).value();
    const Vec3 target = (contact.M * contact.V).norm() * random_unit(rng);
    const Vec3 P = collide(Projected{.target = target, .mu = 0.5}, contact)->P;
    const Vec3 R = collide(Projected{.target = Q * target, .mu = 0.5}, turned)->P;
    EXPECT_LT((R - Q * P).norm(), 1e-9 * P.norm());
  }
}

TEST(Projected, Hinge_GrantsAWishInsideAndRefusesToPullWhereThereIsNoCentroid) {
  const Vec3 across = Vec3(-1, 2, 0).normalized();
  const Mat3 W = across * across.transpose() + Vec3::UnitZ() * Vec3::UnitZ().transpose();
  const Contact contact = contact_from_mobility(W, across, Vec3::UnitX()).value();
  const Vec3 inside = 1.5 * contact.approach_speed() / W(0, 0) * Vec3::UnitX();
  EXPECT_TRUE(collide(Projected{.target = inside, .mu = 3}, contact).has_value());
  EXPECT_EQ(collide(Projected{.target = -inside, .mu = 3}, contact).error().path, "W");
}

TEST(Projected, BadInputIsRefusedByField) {
  const Contact contact = contact_from_mass(Mat3::Identity(), Vec3(-1, 0, 0), Vec3::UnitX()).value();
  EXPECT_EQ(collide(Projected{.target = Vec3(std::nan(""), 0, 0)}, contact).error().path, "target");
  EXPECT_EQ(collide(Projected{.mu = -1}, contact).error().path, "mu");
}

}  // namespace
}  // namespace ricochet
