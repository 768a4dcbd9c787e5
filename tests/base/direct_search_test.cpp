#include "ricochet/base/direct_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace ricochet {
namespace {

TEST(DirectSearch, SmoothBowl_ItsMiddle) {
  const auto found = direct_search(
      [](const std::vector<double>& x) {
        const double a = x[0] - 0.31, b = x[1] - 0.77, c = x[2] - 0.5;
        return a * a + 30 * (b + 2 * a) * (b + 2 * a) + 0.1 * c * c;
      },
      3);
  EXPECT_TRUE(found.settled);
  EXPECT_NEAR(found.x[0], 0.31, 1e-6);
  EXPECT_NEAR(found.x[1], 0.77, 1e-6);
  EXPECT_NEAR(found.x[2], 0.5, 1e-6);
  EXPECT_GT(found.agreeing, 1);
}

TEST(DirectSearch, KinksOnASlant_TheWayDownIsFound) {
  // From most places on the edges of these kinks no axis leads down.
  const auto found = direct_search(
      [](const std::vector<double>& x) {
        return std::max(std::abs(x[0] - 0.3), 5 * std::abs(x[0] + x[1] - 0.9)) + 3 * std::abs(x[2] - 0.4 * x[0] - 0.2);
      },
      3);
  EXPECT_NEAR(found.f, 0, 1e-6);
  EXPECT_NEAR(found.x[0], 0.3, 1e-6);
  EXPECT_NEAR(found.x[1], 0.6, 1e-6);
  EXPECT_NEAR(found.x[2], 0.32, 1e-6);
}

TEST(DirectSearch, LeastAtTheEndOfTheRange_IsReachedExactly) {
  const auto found = direct_search([](const std::vector<double>& x) { return x[0] + (1 - x[1]) * (2 + x[0]); }, 2);
  EXPECT_EQ(found.x[0], 0);
  EXPECT_EQ(found.x[1], 1);
}

TEST(DirectSearch, SeveralMinima_TheDeepest) {
  // Depth grows to the right; the minima lie at 0.1, 0.3, 0.5, 0.7, 0.9 up to the tilt.
  const auto f = [](const std::vector<double>& x) { return std::cos(10 * std::numbers::pi * x[0]) - 0.3 * x[0]; };
  const auto found = direct_search(f, 1);
  double best = 1e9;
  for (int i = 0; i <= 1000000; ++i) best = std::min(best, f({i / 1e6}));
  EXPECT_LE(found.f, best + 1e-12);
}

TEST(DirectSearch, EqualMinima_TheOneWithTheSmallestFirstParameter) {
  const auto found = direct_search(
      [](const std::vector<double>& x) { return std::pow(std::sin(3 * std::numbers::pi * x[0] - 1), 2); }, 1);
  EXPECT_NEAR(found.x[0], 1 / (3 * std::numbers::pi), 1e-7);
}

TEST(DirectSearch, NoAnswerAnywhere_IsNotSettledOnANumber) {
  const auto found = direct_search([](const std::vector<double>&) { return std::nan(""); }, 2);
  EXPECT_TRUE(std::isinf(found.f));
}

TEST(DirectSearch, BudgetSpent_IsSaid) {
  const auto found =
      direct_search([](const std::vector<double>& x) { return std::abs(x[0] - 0.123456) + std::abs(x[1] - 0.654321); },
                    2, {.budget = 100});
  EXPECT_FALSE(found.settled);
}

}  // namespace
}  // namespace ricochet
