#include "ricochet/law/composite.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "random_contact.hpp"

namespace ricochet {
namespace {

using namespace testing;

TEST(Composite, IsTheWeightedSumAndStaysPermissible) {
  Rng rng(110);
  for (int trial = 0; trial < 1000; ++trial) {
    const Contact contact = random_contact(rng, 8);
    const double mu = random_mu(rng);
    const ChatterjeeRuina first{.e = random_e(rng), .e_t = random_e_t(rng), .mu = mu};
    const ChatterjeeRuina second{.e = random_e(rng), .e_t = random_e_t(rng), .mu = mu};
    const double sigma = random_e(rng);
    const auto hit = collide(Composite{.sigma = sigma, .first = first, .second = second, .mu = mu}, contact);
    ASSERT_TRUE(hit) << hit.error().message() << " mu " << mu;
    const Vec3 expected = sigma * collide(first, contact)->P + (1 - sigma) * collide(second, contact)->P;
    EXPECT_LE((hit->P - expected).norm(), 1e-14 * (expected.norm()));
    EXPECT_TRUE(hit->certificate.permissible) << "mu " << mu;
  }
}

TEST(Composite, EndsOfTheWeightAreTheLawsThemselves) {
  Rng rng(111);
  for (int trial = 0; trial < 300; ++trial) {
    const Contact contact = random_contact(rng, 2);
    const double mu = uniform(rng, 0.1, 1);
    Composite law{.sigma = 1,
                  .first = ChatterjeeRuina{.e = 0.5, .e_t = 0.3, .mu = mu},
                  .second = Frictionless{.e = 0.5},
                  .mu = mu};
    const auto one = collide(std::get<ChatterjeeRuina>(law.first), contact).value();
    const auto hit = collide(law, contact).value();
    EXPECT_LE((hit.P - one.P).norm(), 1e-14 * one.P.norm());
    EXPECT_EQ(hit.mode, one.mode);
    law.sigma = 0;
    EXPECT_EQ(collide(law, contact)->mode, Mode::slip);
    law.sigma = 0.5;
    // The frictionless law slides, the other sticks: half of each is inside the cone.
    if (one.mode == Mode::stick) {
      EXPECT_EQ(collide(law, contact)->mode, Mode::stick);
    }
  }
}

TEST(Composite, WithRouth_GrazingContactGetsANormalRebound) {
  // CR98 5.3: slip drives the contact into the surface (w < 0 for friction against it), where Routh rebounds and
  // Chatterjee and Ruina's law does not.
  Mat3 W = Mat3::Identity();
  W(0, 1) = W(1, 0) = 0.8;
  W(1, 1) = 2;
  const Contact contact = contact_from_mobility(W, Vec3(-1e-9, 1, 0), Vec3::UnitX()).value();
  const double mu = 2;
  const auto plain = collide(ChatterjeeRuina{.e = 0.5, .mu = mu}, contact).value();
  EXPECT_LT(plain.V.x(), 1e-8);
  const auto routh = collide(Routh{.e = 0.5, .mu = mu}, contact);
  ASSERT_TRUE(routh) << routh.error().message();
  ASSERT_GT(routh->V.x(), 0.01);
  const auto half = collide(
      Composite{
          .sigma = 0.5, .first = ChatterjeeRuina{.e = 0.5, .mu = mu}, .second = Routh{.e = 0.5, .mu = mu}, .mu = mu},
      contact);
  ASSERT_TRUE(half) << half.error().message();
  EXPECT_NEAR(half->V.x(), (plain.V.x() + routh->V.x()) / 2, 1e-12);
  EXPECT_TRUE(half->certificate.permissible);
}

TEST(Composite, AnAnswerOutsideTheRegionIsAnErrorThatNamesItsLaw) {
  const Contact contact = contact_from_mass(Mat3::Identity(), Vec3(-1, 1, 0), Vec3::UnitX()).value();
  const Composite gains{.sigma = 0.5, .first = ChatterjeeRuina{.mu = 0.5}, .second = Brach{.e = 3}, .mu = 0.5};
  const auto hit = collide(gains, contact);
  ASSERT_FALSE(hit);
  EXPECT_EQ(hit.error().path, "second");
  EXPECT_EQ(hit.error().value, "brach");
  // Outside the composite's own cone counts as well.
  const Composite rough{.sigma = 0.5, .first = ChatterjeeRuina{.e_t = 1, .mu = 2}, .second = Frictionless{}, .mu = 0.1};
  const auto other = collide(rough, contact);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().path, "first");
  EXPECT_EQ(other.error().value, "chatterjee-ruina");
}

TEST(Composite, ErrorsOfItsPartsAndItsOwnAreToldApart) {
  const Contact contact = contact_from_mass(Mat3::Identity(), Vec3(-1, 1, 0), Vec3::UnitX()).value();
  const auto part = collide(Composite{.first = Frictionless{.e = 2}, .second = Frictionless{}}, contact);
  ASSERT_FALSE(part);
  EXPECT_EQ(part.error().path, "first (frictionless): e");
  EXPECT_EQ(collide(Composite{.sigma = 1.5}, contact).error().path, "sigma");
  EXPECT_EQ(collide(Composite{.mu = -1}, contact).error().path, "mu");
  const Contact parting = contact_from_mass(Mat3::Identity(), Vec3(1, 1, 0), Vec3::UnitX()).value();
  EXPECT_EQ(collide(Composite{}, parting)->mode, Mode::separating);
}

}  // namespace
}  // namespace ricochet
