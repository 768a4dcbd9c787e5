#include "ricochet/compliant/normal_spring.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ricochet::compliant {
namespace {

TEST(NormalSpring, HystereticLine_ReturnsTheShareThatRestitutionSays) {
  NormalSpring<double> spring(0.6, Damper::hysteretic);
  EXPECT_EQ(spring.stiffness(), 1);
  const double lost = spring.unload(2.0);
  // Work on the loading line N²/2, given back e² of it.
  EXPECT_DOUBLE_EQ(lost, (1 - 0.36) * 2.0);
  EXPECT_DOUBLE_EQ(spring.stiffness(), 1 / 0.36);
  EXPECT_EQ(spring.peak(), 2);
  spring.load();
  EXPECT_EQ(spring.stiffness(), 1);
}

TEST(NormalSpring, RestitutionWhoseSquareUnderflows_ReturnsNothing) {
  EXPECT_TRUE(NormalSpring<double>(0, Damper::hysteretic).returns_nothing());
  EXPECT_TRUE(NormalSpring<double>(1e-155, Damper::hysteretic).returns_nothing());
  EXPECT_FALSE(NormalSpring<double>(1e-150, Damper::hysteretic).returns_nothing());
}

TEST(NormalSpring, ElasticSpring_HasNoDamper) {
  for (const Damper damper : {Damper::hysteretic, Damper::linear, Damper::hunt_crossley}) {
    const NormalSpring<double> spring(1, damper);
    EXPECT_FALSE(spring.viscous());
    EXPECT_FALSE(spring.hysteretic());
    EXPECT_EQ(spring.dissipation(1, 1), 0);
  }
}

TEST(NormalSpring, ForceRate_IsTheDerivativeOfTheForce) {
  const double q = 0.7, v = -0.4, a = 0.3, h = 1e-6;
  for (const Damper damper : {Damper::linear, Damper::hunt_crossley}) {
    const NormalSpring<double> spring(0.5, damper);
    const double rate = spring.state_rate(v, a);
    const double ahead = spring.force(q + h * rate, v + h * a), behind = spring.force(q - h * rate, v - h * a);
    EXPECT_NEAR(spring.force_rate(q, v, a), (ahead - behind) / (2 * h), 1e-9);
    EXPECT_DOUBLE_EQ(spring.state(spring.force(q, v), v), q);
  }
}

/// d(stored)/dτ = −N v_n − dissipated, with depth'= −v_n.
TEST(NormalSpring, Dissipation_ClosesTheBalanceOfPower) {
  const double v = 0.2, depth = 0.5;
  for (const Damper damper : {Damper::linear, Damper::hunt_crossley}) {
    const NormalSpring<double> spring(0.5, damper);
    const double q = damper == Damper::linear ? depth - spring.coefficient() * v : depth;
    EXPECT_DOUBLE_EQ(spring.depth(q, v), depth);
    EXPECT_NEAR(depth * -v, spring.force(q, v) * -v - spring.dissipation(q, v), 1e-15);
  }
}

}  // namespace
}  // namespace ricochet::compliant
