#include "ricochet/space/certificate.hpp"

#include <gtest/gtest.h>

#include "random_contact.hpp"
#include "region_oracle.hpp"
#include "ricochet/space/impulse_space.hpp"

namespace ricochet {
namespace {

using namespace testing;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Local axes, W = I, V = (−1, 0, 0): energy holds within the sphere of radius 1 about P_II = (1, 0, 0).
Certificate judged(const Vec3& P, double mu) { return certify<double>(Mat3::Identity(), -Vec3::UnitX(), P, mu); }

TEST(Certificate, NamesWhatIsViolated_AndNothingElse) {
  const auto names = [](const Vec3& P, double mu) { return condition_names(judged(P, mu).violated); };
  using List = std::vector<std::string_view>;
  EXPECT_EQ(names({1.5, 0.1, 0}, 0.3), List{});
  EXPECT_EQ(names({2.1, 0, 0}, 0.3), List{"energy"});
  EXPECT_EQ(names({0.9, 0, 0}, 0.3), List{"separation"});
  EXPECT_EQ(names({1.2, 0.5, 0}, 0.3), List{"friction"});
  EXPECT_EQ(names({-0.1, 0, 0}, infinity), (List{"energy", "separation", "compression", "friction"}));
  EXPECT_EQ(names({1.5, 0, 0.95}, infinity), List{"energy"});
  EXPECT_TRUE(judged({1.5, 0.1, 0}, 0.3).permissible);
  EXPECT_FALSE(judged({2.1, 0, 0}, 0.3).permissible);
}

TEST(Certificate, ABoundaryIsInsideToRounding_AndNoFarther) {
  // On each boundary by itself, then beyond it by a thousand and by ten million units in the last place.
  struct Case {
    Vec3 P;
    Vec3 outward;
    Condition condition;
  };
  const std::array cases{Case{{2, 0, 0}, {1, 0, 0}, Condition::energy},
                         Case{{1, 0, 0}, {-1, 0, 0}, Condition::separation},
                         Case{{1.5, 0.45, 0}, {0, 1, 0}, Condition::friction}};
  for (const Case& c : cases) {
    EXPECT_TRUE(judged(c.P, 0.3).permissible) << name(c.condition);
    EXPECT_TRUE(judged(c.P + 1e3 * 2.2e-16 * c.outward, 0.3).permissible) << name(c.condition);
    const Certificate beyond = judged(c.P + 1e7 * 2.2e-16 * c.outward, 0.3);
    EXPECT_TRUE(beyond.violated.contains(c.condition)) << name(c.condition);
    EXPECT_EQ(condition_names(beyond.violated).size(), 1U) << name(c.condition);
  }
}

TEST(Certificate, WhatIsNotANumber_IsNotPermissible) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (int k = 0; k < 3; ++k) {
    Vec3 P(1.5, 0, 0);
    P(k) = nan;
    EXPECT_FALSE(judged(P, 0.3).permissible) << k;
  }
}

/// One judgement: an impulse and the same impulse in the axes of the input, or in extended precision, are judged alike.
TEST(Certificate, TheSameInEveryCoordinateSystemAndPrecision) {
  Rng rng(5);
  int inside = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const Contact contact = random_contact(rng, 3);
    const double mu = random_mu(rng);
    const auto space = impulse_space(contact, mu).value();
    const Vec3 P = space.P_II + uniform(rng, 0, 1) * space.P_II.norm() * random_unit(rng);
    const Certificate world = certify(contact, P, mu);
    const Local<double> local = localize<double>(contact);
    const Local<long double> wide = localize<long double>(contact);
    EXPECT_EQ(certify<double>(local.W, local.V, local.R.transpose() * P, mu).violated, world.violated);
    EXPECT_EQ(certify<long double>(wide.W, wide.V, wide.R.transpose() * P.cast<long double>(), mu).violated,
              world.violated);
    EXPECT_EQ(world.permissible, world.violated.empty());
    inside += world.permissible ? 1 : 0;
  }
  EXPECT_GT(inside, 100);
}

}  // namespace
}  // namespace ricochet
