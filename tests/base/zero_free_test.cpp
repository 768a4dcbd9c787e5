#include "ricochet/base/zero_free.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>

#include "random_contact.hpp"

namespace ricochet {
namespace {

using namespace testing;

/// Two pairs of zeros, each real or conjugate, with the smallest modulus among them.
struct Drawn {
  Coefficients<double, 4> c;
  double nearest;
};

Drawn random_quartic(Rng& rng) {
  std::array<double, 3> q[2];
  double nearest = std::numeric_limits<double>::infinity();
  for (auto& pair : q) {
    if (chance(rng, 0.5)) {
      const double a = log_uniform(rng, -2, 2) * (chance(rng, 0.5) ? 1 : -1);
      const double b = log_uniform(rng, -2, 2) * (chance(rng, 0.5) ? 1 : -1);
      pair = {a * b, -(a + b), 1};
      nearest = std::min({nearest, std::abs(a), std::abs(b)});
    } else {
      const std::complex<double> z = std::polar(log_uniform(rng, -2, 2), uniform(rng, 0, 3.14));
      pair = {std::norm(z), -2 * z.real(), 1};
      nearest = std::min(nearest, std::abs(z));
    }
  }
  Drawn out{{}, nearest};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) out.c[i + j] += q[0][i] * q[1][j];
  return out;
}

TEST(ZeroFree, NeverMissesAZeroInTheDisc_AndSeesNoneBeyondAQuarterMore) {
  Rng rng(8);
  for (int trial = 0; trial < 20000; ++trial) {
    const Drawn drawn = random_quartic(rng);
    EXPECT_FALSE(zero_free<double>(drawn.c, drawn.nearest * 1.0001));
    EXPECT_TRUE(zero_free<double>(drawn.c, drawn.nearest / 1.25));
  }
}

TEST(ZeroFree, DegenerateCoefficients) {
  EXPECT_TRUE(zero_free<double>({2, 0, 0, 0, 0}, 100));
  EXPECT_FALSE(zero_free<double>({0, 1, 0, 0, 0}, 1e-9));
  EXPECT_FALSE(zero_free<double>({0, 0, 0, 0, 0}, 1));
  EXPECT_FALSE(zero_free<double>({1, 1e200, 0, 0, 1e300}, 1e100));
}

}  // namespace
}  // namespace ricochet
