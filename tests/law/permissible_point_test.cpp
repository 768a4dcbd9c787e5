#include "ricochet/law/permissible_point.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "random_contact.hpp"
#include "ricochet/space/impulse_space.hpp"

namespace ricochet {
namespace {

using namespace testing;

constexpr double pi = std::numbers::pi;

TEST(PermissiblePoint, NoParameterLeavesTheRegion) {
  Rng rng(90);
  for (int trial = 0; trial < 1500; ++trial) {
    const Contact contact = random_contact(rng, 10);
    const PermissiblePoint law{.psi_1 = chance(rng, 0.1) ? pi : uniform(rng, 0, pi),
                               .psi_2 = uniform(rng, 0, 2 * pi),
                               .rho = random_e(rng),
                               .mu = random_mu(rng)};
    const auto hit = collide(law, contact);
    ASSERT_TRUE(hit) << hit.error().message();
    ASSERT_TRUE(hit->P.allFinite());
    EXPECT_TRUE(hit->certificate.permissible) << "mu " << law.mu << " rho " << law.rho;
  }
}

TEST(PermissiblePoint, AnglesAndFractionAreThoseSeenFromTheCentroid) {
  Rng rng(91);
  for (int trial = 0; trial < 300; ++trial) {
    const Contact contact = random_contact(rng, 2);
    if (contact.approach_speed() < 1e-2 * contact.V.norm()) continue;
    PermissiblePoint law{
        .psi_1 = uniform(rng, 0.1, pi - 0.1), .psi_2 = uniform(rng, 0, 2 * pi), .rho = 1, .mu = uniform(rng, 0.1, 2)};
    const Local<double> c = localize<double>(contact);
    const Vec3 centre = c.R.transpose() * centroid(contact, law.mu)->P;
    const Vec3 end = c.R.transpose() * collide(law, contact)->P;
    const Vec3 way = end - centre;
    EXPECT_NEAR(std::atan2(std::hypot(way(1), way(2)), way(0)), law.psi_1, 1e-8);
    EXPECT_NEAR(std::remainder(std::atan2(way(2), way(1)) - law.psi_2, 2 * pi), 0, 1e-8);
    // Full fraction is on the boundary: a little further is out.
    EXPECT_FALSE(certify(contact, c.R * Vec3(centre + 1.000001 * way), law.mu).permissible);
    law.rho = 0.25;
    const Vec3 quarter = c.R.transpose() * collide(law, contact)->P;
    EXPECT_LT((quarter - centre - 0.25 * way).norm(), 1e-9 * way.norm());
    law.rho = 0;
    EXPECT_LT((c.R.transpose() * collide(law, contact)->P - centre).norm(), 1e-9 * centre.norm());
  }
}

TEST(PermissiblePoint, Frictionless_RunsAlongTheNormal) {
  const Contact contact = contact_from_mass(Mat3::Identity(), Vec3(-1, 2, 0), Vec3::UnitX()).value();
  const auto P = [&](double psi_1, double rho) {
    return collide(PermissiblePoint{.psi_1 = psi_1, .psi_2 = 1, .rho = rho, .mu = 0}, contact).value().P;
  };
  EXPECT_LT((P(0, 1) - Vec3(2, 0, 0)).norm(), 1e-15);
  EXPECT_LT((P(pi, 1) - Vec3(1, 0, 0)).norm(), 1e-15);
  EXPECT_LT((P(1, 1) - Vec3(1.5, 0, 0)).norm(), 1e-15);
}

TEST(PermissiblePoint, HingeWithTheConeOpenAlongIt_HasNoCentroid) {
  const Vec3 across = Vec3(-1, 2, 0).normalized();
  const Mat3 W = across * across.transpose() + Vec3::UnitZ() * Vec3::UnitZ().transpose();
  const Contact contact = contact_from_mobility(W, across, Vec3::UnitX()).value();
  EXPECT_EQ(collide(PermissiblePoint{.mu = 3}, contact).error().path, "W");
  EXPECT_TRUE(collide(PermissiblePoint{.mu = 0.3}, contact).has_value());
}

TEST(PermissiblePoint, ParametersOutOfRangeAreRefusedByName) {
  const Contact contact = contact_from_mass(Mat3::Identity(), Vec3(-1, 0, 0), Vec3::UnitX()).value();
  EXPECT_EQ(collide(PermissiblePoint{.psi_1 = 3.2}, contact).error().path, "psi_1");
  EXPECT_EQ(collide(PermissiblePoint{.psi_2 = -0.1}, contact).error().path, "psi_2");
  EXPECT_EQ(collide(PermissiblePoint{.rho = 1.1}, contact).error().path, "rho");
  EXPECT_EQ(collide(PermissiblePoint{.mu = std::nan("")}, contact).error().path, "mu");
}

}  // namespace
}  // namespace ricochet
