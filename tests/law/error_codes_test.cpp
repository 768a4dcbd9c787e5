#include <gtest/gtest.h>

#include "ricochet/law/registry.hpp"

namespace ricochet {
namespace {

LawParameters given(double e, double mu) {
  LawParameters p;
  p.e = e;
  p.mu = mu;
  return p;
}

TEST(ErrorCodes, LawsTellMissingFromUnknownAndOutOfRange) {
  const Error missing = make_law("routh", {}).error();
  EXPECT_EQ(missing.code, ErrorCode::missing);
  EXPECT_TRUE(missing.value.empty());
  EXPECT_FALSE(missing.path.empty());

  const Error unknown = make_law("ruth", given(0.5, 0.3)).error();
  EXPECT_EQ(unknown.code, ErrorCode::unknown_name);
  EXPECT_EQ(unknown.path, "law");
  EXPECT_EQ(unknown.value, "ruth");

  const Error large = make_law("routh", given(1.5, 0.3)).error();
  EXPECT_EQ(large.code, ErrorCode::out_of_range);
  EXPECT_EQ(large.path, "e");
  EXPECT_EQ(large.value, "1.5");
}

TEST(ErrorCodes, ParametersTellUnknownNamesFromWrongTypes) {
  LawParameters p;
  const Error unknown = set(p, "mus", Value(0.3)).error();
  EXPECT_EQ(unknown.code, ErrorCode::unknown_name);
  EXPECT_EQ(unknown.path, "mus");
  const Error word = set(p, "mu", Value(std::string("rough"))).error();
  EXPECT_EQ(word.code, ErrorCode::wrong_type);
  EXPECT_EQ(word.path, "mu");
}

TEST(ErrorCodes, EveryLawWithoutParametersHasAnswerOrSaysWhatIsMissing) {
  for (const LawInfo& info : laws()) {
    const auto made = make_law(info.name, {});
    if (made) continue;
    EXPECT_EQ(made.error().code, ErrorCode::missing) << info.name;
    EXPECT_TRUE(made.error().value.empty()) << info.name;
  }
}

}  // namespace
}  // namespace ricochet
