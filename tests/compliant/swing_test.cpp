#include "ricochet/compliant/swing.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "random_contact.hpp"

namespace ricochet::compliant {
namespace {

using testing::chance;
using testing::log_uniform;
using testing::Rng;

void expect_near(const Swing<double>& a, const Swing<long double>& b, double tolerance, int i) {
  const auto relative = [](double x, long double y, long double size) {
    return static_cast<double>(std::abs(static_cast<long double>(x) - y) / size);
  };
  const auto size = std::abs(b.C) + std::abs(b.S) + std::abs(b.B);
  EXPECT_LT(relative(a.C, b.C, size), tolerance) << i;
  EXPECT_LT(relative(a.S, b.S, size), tolerance) << i;
  EXPECT_LT(relative(a.B, b.B, size), tolerance) << i;
}

// The quotient as it is defined, in extended precision, wherever that leaves it enough digits.
TEST(Swing, DifferencesOfApartModes_AreTheQuotients) {
  Rng rng(3);
  for (int i = 0; i < 2000; ++i) {
    const double t = log_uniform(rng, -2, 0.5), large = log_uniform(rng, -2, 2);
    const double small = large * (chance(rng, 0.5) ? log_uniform(rng, -3, -0.05) : 1 - log_uniform(rng, -3, -0.3));
    if (large * t * t < 1e-2) continue;
    const long double gap = static_cast<long double>(large) - static_cast<long double>(small);
    const auto a = swing<long double>(large, t), b = swing<long double>(small, t);
    const Swing<long double> quotient{(a.C - b.C) / gap, (a.S - b.S) / gap, (a.B - b.B) / gap};
    expect_near(swing_difference(large, small, t), quotient, 1e-12, i);
    expect_near(swing_difference(small, large, t), quotient, 1e-12, i);
  }
}

// Where the modes coincide: dC/dλ = −t S/2, dS/dλ = (t C − S)/(2λ), dB/dλ = (t S/2 − B)/λ.
TEST(Swing, DifferencesOfEqualModes_AreDerivatives) {
  Rng rng(4);
  for (int i = 0; i < 500; ++i) {
    const double t = log_uniform(rng, -1, 0.5), lambda = log_uniform(rng, -1, 2);
    if (lambda * t * t < 0.1) continue;
    const auto s = swing<long double>(lambda, t);
    const long double l = lambda, x = t;
    const Swing<long double> slope{-x * s.S / 2, (x * s.C - s.S) / (2 * l), (x * s.S / 2 - s.B) / l};
    expect_near(swing_difference(lambda, lambda, t), slope, 1e-12, i);
    expect_near(swing_difference(lambda, lambda * (1 + 1e-15), t), slope, 1e-12, i);
  }
}

}  // namespace
}  // namespace ricochet::compliant
