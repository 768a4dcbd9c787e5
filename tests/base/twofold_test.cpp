#include "ricochet/base/twofold.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ricochet {
namespace {

TEST(Twofold, ProductIsExact) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 10000; ++i) {
    const double a = std::ldexp(static_cast<double>(random() >> 11), i % 100 - 50);
    const double b = -static_cast<double>(random() >> 11);
    const auto p = Twofold<double>::product(a, b);
    EXPECT_EQ(p.hi, a * b);
    EXPECT_EQ(p.lo, std::fma(a, b, -p.hi));  // rounded once, and the remainder of a product fits
  }
}

TEST(Twofold, SumKeepsWhatRoundingDrops) {
  Twofold<double> s;
  s += 1e16;
  for (int i = 0; i < 1000; ++i) s += 0.25;
  s += -1e16;
  EXPECT_EQ(s.hi, 250);
  EXPECT_EQ(s.lo, 0);
}

TEST(Twofold, ProductOfTwoTwofolds) {
  // (1 + 2⁻⁶⁰)(1 − 2⁻⁶⁰) = 1 − 2⁻¹²⁰, beyond what it keeps; (1 + 2⁻⁶⁰)² − 1 = 2⁻⁵⁹ is not.
  const double tiny = std::ldexp(1.0, -60);
  const Twofold<double> up{1, tiny}, down{1, -tiny};
  EXPECT_EQ((up * down).hi, 1);
  EXPECT_EQ((up * down).lo, 0);
  Twofold<double> square = up * up;
  square += -1.0;
  EXPECT_EQ(square.hi, 2 * tiny);
}

TEST(Twofold, ExtendedPrecisionSplitsToo) {
  const long double a = 1 + std::ldexp(1.0L, -50), b = 1 + std::ldexp(1.0L, -40);
  const auto p = Twofold<long double>::product(a, b);
  EXPECT_EQ(p.hi, 1 + std::ldexp(1.0L, -40) + std::ldexp(1.0L, -50));
  EXPECT_EQ(p.lo, std::ldexp(1.0L, -90));
}

}  // namespace
}  // namespace ricochet
