#include "ricochet/compliant/stick_modes.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ricochet::compliant {
namespace {

TEST(StickModes, UncoupledSprings_SwingOnTheirOwn) {
  const double kappa = 0.8, a = 3.5, b = 2;
  const StickModes<double> modes(Vec3(1, a, b).asDiagonal(), 1, kappa);
  SpatialState<double> start;
  start.v = Vec3(-1, 0.5, -0.25);
  for (const double t : {0.1, 1.0, 2.5}) {
    const auto s = modes.after(start, t);
    const double w1 = std::sqrt(kappa * a), w2 = std::sqrt(kappa * b);
    EXPECT_NEAR(s.N, std::sin(t), 1e-15);
    EXPECT_NEAR(s.v(0), -std::cos(t), 1e-15);
    EXPECT_NEAR(s.xi(0), 0.5 * std::sin(w1 * t) / w1, 1e-15);
    EXPECT_NEAR(s.xi(1), -0.25 * std::sin(w2 * t) / w2, 1e-15);
    EXPECT_NEAR(s.P(0), 1 - std::cos(t), 1e-15);
    EXPECT_NEAR(s.P(1), -0.5 / a * (1 - std::cos(w1 * t)), 1e-15);
    // The functions of time that events are found in are the same motion.
    EXPECT_NEAR(modes.force(start).at(t).f, s.N, 1e-15);
    EXPECT_NEAR(modes.approach(start).at(t).f, -s.v(0), 1e-15);
    EXPECT_NEAR(modes.below(start, 3).at(t).f, 3 - s.N, 1e-15);
    EXPECT_NEAR(modes.margin(start, 0.4, kappa).at(t).f, 0.4 * s.N - kappa * s.xi.norm(), 1e-15);
  }
}

TEST(StickModes, CoupledSprings_KeepTheirEnergyAndObeyTheImpulse) {
  Mat3 A;
  A << 1, 0.4, -0.2, 0.4, 2, 0.3, -0.2, 0.3, 1.5;
  const double kappa = 0.6, k_n = 4;
  const StickModes<double> modes(A, k_n, kappa);
  SpatialState<double> s;
  s.N = 0.3;
  s.xi = Vec2(0.1, -0.2);
  s.v = Vec3(-0.5, 0.7, 0.1);
  const auto later = modes.after(s, 1.7);
  EXPECT_LT((s.v + A * later.P - later.v).norm(), 1e-14);
  // P·(v + v')/2 is the change of kinetic energy.
  const auto stored = [&](const SpatialState<double>& x) {
    return x.N * x.N / (2 * k_n) + kappa * x.xi.squaredNorm() / 2;
  };
  EXPECT_NEAR(later.P.dot(s.v + later.v) / 2 + stored(later), stored(s), 1e-14);
}

TEST(StickModes, ImmovableDirection_HasFrequencyZero) {
  Mat3 A;  // of rank two
  A << 1, 0.5, 0, 0.5, 0.25, 0, 0, 0, 1;
  const StickModes<double> modes(A, 1, 1);
  int still = 0;
  for (int i = 0; i < 3; ++i) still += modes.frequencies()(i) == 0 ? 1 : 0;
  EXPECT_EQ(still, 1);
  // A spring softer by ten orders is slow, and moves.
  const StickModes<double> soft(Mat3::Identity(), 1, 1e-10);
  for (int i = 0; i < 3; ++i) EXPECT_GT(soft.frequencies()(i), 0);
}

}  // namespace
}  // namespace ricochet::compliant
