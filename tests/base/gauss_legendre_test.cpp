#include "ricochet/base/gauss_legendre.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ricochet {
namespace {

TEST(GaussLegendre, IsExactForPolynomialsUpToDegree31) {
  const auto& table = gauss_legendre<double>();
  for (const int degree : {0, 1, 2, 7, 16, 31}) {
    double sum = 0;
    for (std::size_t i = 0; i < table.size; ++i) sum += table.weight(i) * std::pow(table.node(i), degree);
    EXPECT_NEAR(sum, 1.0 / (degree + 1), 4e-16) << degree;
  }
}

TEST(GaussPanel, TellsTheLastTwoLegendreCoefficients) {
  const auto& table = gauss_panel<double>();
  const auto coefficients = [&](auto&& f) {
    double c_14 = 0, c_15 = 0;
    for (int i = 0; i < table.size; ++i) {
      c_14 += table.c_14[i] * f(table.x[i]);
      c_15 += table.c_15[i] * f(table.x[i]);
    }
    return std::pair{c_14, c_15};
  };
  for (unsigned degree = 0; degree <= 15; ++degree) {
    const auto [c_14, c_15] = coefficients([&](double x) { return std::legendre(degree, x); });
    EXPECT_NEAR(c_14, degree == 14 ? 1 : 0, 1e-13) << degree;
    EXPECT_NEAR(c_15, degree == 15 ? 1 : 0, 1e-13) << degree;
  }
}

}  // namespace
}  // namespace ricochet
