#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "ricochet/batch/indexed_random.hpp"
#include "ricochet/sweep/statistics.hpp"

namespace ricochet::sweep {
namespace {

/// A spread that is small beside the numbers themselves loses nothing, as long as the centre is near them.
TEST(Moments, OfABlock_AreThoseOfExtendedPrecision) {
  for (const double shift : {0.0, 1e6, -1e9}) {
    std::vector<double> numbers;
    for (std::uint64_t i = 0; i < 1000; ++i) numbers.push_back(shift + IndexedRandom(3, i).uniform(-1, 1));
    numbers[17] = std::numeric_limits<double>::quiet_NaN();
    numbers[400] = std::numeric_limits<double>::infinity();
    long double sum = 0, squares = 0;
    for (const double x : numbers)
      if (std::isfinite(x)) sum += x;
    const long double mean = sum / 998;
    for (const double x : numbers)
      if (std::isfinite(x)) squares += (x - mean) * (x - mean);
    const Moments m = moments_of_block(numbers, 5000, shift + 0.3);
    EXPECT_EQ(m.count, 998U);
    EXPECT_EQ(m.infinite, 1U);
    const double rounding = std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(shift));
    EXPECT_NEAR(m.mean, static_cast<double>(mean), 2 * rounding);
    EXPECT_NEAR(m.squares, static_cast<double>(squares), 1e-13 * static_cast<double>(squares));
    EXPECT_EQ(numbers[m.least_at - 5000], m.least);
    EXPECT_EQ(numbers[m.greatest_at - 5000], m.greatest);
    for (const double x : numbers) EXPECT_FALSE(x < m.least || (std::isfinite(x) && x > m.greatest));
  }
}

TEST(Moments, OfEqualNumbers_HaveNoVariance_AndTheFirstIsTheLeast) {
  const std::vector<double> numbers(1024, 0.1);
  const Moments m = moments_of_block(numbers, 0, 0.1);
  EXPECT_EQ(m.mean, 0.1);
  EXPECT_EQ(m.squares, 0);
  EXPECT_EQ(m.least_at, 0U);
  EXPECT_EQ(m.greatest_at, 0U);
}

}  // namespace
}  // namespace ricochet::sweep
