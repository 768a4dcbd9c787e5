#include "ricochet/base/parameter.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

namespace ricochet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Interval, AnInfiniteEndIsTakenWhereItIsClosedOnly) {
  EXPECT_TRUE(at_least(0).contains(infinity));
  EXPECT_FALSE(finite_from(0).contains(infinity));
  EXPECT_TRUE(finite_from(0).contains(0));
  EXPECT_FALSE(finite_above(0).contains(0));
  EXPECT_FALSE(any_finite().contains(-infinity));
  EXPECT_TRUE(any_finite().contains(-1e308));
  for (const Interval& bounds : {between(0, 1), at_least(0), finite_from(0), finite_above(0), any_finite(), Interval{}})
    EXPECT_FALSE(bounds.contains(std::nan("")));
}

TEST(Parameter, RangesReadAsAPersonWouldWriteThem) {
  const auto text = [](const Interval& bounds) { return range_text(ParameterInfo{.name = "x", .bounds = bounds}); };
  EXPECT_EQ(text(between(-1, 1)), "-1 to 1");
  EXPECT_EQ(text(between(0, 2 * std::numbers::pi)), "0 to 2 pi");
  EXPECT_EQ(text(at_least(0)), "0 to inf");
  EXPECT_EQ(text(finite_from(0)), "0 or more, finite");
  EXPECT_EQ(text(finite_above(0)), "above 0, finite");
  EXPECT_EQ(text(any_finite()), "any finite");
  EXPECT_EQ(text(Interval{0, 1, true, true}), "above 0, below 1");
  EXPECT_EQ(range_text(ParameterInfo{.name = "x", .bounds = at_least(0), .not_below = "mu"}), "mu to inf");
}

TEST(Parameter, MessagesNameValueAndRange) {
  const auto said = [](double value, const Interval& bounds) { return in_range("x", value, bounds).error().message(); };
  EXPECT_EQ(said(1.5, between(0, 1)), "x = 1.5: must be between 0 and 1");
  EXPECT_EQ(said(-1, at_least(0)), "x = -1: must be at least 0, or inf");
  EXPECT_EQ(said(infinity, finite_from(0)), "x = inf: must be finite and at least 0");
  EXPECT_EQ(said(0, finite_above(0)), "x = 0: must be above 0 and finite");
  EXPECT_EQ(said(infinity, any_finite()), "x = inf: must be finite");
  EXPECT_EQ(said(1, Interval{0, 1, true, true}), "x = 1: must be above 0 and below 1");
  EXPECT_TRUE(in_range("x", 0.5, between(0, 1)));
  EXPECT_EQ(in_range("x", 2, between(0, 1)).error().code, ErrorCode::out_of_range);
}

TEST(Parameter, ChoicesAreListed) {
  static constexpr std::array<std::string_view, 3> words{"red", "green", "blue"};
  const ParameterInfo info{.name = "colour", .kind = ParameterKind::word, .choices = words};
  EXPECT_EQ(range_text(info), "red, green or blue");
  EXPECT_EQ(not_a_choice(info, "pink").message(), "colour = pink: must be red, green or blue");
}

}  // namespace
}  // namespace ricochet
