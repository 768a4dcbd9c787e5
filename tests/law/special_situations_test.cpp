/// The special collisions of CR98 section 3.4, one test for each of its Figs. 4 to 9. n is the 1-axis.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "random_contact.hpp"
#include "ricochet/law/registry.hpp"
#include "ricochet/space/impulse_space.hpp"

namespace ricochet {
namespace {

/// Planar M with eigenvalue `stiff` along an axis at `angle` from n, `soft` across it.
Mat3 skewed_mass(double stiff, double soft, double angle) {
  const Vec3 d(std::cos(angle), std::sin(angle), 0), t(-std::sin(angle), std::cos(angle), 0);
  return stiff * d * d.transpose() + soft * t * t.transpose() + Vec3::UnitZ() * Vec3::UnitZ().transpose();
}

Contact planar(const Mat3& M, double v_n, double v_t) {
  return contact_from_mass(0.5 * (M + M.transpose()), Vec3(v_n, v_t, 0), Vec3::UnitX()).value();
}

TEST(Fig4_Generic, WhittakerLeavesTheEllipse_TheOthersDoNot) {
  // Kane's paradox: sticking at e = 1 lies outside the energy ellipse of a skewed M.
  const Contact contact = planar(skewed_mass(5, 1, 0.6), -1, 0.5);
  const double e = 1, mu = 1.2;
  const auto whittaker = collide(Whittaker{e, mu}, contact).value();
  EXPECT_GT(whittaker.energy_change, 0.01 * 0.5 * contact.V.dot(contact.M * contact.V));
  EXPECT_FALSE(whittaker.certificate.permissible);
  EXPECT_TRUE(collide(Routh{e, mu}, contact)->certificate.permissible);
  EXPECT_TRUE(collide(Routh{e, mu, -1, Restitution::stronge}, contact)->certificate.permissible);
  EXPECT_TRUE(collide(Smith{e, mu}, contact)->certificate.permissible);
  EXPECT_TRUE(collide(AnitescuPotra{e, mu}, contact)->certificate.permissible);
  EXPECT_TRUE(collide(ChatterjeeRuina{e, 1, mu}, contact)->certificate.permissible);
}

TEST(Fig5_DiagonalMass, LinesOfStickingAndCompressionAreTheAxes_AndRouthIsWhittaker) {
  const Contact contact = planar(Mat3(Vec3(2, 0.6, 1).asDiagonal()), -1, -2);
  for (const double mu : {0.1, 0.3, 1.0}) {
    const auto routh = collide(Routh{0.6, mu}, contact).value();
    const auto whittaker = collide(Whittaker{0.6, mu}, contact).value();
    EXPECT_LT((routh.P - whittaker.P).norm(), 1e-14 * routh.P.norm());
    // The three meanings of e are one.
    EXPECT_LT((collide(Routh{0.6, mu, -1, Restitution::stronge}, contact)->P - routh.P).norm(), 1e-14 * routh.P.norm());
    EXPECT_LT((collide(Routh{0.6, mu, -1, Restitution::newton}, contact)->P - routh.P).norm(), 1e-14 * routh.P.norm());
  }
  const Vec3 P_II = -(contact.M * contact.V);
  EXPECT_DOUBLE_EQ(P_II(0), 2);
  EXPECT_DOUBLE_EQ(P_II(1), 1.2);
}

TEST(Fig6_Grazing, OnlyRouthRebounds_OnlyChatterjeeRuinaReboundsTangentially) {
  // M = W⁻¹ with a coupling that jams: the line of maximum compression slopes into the cone.
  Mat3 W;
  W << 1, -0.8, 0, -0.8, 1, 0, 0, 0, 1;
  const double graze = 1e-9;
  const Contact contact = contact_from_mobility(W, Vec3(-graze, 1, 0), Vec3::UnitX()).value();
  const Contact jam = contact_from_mobility(W, Vec3(-graze, -1, 0), Vec3::UnitX()).value();
  const double e = 0.5, mu = 2;
  const auto routh = collide(Routh{e, mu}, jam).value();
  EXPECT_GT(routh.V(0), 0.05);
  EXPECT_NEAR(routh.V(1), 0, 1e-9) << "Routh has no tangential rebound";
  EXPECT_LT(std::abs(collide(Whittaker{e, mu}, jam)->V(0)), 1e-8);
  EXPECT_LT(std::abs(collide(Smith{e, mu}, jam)->V(0)), 1e-8);
  EXPECT_LT(std::abs(collide(AnitescuPotra{0.0, mu}, jam)->V(0)), 1e-8);
  const auto algebraic = collide(ChatterjeeRuina{e, 0.8, mu}, jam).value();
  EXPECT_LT(std::abs(algebraic.V(0)), 1e-8);
  EXPECT_GT(algebraic.V(1), 0.1) << "slip comes back reversed";
  // P_II outside the cone: Whittaker's and Smith's impulses vanish with the approach speed.
  EXPECT_LT(collide(Whittaker{e, mu}, contact)->P.norm(), 1e-7);
  EXPECT_LT(collide(Smith{e, mu}, contact)->P.norm(), 1e-7);
}

TEST(Fig7_InfiniteFriction, ADeadStopWouldNeedTension) {
  // P_II below the tangential axis: no law may answer it, and Routh stays on the axis up to the line of compression.
  Mat3 W;
  W << 1, -0.8, 0, -0.8, 1, 0, 0, 0, 1;
  const double infinity = std::numeric_limits<double>::infinity();
  const Contact contact = contact_from_mobility(W, Vec3(-0.2, 1, 0), Vec3::UnitX()).value();
  const Vec3 P_II = -(contact.M * contact.V);
  ASSERT_LT(P_II(0), 0);
  const auto routh = collide(Routh{0, infinity}, contact).value();
  EXPECT_EQ(routh.P(0), 0);
  EXPECT_NEAR(routh.V(0), 0, 1e-15);
  EXPECT_LT(std::abs(routh.P(1)), std::abs(P_II(1))) << "slip has not stopped";
  EXPECT_TRUE(routh.certificate.permissible);
  const auto algebraic = collide(ChatterjeeRuina{0, 0, infinity}, contact).value();
  EXPECT_GE(algebraic.P(0), -1e-15);
  EXPECT_TRUE(algebraic.certificate.permissible);
}

TEST(Fig8_Pendulum, WhittakerGainsEnergyWithoutBound_TheOthersConverge) {
  // One eigenvalue of M goes to infinity along the rod, at 40° to the normal; V is across the rod, as a hinge allows.
  const double angle = 0.7;
  const Vec3 across(-std::sin(angle), std::cos(angle), 0);
  const Vec3 V = across * (across(0) > 0 ? -1 : 1);
  const double e = 0.5, mu = 2;
  double last_gain = 0;
  Vec3 last = Vec3::Zero();
  double last_step = 1;
  for (const double stiff : {1e2, 1e4, 1e6, 1e8}) {
    const Contact contact = planar(skewed_mass(stiff, 1, angle), V(0), V(1));
    const double gain = collide(Whittaker{e, mu}, contact)->energy_change;
    EXPECT_GT(gain, 50 * last_gain) << "Whittaker's gain grows with the eigenvalue";
    EXPECT_GT(gain, 0);
    last_gain = gain;
    const auto routh = collide(Routh{e, mu}, contact).value();
    EXPECT_LT(routh.V.norm(), 20 / std::sqrt(stiff)) << "Routh converges to a dead stop";
    const auto algebraic = collide(ChatterjeeRuina{e, 0, mu}, contact).value();
    EXPECT_TRUE(algebraic.certificate.permissible);
    if (last.norm() > 0) {
      EXPECT_LT((algebraic.P - last).norm(), 0.2 * last_step) << "the new law converges";
      last_step = (algebraic.P - last).norm();
    } else {
      last_step = algebraic.P.norm();
    }
    last = algebraic.P;
  }
}

TEST(Fig8_Pendulum, TheWFormIsTheLimitOfTheStiffOne) {
  const double angle = 0.7;
  const Vec3 across(-std::sin(angle), std::cos(angle), 0);
  const Contact hinged = contact_from_mobility(across * across.transpose() + Vec3::UnitZ() * Vec3::UnitZ().transpose(),
                                               -across * 1.0 * (across(0) > 0 ? 1 : -1), Vec3::UnitX())
                             .value();
  ASSERT_TRUE(hinged.immovable);
  const Contact stiff = planar(skewed_mass(1e10, 1, angle), hinged.V(0), hinged.V(1));
  const ChatterjeeRuina law{0.5, 0.3, 2};
  EXPECT_LT((collide(law, hinged)->V - collide(law, stiff)->V).norm(), 1e-4);
}

TEST(Fig9_CentralCollision, RestitutionFarAboveOneIsPermissible) {
  const Contact contact = planar(Mat3(Vec3(1, 0.4, 0.4).asDiagonal()), -0.05, -1);
  const auto most = highest_rebound(contact, 1.0);
  ASSERT_TRUE(most) << most.error().message();
  EXPECT_GT(most->e, 5);
  EXPECT_TRUE(certify(contact, most->P, 1.0).permissible);
  // And a brute-force look at the plane: no permissible impulse does better.
  double best = 0;
  for (int i = 0; i < 4000; ++i) {
    for (int j = -200; j <= 200; ++j) {
      const double P_n = 2.0 * (i + 1) / 4000, P_t = P_n * j / 200.0;
      const Vec3 P(P_n, P_t, 0);
      if (energy_change<double>(contact.W, contact.V, P) <= 0)
        best = std::max(best, (contact.W * P + contact.V)(0) / 0.05);
    }
  }
  EXPECT_LE(best, most->e * (1 + 1e-12));
  EXPECT_GT(best, most->e * 0.98);
}

}  // namespace
}  // namespace ricochet
