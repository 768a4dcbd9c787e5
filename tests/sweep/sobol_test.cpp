#include "ricochet/sweep/sobol.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace ricochet::sweep {
namespace {

double fraction(std::uint64_t bits) { return static_cast<double>(bits >> 11U) * 0x1p-53; }

TEST(Sobol, TheFirstPointsOfTwoDimensions_AreThePublishedOnes) {
  const Sobol sobol = Sobol::make(2).value();
  const double expected[][2] = {{0, 0},         {0.5, 0.5},     {0.75, 0.25},   {0.25, 0.75},
                                {0.375, 0.375}, {0.875, 0.875}, {0.625, 0.125}, {0.125, 0.625}};
  for (std::uint64_t i = 0; i < 8; ++i)
    for (std::size_t d = 0; d < 2; ++d) EXPECT_EQ(fraction(sobol.bits(i, d)), expected[i][d]) << i;
}

TEST(Sobol, EveryAlignedRunOf1024Points_FillsEachOf1024PartsOnce) {
  const Sobol sobol = Sobol::make(200).value();
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{7} << 10U, std::uint64_t{123'456'789} << 10U})
    for (std::size_t d = 0; d < 200; ++d) {
      std::set<std::uint64_t> parts;
      for (std::uint64_t i = 0; i < 1024; ++i) parts.insert(sobol.bits(first + i, d) >> 54U);
      EXPECT_EQ(parts.size(), 1024U) << d;
    }
}

TEST(Sobol, TheFirstTwoDimensions_AreANetInEveryShapeOfBox) {
  const Sobol sobol = Sobol::make(2).value();
  for (unsigned across = 0; across <= 10; ++across) {
    std::set<std::pair<std::uint64_t, std::uint64_t>> boxes;
    for (std::uint64_t i = 0; i < 1024; ++i)
      boxes.insert({across == 0 ? 0 : sobol.bits(i, 0) >> (64U - across),
                    across == 10 ? 0 : sobol.bits(i, 1) >> (54U + across)});
    EXPECT_EQ(boxes.size(), 1024U) << across;
  }
}

TEST(Sobol, MoreDimensionsThanThereAreDirectionNumbers_AreRefused) {
  const auto none = Sobol::make(4000);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::out_of_range);
}

}  // namespace
}  // namespace ricochet::sweep
