#include "ricochet/base/bracketed_newton.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ricochet {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

TEST(BracketedNewton, FindsARootToRounding) {
  const auto root = bracketed_newton(
      [](double x) {
        return ValueAndSlope<double>{x * x - 2, 2 * x};
      },
      0.0, 2.0, 1.0, 2 * eps);
  EXPECT_DOUBLE_EQ(root.next, std::sqrt(2.0));
  EXPECT_LE(root.evaluations, 8);
}

TEST(BracketedNewton, EndsOfTheBracketMayBeInEitherOrder) {
  const auto root = bracketed_newton(
      [](double x) {
        return ValueAndSlope<double>{2 - x * x, -2 * x};
      },
      2.0, 0.0, 1.0, 2 * eps);
  EXPECT_DOUBLE_EQ(root.next, std::sqrt(2.0));
}

TEST(BracketedNewton, StepsThatLeaveTheBracketAreReplacedByBisection) {
  // From 3 Newton's iteration on the arctangent diverges.
  const auto root = bracketed_newton(
      [](double x) {
        return ValueAndSlope<double>{std::atan(x - 0.25), 1 / (1 + (x - 0.25) * (x - 0.25))};
      },
      -10.0, 30.0, 29.0, 2 * eps);
  EXPECT_DOUBLE_EQ(root.next, 0.25);
}

TEST(BracketedNewton, ZeroSlopeIsNoObstacle) {
  const auto root = bracketed_newton(
      [](double x) {
        return ValueAndSlope<double>{x < 1 ? -1.0 : x - 1, 0.0};
      },
      0.0, 3.0, 2.5, 2 * eps);
  EXPECT_NEAR(root.next, 1, 4 * eps);
}

TEST(BracketedNewton, SlowIterationIsHelpedByHalving) {
  // A zero of multiplicity 9 seen from afar: Newton alone gains the factor 8/9 in a step.
  const auto root = bracketed_newton(
      [](double x) {
        return ValueAndSlope<double>{std::pow(x, 9) - 1e-270, 9 * std::pow(x, 8)};
      },
      0.0, 1e30, 1e30, 4 * eps);
  EXPECT_NEAR(root.next, 1e-30, 1e-44);
  EXPECT_LT(root.evaluations, 600);
}

TEST(BracketedNewton, ServesOtherPrecisions) {
  const auto f = bracketed_newton(
      [](float x) {
        return ValueAndSlope<float>{x * x * x - 5, 3 * x * x};
      },
      0.0F, 5.0F, 2.0F, 2 * std::numeric_limits<float>::epsilon());
  EXPECT_FLOAT_EQ(f.next, std::cbrt(5.0F));
  const auto l = bracketed_newton(
      [](long double x) {
        return ValueAndSlope<long double>{x * x * x - 5, 3 * x * x};
      },
      0.0L, 5.0L, 2.0L, 2 * std::numeric_limits<long double>::epsilon());
  EXPECT_LE(std::abs(l.next - std::cbrt(5.0L)), 2 * std::numeric_limits<long double>::epsilon());
}

}  // namespace
}  // namespace ricochet
