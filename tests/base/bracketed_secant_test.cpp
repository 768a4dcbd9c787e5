#include "ricochet/base/bracketed_secant.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ricochet {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

template <class F>
Bracket<double> within(const F& f, double lo, double hi) {
  return bracketed_secant<double>(f, lo, f(lo), hi, f(hi), eps);
}

TEST(BracketedSecant, RisingAndFallingRoots) {
  EXPECT_NEAR(within([](double x) { return std::exp(x) - 3; }, 0, 4).middle(), std::log(3), 2 * eps);
  EXPECT_NEAR(within([](double x) { return 3 - std::exp(x); }, 0, 4).middle(), std::log(3), 2 * eps);
}

TEST(BracketedSecant, KeepsTheSignsAtBothEnds) {
  const auto f = [](double x) { return std::cos(x); };
  const auto b = within(f, 0, 3);
  EXPECT_GT(f(b.lo), 0);
  EXPECT_LE(f(b.hi), 0);
}

TEST(BracketedSecant, LopsidedFunctionsTakeNoMoreThanBisectionTimesThree) {
  // Regula falsi alone would creep from one side.
  const auto b = within([](double x) { return std::expm1(200 * (x - 0.1)); }, 0, 1);
  EXPECT_NEAR(b.middle(), 0.1, 1e-16);
  EXPECT_LT(b.evaluations, 3 * 53);
}

TEST(BracketedSecant, StopsAtTheToleranceAsked) {
  const auto f = [](double x) { return x * x - 2; };
  const auto b = bracketed_secant<double>(f, 0, f(0), 2, f(2), 1e-3);
  EXPECT_LE(b.hi - b.lo, 1e-3 * b.hi);
  EXPECT_LT(b.evaluations, 20);
}

}  // namespace
}  // namespace ricochet
