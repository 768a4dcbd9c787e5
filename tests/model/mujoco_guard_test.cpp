#include "model/mujoco_guard.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace ricochet::mujoco {
namespace {

TEST(Guard, InternalErrorOfMuJoCo_ComesBackAsAValue) {
  for (int i = 0; i < 3; ++i) {
    const auto result = guarded([] { mju_error("the sky falls"); });
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message().find("the sky falls"), std::string::npos);
    EXPECT_TRUE(guarded([] {}));
  }
}

TEST(Guard, InnerErrorLeavesTheOuterGuardInForce) {
  bool inner_failed = false;
  const auto outer = guarded([&] {
    inner_failed = !guarded([] { mju_error("inner"); });
    mju_error("outer");
  });
  EXPECT_TRUE(inner_failed);
  ASSERT_FALSE(outer);
  EXPECT_NE(outer.error().message().find("outer"), std::string::npos);
}

TEST(Guard, WarningsAreKept_AndLeaveNoLogFile) {
  ASSERT_TRUE(guarded([] { mju_warning("rather hot"); }));
  EXPECT_NE(take_warnings().find("rather hot"), std::string::npos);
  EXPECT_TRUE(take_warnings().empty());
  EXPECT_FALSE(std::filesystem::exists("MUJOCO_LOG.TXT"));
}

}  // namespace
}  // namespace ricochet::mujoco
