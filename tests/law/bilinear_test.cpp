#include "ricochet/law/bilinear.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "numbers.hpp"
#include "random_contact.hpp"

namespace ricochet {
namespace {

using namespace testing;

using testing::infinity;

/// A sphere of mass m on a wall: the tangent sees 2m/7 (solid sphere, 1/m + r²/I = 7/(2m)).
Contact sphere(double m, const Vec3& V) {
  return contact_from_mass(Vec3(m, 2 * m / 7, 2 * m / 7).asDiagonal(), V, Vec3::UnitX()).value();
}

TEST(Bilinear, RoughSphere_ReversesItsSlipByE_t) {
  const Contact contact = sphere(3, Vec3(-2, 0.3, 0.4));
  const auto hit = collide(Bilinear{.e = 0.6, .e_t = 0.25, .mu = infinity}, contact).value();
  EXPECT_LT((hit.V - Vec3(1.2, -0.075, -0.1)).norm(), 1e-15);
  EXPECT_EQ(hit.mode, Mode::stick);
  EXPECT_TRUE(hit.certificate.permissible);
}

TEST(Bilinear, GlancingSphere_KeepsSlidingWithImpulseRatioMu) {
  const Contact contact = sphere(3, Vec3(-0.1, 3, 4));
  const double mu = 0.2;
  const auto hit = collide(Bilinear{.e = 0.5, .e_t = 0.5, .mu = mu}, contact).value();
  EXPECT_EQ(hit.mode, Mode::slip);
  EXPECT_NEAR(hit.P.x(), 3 * 1.5 * 0.1, 1e-15);
  EXPECT_NEAR(hit.P.y(), -mu * hit.P.x() * 0.6, 1e-15);
  EXPECT_NEAR(hit.P.z(), -mu * hit.P.x() * 0.8, 1e-15);
}

TEST(Bilinear, CoupledMassIsRefused_NamingTheEntries) {
  Mat3 M = Vec3(1, 2, 3).asDiagonal();
  M(0, 1) = M(1, 0) = 0.1;
  // Slip along y: axis 2 is −y, so that M_12 = −0.1.
  const auto hit = collide(Bilinear{}, contact_from_mass(M, Vec3(-1, 1, 0), Vec3::UnitX()).value());
  ASSERT_FALSE(hit);
  EXPECT_EQ(hit.error().path, "M");
  EXPECT_NE(hit.error().allowed.find("M_12 = -0.1"), std::string::npos) << hit.error().allowed;
  EXPECT_EQ(hit.error().allowed.find("M_13"), std::string::npos);
  // Slip between the principal directions couples 2 and 3.
  const Contact skew = contact_from_mass(Vec3(1, 2, 3).asDiagonal(), Vec3(-1, 1, 1), Vec3::UnitX()).value();
  const auto other = collide(Bilinear{}, skew);
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().allowed.find("M_23"), std::string::npos);
  EXPECT_TRUE(collide(Bilinear{.tolerance = 1}, skew).has_value());
}

TEST(Bilinear, WithoutSlip_AxesAcrossTheNormalAreFree) {
  // The principal directions in the tangent plane are nowhere near the axes that localize happens to choose.
  const Mat3 turn = Eigen::AngleAxisd(0.4, Vec3::UnitX()).toRotationMatrix();
  const Mat3 M = turn * Vec3(1, 2, 5).asDiagonal() * turn.transpose();
  const auto hit = collide(Bilinear{.e = 0.5, .mu = 1}, contact_from_mass(M, Vec3(-1, 0, 0), Vec3::UnitX()).value());
  ASSERT_TRUE(hit) << hit.error().message();
  EXPECT_LT((hit->V - Vec3(0.5, 0, 0)).norm(), 1e-15);
}

TEST(Bilinear, PermissibleForAnyDiagonalMass) {
  Rng rng(70);
  for (int trial = 0; trial < 5000; ++trial) {
    const Vec3 mass(log_uniform(rng, -5, 5), log_uniform(rng, -5, 5), log_uniform(rng, -5, 5));
    const Vec3 V(-log_uniform(rng, -10, 1), chance(rng, 0.1) ? 0 : uniform(rng, -3, 3), 0);
    const Contact contact = contact_from_mass(mass.asDiagonal(), V, Vec3::UnitX()).value();
    const auto hit = collide(Bilinear{.e = random_e(rng), .e_t = random_e_t(rng), .mu = random_mu(rng)}, contact);
    ASSERT_TRUE(hit) << hit.error().message();
    ASSERT_TRUE(hit->P.allFinite());
    EXPECT_TRUE(hit->certificate.permissible);
  }
}

TEST(Bilinear, ParametersOutOfRangeAreRefusedByName) {
  const Contact contact = sphere(1, Vec3(-1, 0, 0));
  EXPECT_EQ(collide(Bilinear{.e = -1}, contact).error().path, "e");
  EXPECT_EQ(collide(Bilinear{.e_t = 2}, contact).error().path, "e_t");
  EXPECT_EQ(collide(Bilinear{.mu = -1}, contact).error().path, "mu");
  EXPECT_EQ(collide(Bilinear{.tolerance = -1}, contact).error().path, "tolerance");
}

}  // namespace
}  // namespace ricochet
