#include "ricochet/base/suggest.hpp"

#include <gtest/gtest.h>

#include <array>

namespace ricochet {
namespace {

TEST(Suggest, LetterChangedAddedLeftOutOrExchanged) {
  const std::array<std::string_view, 4> known{"two", "revolute", "mu_s", "knee_left"};
  EXPECT_EQ(closest("tow", known), "two");
  EXPECT_EQ(closest("twoo", known), "two");
  EXPECT_EQ(closest("revolut", known), "revolute");
  EXPECT_EQ(closest("Revoulte", known), "revolute");
  EXPECT_EQ(closest("knee_lfet", known), "knee_left");
  EXPECT_EQ(closest("otw", known), "");
  EXPECT_EQ(closest("", known), "");
  EXPECT_EQ(closest("elbow", known), "");
}

}  // namespace
}  // namespace ricochet
