#include "ricochet/base/polynomial.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <unsupported/Eigen/Polynomials>
#include <vector>

#include "random_contact.hpp"

namespace ricochet {
namespace {

using testing::chance;
using testing::log_uniform;
using testing::Rng;
using testing::uniform;

/// Coefficients of Π (x − root), in long double.
Coefficients<double, 4> product(const std::vector<double>& roots, double leading = 1) {
  std::vector<long double> c = {1};
  for (const double root : roots) {
    std::vector<long double> next(c.size() + 1, 0);
    for (std::size_t i = 0; i < c.size(); ++i) {
      next[i + 1] += c[i];
      next[i] -= c[i] * root;
    }
    c = next;
  }
  Coefficients<double, 4> out{};
  for (std::size_t i = 0; i < c.size(); ++i) out[i] = static_cast<double>(leading * c[i]);
  return out;
}

double size_at(const Coefficients<double, 4>& c, double x) {
  double sum = 0;
  for (std::size_t i = 0; i < 5; ++i) sum += std::abs(c[i]) * std::pow(std::abs(x), static_cast<double>(i));
  return sum;
}

long double value_at(const Coefficients<double, 4>& c, double x) {
  long double f = 0;
  for (std::size_t i = 5; i-- > 0;) f = f * x + c[i];
  return f;
}

TEST(RealZeros, ProductsOfKnownRootsGiveThemBack) {
  Rng rng(11);
  for (int trial = 0; trial < 20000; ++trial) {
    std::vector<double> roots;
    const int degree = 1 + static_cast<int>(uniform(rng, 0, 4));
    while (static_cast<int>(roots.size()) < degree) {
      const double root = (chance(rng, 0.5) ? 1 : -1) * log_uniform(rng, -1, 1);
      if (std::all_of(roots.begin(), roots.end(), [&](double x) { return std::abs(x - root) > 0.05; }))
        roots.push_back(root);
    }
    const auto zeros = real_zeros<double>(product(roots, log_uniform(rng, -5, 5)));
    std::sort(roots.begin(), roots.end());
    ASSERT_EQ(zeros.count, degree);
    for (int i = 0; i < degree; ++i) {
      const double root = roots[static_cast<std::size_t>(i)];
      // Coefficients are rounded: a root moves by eps × size / slope.
      double slope = 1;
      for (const double other : roots)
        if (other != root) slope *= std::abs(root - other);
      EXPECT_NEAR(zeros[i], root, 20 * 2.3e-16 * size_at(product(roots), root) / slope + 4e-16 * std::abs(root));
    }
  }
}

TEST(RealZeros, RandomQuarticsAgreeWithTheCompanionMatrix) {
  Rng rng(12);
  int compared = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    Coefficients<double, 4> c;
    for (double& x : c) x = uniform(rng, -1, 1);
    Eigen::Matrix<double, 5, 1> coefficients;
    for (int i = 0; i < 5; ++i) coefficients(i) = c[static_cast<std::size_t>(i)];
    const Eigen::PolynomialSolver<double, 4> solver(coefficients);
    std::vector<double> expected;
    bool doubtful = false;
    for (int i = 0; i < 4; ++i) {
      const std::complex<double> root = solver.roots()(i);
      const double height = std::abs(root.imag()) / (1 + std::abs(root));
      if (height < 1e-9)
        expected.push_back(root.real());
      else if (height < 1e-4)
        doubtful = true;
    }
    if (doubtful) continue;
    ++compared;
    std::sort(expected.begin(), expected.end());
    const auto zeros = real_zeros<double>(c);
    ASSERT_EQ(zeros.count, static_cast<int>(expected.size()));
    for (int i = 0; i < zeros.count; ++i)
      EXPECT_NEAR(zeros[i], expected[static_cast<std::size_t>(i)], 1e-7 * (1 + std::abs(zeros[i])));
  }
  EXPECT_GT(compared, 4500);
}

TEST(RealZeros, EveryZeroLeavesOnlyRounding) {
  Rng rng(13);
  for (int trial = 0; trial < 20000; ++trial) {
    Coefficients<double, 4> c;
    for (double& x : c) x = (chance(rng, 0.5) ? 1 : -1) * log_uniform(rng, -8, 8);
    for (const double x : real_zeros<double>(c))
      EXPECT_LE(std::abs(value_at(c, x)), 40 * 2.3e-16 * size_at(c, x)) << "x = " << x;
  }
}

TEST(RealZeros, MultipleRootsCountOnce) {
  const auto doubled = real_zeros<double>(product({1, 1, -2, 3}));
  ASSERT_EQ(doubled.count, 3);
  EXPECT_NEAR(doubled[0], -2, 1e-14);
  EXPECT_NEAR(doubled[1], 1, 1e-7);
  EXPECT_NEAR(doubled[2], 3, 1e-14);
  const auto two_doubles = real_zeros<double>(product({1, 1, -1, -1}));
  ASSERT_EQ(two_doubles.count, 2);
  EXPECT_NEAR(two_doubles[0], -1, 1e-7);
  EXPECT_NEAR(two_doubles[1], 1, 1e-7);
  const auto fourfold = real_zeros<double>(product({0.1, 0.1, 0.1, 0.1}));
  ASSERT_EQ(fourfold.count, 1);
  EXPECT_NEAR(fourfold[0], 0.1, 1e-3);  // the fourth root of rounding
  const auto triple = real_zeros<double>(product({0.7, 0.7, 0.7, -3}));
  ASSERT_EQ(triple.count, 2);
  EXPECT_NEAR(triple[0], -3, 1e-13);
  EXPECT_NEAR(triple[1], 0.7, 1e-4);
}

TEST(RealZeros, CloseRootsAreToldApartWhereRoundingAllows) {
  for (const double gap : {1e-2, 1e-4, 1e-6}) {
    const auto zeros = real_zeros<double>(product({1, 1 + gap, -2, 3}));
    ASSERT_EQ(zeros.count, 4) << gap;
    EXPECT_NEAR(zeros[1], 1, 1e-14 / gap);
    EXPECT_NEAR(zeros[2], 1 + gap, 1e-14 / gap);
  }
}

TEST(RealZeros, ComplexPairsAreNotReported) {
  EXPECT_EQ(real_zeros<double>({2, 0, 3, 0, 1}).count, 0);          // (x² + 1)(x² + 2)
  EXPECT_EQ(real_zeros<double>({-2, -1, 0.0, 1, 1}).count, 2);      // odd number of sign changes on each side
  EXPECT_EQ(real_zeros<double>({1 + 1e-6, -2, 1, 0, 0}).count, 0);  // (x − 1)² + 1e-6
  EXPECT_EQ(real_zeros<double>({1 - 1e-6, -2, 1, 0, 0}).count, 2);  // (x − 1)² − 1e-6
  EXPECT_EQ(real_zeros<double>({0, 0, 0, 0, 0}).count, 0);
  EXPECT_EQ(real_zeros<double>({5, 0, 0, 0, 0}).count, 0);
  const auto at_zero = real_zeros<double>({0, 0, 0, 0, -3});
  ASSERT_EQ(at_zero.count, 1);
  EXPECT_EQ(at_zero[0], 0.0);
}

TEST(RealZeros, ScaleOfRootsAndCoefficientsDoesNotMatter) {
  for (const double scale : {1e-60, 1e-20, 1e20, 1e60}) {
    for (const double leading : {1e-60, 1.0, 1e60}) {
      const auto zeros = real_zeros<double>(product({-3 * scale, -scale, 2 * scale, 5 * scale}, leading));
      ASSERT_EQ(zeros.count, 4) << scale << " " << leading;
      EXPECT_NEAR(zeros[0] / scale, -3, 1e-13);
      EXPECT_NEAR(zeros[1] / scale, -1, 1e-13);
      EXPECT_NEAR(zeros[2] / scale, 2, 1e-13);
      EXPECT_NEAR(zeros[3] / scale, 5, 1e-13);
    }
  }
  const auto spread = real_zeros<double>(product({1e-9, 1e-3, 1e3, 1e9}));
  ASSERT_EQ(spread.count, 4);
  EXPECT_NEAR(spread[0] / 1e-9, 1, 1e-13);
  EXPECT_NEAR(spread[1] / 1e-3, 1, 1e-13);
  EXPECT_NEAR(spread[2] / 1e3, 1, 1e-13);
  EXPECT_NEAR(spread[3] / 1e9, 1, 1e-13);
}

/// Π sin((φ − φ_i)/2) over four angles is a trigonometric polynomial of degree 2; its coefficients from five samples.
Trigonometric<double> with_zeros_at(const std::array<double, 4>& angles) {
  Trigonometric<double> f{0, 0, 0, 0, 0};
  for (int k = 0; k < 5; ++k) {
    const double phi = 2 * std::numbers::pi * k / 5;
    double value = 1;
    for (const double angle : angles) value *= std::sin((phi - angle) / 2);
    f.a += value / 5;
    f.b += value * std::cos(phi) * 2 / 5;
    f.c += value * std::sin(phi) * 2 / 5;
    f.d += value * std::cos(2 * phi) * 2 / 5;
    f.e += value * std::sin(2 * phi) * 2 / 5;
  }
  return f;
}

std::vector<double> angles_of(const CircleZeros<double>& zeros) {
  std::vector<double> angles;
  for (const Vec2& v : zeros) {
    const double angle = std::atan2(v(1), v(0));
    angles.push_back(angle < 0 ? angle + 2 * std::numbers::pi : angle);
  }
  std::sort(angles.begin(), angles.end());
  return angles;
}

TEST(ZerosOnCircle, ProductsOfKnownAnglesGiveThemBack) {
  Rng rng(14);
  for (int trial = 0; trial < 20000; ++trial) {
    std::array<double, 4> angles{};
    for (bool apart = false; !apart;) {
      for (double& angle : angles) angle = uniform(rng, 0, 2 * std::numbers::pi);
      std::sort(angles.begin(), angles.end());
      apart = angles[0] + 2 * std::numbers::pi - angles[3] > 0.05;
      for (std::size_t i = 1; i < 4; ++i) apart = apart && angles[i] - angles[i - 1] > 0.05;
    }
    const auto found = angles_of(zeros_on_circle(with_zeros_at(angles)));
    ASSERT_EQ(found.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(std::remainder(found[i] - angles[i], 2 * std::numbers::pi), 0, 1e-10);
  }
}

TEST(ZerosOnCircle, DenseScanFindsNoOtherChangeOfSign) {
  Rng rng(15);
  constexpr int samples = 2000;
  for (int trial = 0; trial < 1000; ++trial) {
    const Trigonometric<double> f{uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1),
                                  uniform(rng, -1, 1)};
    const auto at = [&](int k) {
      const double phi = 2 * std::numbers::pi * k / samples;
      return f.a + f.b * std::cos(phi) + f.c * std::sin(phi) + f.d * std::cos(2 * phi) + f.e * std::sin(2 * phi);
    };
    const auto found = angles_of(zeros_on_circle(f));
    std::vector<int> brackets(samples, 0);
    for (const double angle : found) {
      ++brackets[static_cast<std::size_t>(static_cast<int>(angle / (2 * std::numbers::pi) * samples) % samples)];
      EXPECT_NEAR(f.value(Vec2(std::cos(angle), std::sin(angle))), 0, 1e-14);
    }
    for (int k = 0; k < samples; ++k) {
      const bool changes = (at(k) < 0) != (at(k + 1) < 0);
      EXPECT_EQ(brackets[static_cast<std::size_t>(k)] % 2, changes ? 1 : 0) << "sample " << k;
    }
  }
}

TEST(ZerosOnCircle, TouchingZeroCountsOnceAndNoneIsNone) {
  const auto touch = zeros_on_circle<double>({1, -1, 0, 0, 0});  // 1 − cos φ
  ASSERT_EQ(touch.count, 1);
  EXPECT_NEAR(touch.at[0](0), 1, 1e-14);
  EXPECT_NEAR(touch.at[0](1), 0, 1e-7);
  EXPECT_EQ(zeros_on_circle<double>({1.001, -1, 0, 0, 0}).count, 0);
  EXPECT_EQ(zeros_on_circle<double>({0.999, -1, 0, 0, 0}).count, 2);
  EXPECT_EQ(zeros_on_circle<double>({0, 0, 0, 0, 1e-200}).count, 4);  // sin 2φ
  const auto everywhere = zeros_on_circle<double>({0, 0, 0, 0, 0});
  EXPECT_TRUE(everywhere.everywhere);
  EXPECT_EQ(everywhere.count, 0);
}

}  // namespace
}  // namespace ricochet
