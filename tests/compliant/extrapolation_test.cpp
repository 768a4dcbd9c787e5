#include "ricochet/compliant/extrapolation.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ricochet::compliant {
namespace {

using Stepper = Extrapolation<2>;

/// y' = 1 + y², y = tan t: not linear, and known.
void tangent(const Stepper::State& y, Stepper::State& dy) {
  dy[0] = 1 + y[0] * y[0];
  dy[1] = 2 * y[0] * y[1];  // y₁ = 1/cos² t
}

double error_of(int steps) {
  Stepper::State y{0, 1}, to, slope, end, difference;
  tangent(y, slope);
  for (int i = 0; i < steps; ++i) {
    Stepper::step(tangent, y, slope, 1.0 / steps, to, end, difference);
    y = to;
    slope = end;
  }
  return std::hypot(y[0] - std::tan(1.0), y[1] - 1 / (std::cos(1.0) * std::cos(1.0)));
}

TEST(Extrapolation, IsOfOrderEight) {
  const double coarse = error_of(8), fine = error_of(16);
  EXPECT_NEAR(std::log2(coarse / fine), 8, 0.5);
}

TEST(Extrapolation, ReachesRounding) { EXPECT_LT(error_of(200), 4e-15); }

TEST(Extrapolation, DifferenceIsThatOfOrderSix) {
  // One step: what order 8 adds to order 6, h⁷ in the leading term.
  const auto difference_of = [](double h) {
    Stepper::State to, slope, end, difference;
    const Stepper::State y{std::tan(0.3), 1 / (std::cos(0.3) * std::cos(0.3))};
    tangent(y, slope);
    Stepper::step(tangent, y, slope, h, to, end, difference);
    // Not smaller than the error of the result.
    EXPECT_GT(std::abs(difference[0]), std::abs(to[0] - std::tan(0.3 + h)));
    return std::abs(difference[0]);
  };
  EXPECT_NEAR(std::log2(difference_of(0.1) / difference_of(0.05)), 7, 0.3);
}

TEST(Extrapolation, NoNumberIsAnInfiniteError) {
  const double nan = std::nan("");
  EXPECT_TRUE(std::isinf(Stepper::error({nan, 0}, {1, 1})));
  EXPECT_EQ(Stepper::growth(Stepper::error({nan, 0}, {1, 1})), 0.1);
}

}  // namespace
}  // namespace ricochet::compliant
