#include "ricochet/sweep/distribution.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ricochet::sweep {
namespace {

TEST(Distribution, TheNormalQuantile_InvertsTheErrorFunction) {
  for (double u = 0x1p-53; u < 0.5; u *= 1.37) {
    const double x = normal_quantile(u);
    // Φ has the condition number |x φ/Φ| ≈ x² in the tail.
    EXPECT_NEAR(0.5 * std::erfc(-x / std::sqrt(2.0)) / u, 1, 1e-15 * (4 + 2 * x * x)) << u;
    if (u > 1e-10) {
      EXPECT_NEAR(normal_quantile(1 - u), -x, 1e-15 / u + 1e-14) << u;
    }
  }
  EXPECT_EQ(normal_quantile(0.5), 0);
}

TEST(Distribution, QuantilesStayInTheirRange) {
  const Distribution uniform{DistributionKind::uniform, 0.1, 0.3, 0, 1, {}};
  const Distribution spread{DistributionKind::log_uniform, 1e-3, 0.7, 0, 1, {}};
  for (const double u : {0x1p-53, 1 - 0x1p-53}) {
    EXPECT_GE(uniform.quantile(u), 0.1);
    EXPECT_LE(uniform.quantile(u), 0.3);
    EXPECT_GE(spread.quantile(u), 1e-3);
    EXPECT_LE(spread.quantile(u), 0.7);
  }
  EXPECT_NEAR(spread.quantile(0.5), std::sqrt(1e-3 * 0.7), 1e-16);
}

TEST(Distribution, AGridHasBothEndsAndEqualSteps) {
  const Distribution uniform{DistributionKind::uniform, -1, 2, 0, 1, {}};
  const Distribution spread{DistributionKind::log_uniform, 1, 8, 0, 1, {}};
  for (std::uint64_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(uniform.grid_point(k, 4), -1.0 + static_cast<double>(k), 1e-15);
    EXPECT_NEAR(spread.grid_point(k, 4), std::pow(2.0, static_cast<double>(k)), 1e-14);
  }
}

TEST(Distribution, EachOfTheValuesHasTheSameShare) {
  const Distribution d{DistributionKind::values, 0, 1, 0, 1, {5, 7, 9}};
  int counts[3] = {};
  for (int k = 0; k < 300; ++k) ++counts[static_cast<int>(d.quantile((k + 0.5) / 300) - 5) / 2];
  for (const int count : counts) EXPECT_EQ(count, 100);
}

}  // namespace
}  // namespace ricochet::sweep
