#include "ricochet/base/error.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "ricochet/base/error_path.hpp"

namespace ricochet {
namespace {

TEST(ErrorMessage, NamesPathValueAndReason) {
  EXPECT_EQ((Error{ErrorCode::out_of_range, "e", "1.5", "must be between 0 and 1"}.message()),
            "e = 1.5: must be between 0 and 1");
  EXPECT_EQ((Error{ErrorCode::missing, "mu", "", "needed by routh"}.message()), "mu: needed by routh");
  EXPECT_EQ((Error{ErrorCode::malformed, "", "mu", "must be key=value"}.message()), "mu: must be key=value");
  EXPECT_EQ((Error{ErrorCode::missing, "", "", "is empty"}.message()), "is empty");
}

TEST(ErrorMessage, IsOneLineOfPrintableText) {
  const Error error{ErrorCode::unknown_name, "a\nb", std::string(1000, 'x'), "no\ttabs \xff"};
  const std::string text = error.message();
  EXPECT_EQ(text.find_first_of("\n\t\xff"), std::string::npos);
  EXPECT_LT(text.size(), 300u);
}

TEST(ErrorCodeName, EveryCodeHasItsOwn) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(ErrorCode::overflow); ++i) names.insert(name(static_cast<ErrorCode>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(ErrorCode::overflow) + 1);
  EXPECT_FALSE(names.contains("unknown"));
}

TEST(ErrorPath, StepsAndEntriesCountFromOne) {
  EXPECT_EQ(join_path(entry_path("body", 1), "inertia"), "body[2].inertia");
  EXPECT_EQ(path_steps("body[2].inertia"), (std::vector<PathStep>{{"body", 2}, {"inertia", 0}}));
  EXPECT_EQ(path_steps("mu"), (std::vector<PathStep>{{"mu", 0}}));
  EXPECT_TRUE(path_steps("").empty());
  // A key of a file is one step, whatever is in it.
  EXPECT_EQ(key_step("inertia"), "inertia");
  for (const std::string_view key : {"", ".3]],", "a.b", "a[2]", "say \"so\".", "back\\", "two words"}) {
    const std::string path = join_path("body[2]", key_step(key));
    EXPECT_EQ(path_steps(path), (std::vector<PathStep>{{"body", 2}, {key_step(key), 0}})) << path;
  }
}

TEST(ErrorPath, BracketsWithoutANumberBelongToTheName) {
  EXPECT_EQ(path_steps("a[x]"), (std::vector<PathStep>{{"a[x]", 0}}));
  EXPECT_EQ(path_steps("a[1"), (std::vector<PathStep>{{"a[1", 0}}));
  EXPECT_EQ(path_steps("a[-1]"), (std::vector<PathStep>{{"a[-1]", 0}}));
  EXPECT_EQ(path_steps("a[99999999999999999999999]"), (std::vector<PathStep>{{"a[99999999999999999999999]", 0}}));
}

TEST(ErrorPath, ErrorOfAPartIsNamedInTheWhole) {
  const Error error = under("contact[3]", {ErrorCode::out_of_range, "mu", "-1", "must be at least 0"});
  EXPECT_EQ(error.path, "contact[3].mu");
  EXPECT_EQ(under("", error).path, "contact[3].mu");
}

}  // namespace
}  // namespace ricochet
