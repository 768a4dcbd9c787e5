#include "ricochet/law/frictionless.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "random_contact.hpp"

namespace ricochet {
namespace {

using namespace testing;

TEST(Frictionless, ReversesTheNormalSpeedByE_AndLosesTheEnergyOfOneDimension) {
  Rng rng(1);
  for (int trial = 0; trial < 5000; ++trial) {
    const Contact contact = random_contact(rng, 10);
    const double e = random_e(rng);
    const auto hit = collide(Frictionless{.e = e}, contact);
    ASSERT_TRUE(hit) << hit.error().message();
    const double k = contact.approach_speed();
    const double m = 1 / contact.n.dot(contact.W * contact.n);  // effective mass along the normal
    const double rounding = 1e-14 * (contact.V.norm() + contact.W.norm() * hit->P.norm());
    EXPECT_LE(hit->P.cross(contact.n).norm(), 1e-15 * hit->P.norm());
    EXPECT_NEAR(contact.n.dot(contact.V + contact.W * hit->P), e * k, rounding);
    EXPECT_NEAR(hit->energy_change, -0.5 * m * k * k * (1 - e * e), rounding * hit->P.norm());
    EXPECT_TRUE(hit->certificate.permissible);
    EXPECT_EQ(hit->mode, Mode::slip);
  }
}

TEST(Frictionless, BodiesThatPartAreLeftAlone) {
  const Contact contact = contact_from_mass(Mat3::Identity(), Vec3(0.5, 1, 0), Vec3::UnitX()).value();
  const auto hit = collide(Frictionless{.e = 0.5}, contact).value();
  EXPECT_EQ(hit.P, Vec3(0, 0, 0));
  EXPECT_EQ(hit.V, contact.V);
  EXPECT_EQ(hit.mode, Mode::separating);
}

TEST(Frictionless, RestitutionOutOfRangeIsRefused) {
  const Contact contact = contact_from_mass(Mat3::Identity(), Vec3(-1, 0, 0), Vec3::UnitX()).value();
  for (const double e :
       {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const auto hit = collide(Frictionless{.e = e}, contact);
    ASSERT_FALSE(hit);
    EXPECT_EQ(hit.error().path, "e");
  }
}

}  // namespace
}  // namespace ricochet
