#include "ricochet/base/pack.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace ricochet {
namespace {

enum class Colour : std::uint8_t { red, green = 7 };

/// Numbers of all sizes, zeros of both signs, infinities and NaN.
template <class T>
std::vector<T> awkward() {
  using limits = std::numeric_limits<T>;
  std::vector<T> out{T(0),
                     -T(0),
                     T(1),
                     -T(1),
                     limits::infinity(),
                     -limits::infinity(),
                     limits::max(),
                     limits::min(),
                     limits::denorm_min(),
                     limits::quiet_NaN()};
  std::mt19937_64 random(3);
  while (out.size() < 64) out.push_back(std::ldexp(T(double(random() >> 11) * 0x1p-53 - 0.5), int(random() % 80) - 40));
  return out;
}

/// The same bits; one NaN is like another.
template <class T>
::testing::AssertionResult same(T x, T y) {
  const bool alike = (std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y));
  if (alike) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << x << " is not " << y;
}

template <class T, int N>
void every_lane_rounds_as_a_single_number() {
  using P = Pack<T, N>;
  const std::vector<T> numbers = awkward<T>();
  for (std::size_t i = 0; i + N <= numbers.size(); ++i) {
    for (std::size_t j = 0; j + N <= numbers.size(); ++j) {
      const P x = P::load(&numbers[i]), y = P::load(&numbers[j]);
      const P sum = x + y, difference = x - y, product = x * y, quotient = x / y, root = sqrt(x), size = abs(x);
      const P chosen = select(x < y, x, y);
      for (int k = 0; k < N; ++k) {
        const T a = numbers[i + std::size_t(k)], b = numbers[j + std::size_t(k)];
        ASSERT_TRUE(same(sum[k], T(a + b)));
        ASSERT_TRUE(same(difference[k], T(a - b)));
        ASSERT_TRUE(same(product[k], T(a * b)));
        ASSERT_TRUE(same(quotient[k], T(a / b)));
        ASSERT_TRUE(same(root[k], std::sqrt(a)));
        ASSERT_TRUE(same(size[k], std::abs(a)));
        ASSERT_TRUE(same(chosen[k], select(a < b, a, b)));
        ASSERT_EQ((x < y)[k], a < b);
        ASSERT_EQ((x >= y)[k], a >= b);
        ASSERT_EQ((x == y)[k], a == b);
        ASSERT_EQ((!(x <= y))[k], !(a <= b));
      }
    }
  }
}

// Wider ones need wider registers: tests/batch/collide_test.cpp runs them where the processor has those.
TEST(Pack, EveryLaneRoundsAsASingleNumber) {
  every_lane_rounds_as_a_single_number<double, 2>();
  every_lane_rounds_as_a_single_number<float, 4>();
}

TEST(Pack, AnyAndAllOfEveryPatternOfVerdicts) {
  using P = Pack<float, 4>;
  for (unsigned bits = 0; bits < 16; ++bits) {
    P x(0);
    for (int k = 0; k < 4; ++k) x.v[k] = (bits >> k & 1U) != 0 ? -1.0F : 1.0F;
    EXPECT_EQ(any(x < P(0)), bits != 0);
    EXPECT_EQ(all(x < P(0)), bits == 15);
    const auto colours = select(x < P(0), Colour::green, Colour::red);
    for (int k = 0; k < 4; ++k) EXPECT_EQ(colours[k], (bits >> k & 1U) != 0 ? Colour::green : Colour::red);
    EXPECT_EQ(any(colours == Colour::green), bits != 0);
  }
}

}  // namespace
}  // namespace ricochet
