#include "ricochet/base/gauss_kronrod.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "ricochet/base/gauss_legendre.hpp"

namespace ricochet {
namespace {

using One = Eigen::Matrix<double, 1, 1>;

template <class F>
Quadrature<double, 1> integral(const F& f, double a, double b, double tolerance = 1e-12) {
  const double ends[] = {a, b};
  return integrate<double, 1, 64>([&](double x) { return One(f(x)); }, ends, 2,
                                  [](const One& total) { return One(total.cwiseAbs()); }, tolerance);
}

TEST(GaussLegendre, IsExactForPolynomialsUpToDegree31) {
  const auto& table = gauss_legendre<double>();
  for (const int degree : {0, 1, 2, 7, 16, 31}) {
    double sum = 0;
    for (std::size_t i = 0; i < table.size; ++i) sum += table.weight(i) * std::pow(table.node(i), degree);
    EXPECT_NEAR(sum, 1.0 / (degree + 1), 4e-16) << degree;
  }
}

TEST(GaussKronrod, ClosedForms) {
  EXPECT_NEAR(integral([](double x) { return std::exp(x); }, 0, 1).value(0), std::numbers::e - 1, 1e-15);
  EXPECT_NEAR(integral([](double x) { return 1 / (1 + x * x); }, -5, 5).value(0), 2 * std::atan(5), 1e-14);
  EXPECT_NEAR(integral([](double x) { return std::sin(40 * x) * std::sin(40 * x); }, 0, 1).value(0),
              0.5 - std::sin(80) / 160, 1e-13);
}

TEST(GaussKronrod, SingularSlopeAndKink_AreRefinedWhereTheyAre) {
  const auto root = integral([](double x) { return std::sqrt(x); }, 0, 1, 1e-10);
  EXPECT_TRUE(root.converged);
  EXPECT_NEAR(root.value(0), 2.0 / 3, 1e-10);
  const auto kink = integral([](double x) { return std::abs(x - 0.3); }, 0, 1, 1e-10);
  EXPECT_NEAR(kink.value(0), (0.09 + 0.49) / 2, 1e-10);
}

TEST(GaussKronrod, BreakpointAtAJump_MakesItSmooth) {
  int calls = 0;
  const auto f = [&](double x) {
    ++calls;
    return One(x < 0.3 ? 1 : 5);
  };
  const double at[] = {0, 0.3, 0.3, 1};  // a repeated one is no interval
  const auto q = integrate<double, 1, 64>(
      f, at, 4, [](const One& v) { return One(v.cwiseAbs()); }, 1e-14);
  EXPECT_TRUE(q.converged);
  EXPECT_NEAR(q.value(0), 0.3 + 3.5, 1e-14);
  EXPECT_EQ(calls, 30);
}

TEST(GaussKronrod, ComponentsAreJudgedByTheScaleGiven) {
  using Two = Eigen::Matrix<double, 2, 1>;
  // The second component is a step that is not judged.
  const double ends[] = {0, 1};
  const auto q =
      integrate<double, 2, 8>([](double x) { return Two(x * x, x < 0.2 ? 0 : 1); }, ends, 2,
                              [](const Two& v) { return Two(v(0), std::numeric_limits<double>::infinity()); }, 1e-14);
  EXPECT_TRUE(q.converged);
  EXPECT_NEAR(q.value(0), 1.0 / 3, 1e-15);
}

TEST(GaussKronrod, TooFewIntervals_SaySo) {
  const double ends[] = {0, 1};
  const auto q = integrate<double, 1, 3>([](double x) { return One(1 / std::sqrt(x)); }, ends, 2,
                                         [](const One& v) { return One(v.cwiseAbs()); }, 1e-14);
  EXPECT_FALSE(q.converged);
  EXPECT_GT(q.error, 1e-14);
  const auto bad = integral([](double) { return std::numeric_limits<double>::quiet_NaN(); }, 0, 1);
  EXPECT_FALSE(bad.converged);
}

TEST(GaussKronrod, ServesFloat) {
  using F = Eigen::Matrix<float, 1, 1>;
  const float ends[] = {0, 1};
  const auto q = integrate<float, 1, 16>([](float x) { return F(std::cos(x)); }, ends, 2,
                                         [](const F& v) { return F(v.cwiseAbs()); }, 1e-5F);
  EXPECT_NEAR(q.value(0), std::sin(1.0F), 1e-6F);
}

}  // namespace
}  // namespace ricochet
