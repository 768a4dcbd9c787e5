#include "ricochet/compliant/damper.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sledge_oracle.hpp"

namespace ricochet::compliant {
namespace {

/// A central impact, integrated.
double returned(Damper damper, double e, double mass, double stiffness, double speed) {
  testing::SledgeOracle o;
  o.W = Mat3::Identity() / mass;
  o.V = Vec3(-speed, 0, 0);
  o.c_n = stiffness;
  o.mu = 0;
  o.damper = damper;
  o.e = e;
  o.coefficient = damper == Damper::linear ? linear_coefficient(e) * std::sqrt(stiffness * mass)
                                           : hunt_crossley_coefficient(e) / speed;
  o.implicit = e < 0.05;  // a damper many times critical
  const auto a = o.run();
  EXPECT_TRUE(a.ok);
  return a.V(0) / speed;
}

TEST(Damper, CentralImpact_ReturnsTheRestitutionAskedForAtEverySpeed) {
  for (const Damper damper : {Damper::linear, Damper::hunt_crossley})
    for (const double e : {1e-4, 1e-3, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.999, 1.0})
      for (const double speed : {1e-3, 1.0, 300.0})
        EXPECT_NEAR(returned(damper, e, 0.37, 4e4, speed), e, 1e-10)
            << (damper == Damper::linear ? "linear" : "Hunt-Crossley") << " e " << e << " speed " << speed;
}

TEST(Damper, Linear_CriticalDamping) {
  // ζ = 1: −ln e = 2, SP07's e = exp(−2) at the border of their two formulas.
  EXPECT_NEAR(linear_coefficient(std::exp(-2.0)), 2.0, 1e-14);
}

TEST(Damper, StrongDampers_ReturnAQuarterOverTheSquare_OrOneOverTheCoefficient) {
  // ζ → ∞: −ln e = 2 ln 2ζ, so e = 1/d², d = 2ζ. Hunt-Crossley: V_n⁺ = 1/α.
  EXPECT_NEAR(linear_coefficient(1e-4) * std::sqrt(1e-4), 1, 1e-3);
  EXPECT_NEAR(hunt_crossley_coefficient(1e-4) * 1e-4, 1, 1e-15);
}

TEST(Damper, Linear_SmallDampingLosesPiZeta) {
  const double zeta = 1e-8;
  EXPECT_NEAR(linear_loss(zeta) / zeta, std::numbers::pi, 1e-7);
}

TEST(Damper, Linear_ContinuousAcrossCriticalDamping) {
  for (const double zeta : {0.9999, 0.99995, 1.00005, 1.0001}) {
    const long double wide = zeta < 1 ? 2 * zeta * std::acos(static_cast<long double>(zeta)) /
                                            std::sqrt(1 - static_cast<long double>(zeta) * zeta)
                                      : 2 * zeta * std::acosh(static_cast<long double>(zeta)) /
                                            std::sqrt(static_cast<long double>(zeta) * zeta - 1);
    EXPECT_NEAR(linear_loss(zeta), static_cast<double>(wide), 1e-13);
  }
}

TEST(Damper, HuntCrossley_SmallLossesAreTwoThirdsOfTheCoefficient) {
  // HC75: e ≈ 1 − ⅔ α v for small losses, with F = k x (1 + α ẋ).
  const double e = 1 - 1e-6;
  EXPECT_NEAR(hunt_crossley_coefficient(e) * 2 / 3 / (1 - e), 1, 2e-6);
}

TEST(Damper, HuntCrossley_SolvesItsEquationInExtendedPrecision) {
  for (const double e : {0.05, 0.1, 0.3, 0.6, 0.9, 0.99}) {
    const long double U = hunt_crossley_coefficient(e);
    const long double left = U - std::log1p(U);
    const long double right = -e * U - std::log1p(-e * U);
    // Its slope in U at the root, times the rounding of U.
    const long double slope = U / (1 + U) + e * e * U / (1 - e * U);
    EXPECT_LT(std::abs(left - right), 1e-15L * slope * U * 4) << e;
  }
}

}  // namespace
}  // namespace ricochet::compliant
