#include "ricochet/base/elementary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ricochet {
namespace {

double unit_of(long double x) {
  const double size = std::abs(static_cast<double>(x));
  return std::nextafter(size, std::numeric_limits<double>::infinity()) - size;
}

TEST(Elementary, LogIsWithinAUnitOfItsLastPlace) {
  for (double x = 0x1p-1060; x < 1e308; x *= 1.0123456789) {  // from subnormal numbers on
    const long double exact = std::log(static_cast<long double>(x));
    ASSERT_LE(std::abs(static_cast<double>(fixed_log(x) - exact)), unit_of(exact)) << x;
  }
  for (double x = 0.5; x < 2; x += 0x1p-13 + 0x1p-40) {
    const long double exact = std::log(static_cast<long double>(x));
    ASSERT_LE(std::abs(static_cast<double>(fixed_log(x) - exact)), unit_of(exact)) << x;
  }
  EXPECT_EQ(fixed_log(1), 0);
}

TEST(Elementary, ExpIsWithinAUnitOfItsLastPlace) {
  for (double x = -708; x < 709.7; x += 0.0123456789) {
    const long double exact = std::exp(static_cast<long double>(x));
    ASSERT_LE(std::abs(static_cast<double>(fixed_exp(x) - exact)), unit_of(exact)) << x;
  }
  EXPECT_EQ(fixed_exp(0), 1);
  EXPECT_EQ(fixed_exp(-1e300), 0);
  EXPECT_EQ(fixed_exp(1e300), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace ricochet
