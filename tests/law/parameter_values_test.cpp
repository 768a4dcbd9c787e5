#include "ricochet/law/parameter_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "ricochet/law/cone_friction.hpp"

namespace ricochet {
namespace {

/// Every parameter of every law, made from values that no default has.
TEST(ParameterValues, EveryParameterOfTheTableIsThere_AndMakesTheSameLawAgain) {
  LawParameters given;
  const std::vector<std::pair<const char*, double>> numbers{
      {"e", 0.25},  {"e_t", 0.125},    {"mu", 0.375},     {"mu_s", 0.875}, {"e_k", 0.625},
      {"nu", 0.75}, {"mu_2", -0.0625}, {"mu_3", 0.03125}, {"psi_1", 0.5},  {"psi_2", 1.5},
      {"rho", 0.3}, {"sigma", 0.4},    {"smooth", 0.6},   {"kappa", 0.7}};
  for (const auto& [name, value] : numbers) ASSERT_TRUE(set(given, name, value)) << name;
  ASSERT_TRUE(set(given, "restitution", std::string("stronge")));
  ASSERT_TRUE(set(given, "damper", std::string("hunt-crossley")));
  const auto names = parameter_names();
  const char* target = std::find(names.begin(), names.end(), "wish") != names.end() ? "wish" : "target";
  ASSERT_TRUE(set(given, target, std::vector<double>{1, 2, 3}));
  for (const LawInfo& info : laws()) {
    const auto law = make_law(info.name, given);
    ASSERT_TRUE(law) << info.name << law.error().message();
    const auto values = parameter_values(*law);
    LawParameters again;
    std::set<std::string_view> found;
    for (const auto& [name, value] : values) {
      EXPECT_TRUE(found.insert(name).second) << info.name << ' ' << name << " twice";
      ASSERT_TRUE(set(again, name, value)) << info.name << ' ' << name;
    }
    for (const ParameterInfo& p : info.parameters) EXPECT_TRUE(found.contains(p.name)) << info.name << ' ' << p.name;
    const auto same = make_law(info.name, again);
    ASSERT_TRUE(same) << info.name;
    EXPECT_EQ(parameter_values(*same), values) << info.name;
  }
}

TEST(ParameterValues, DefaultsAreStated) {
  LawParameters given;
  given.e = 0.5;
  given.mu = 0.3;
  const auto values = parameter_values(make_law("routh", given).value());
  const std::vector<std::pair<std::string_view, Value>> known{
      {"e", 0.5}, {"mu", 0.3}, {"mu_s", 0.3}, {"restitution", std::string("poisson")}};
  EXPECT_EQ(values, known);
}

TEST(ConeFriction, IsTheStickingCoefficientWhereALawHasOne) {
  EXPECT_EQ(cone_friction(Law(Frictionless{.e = 0.5})), 0);
  EXPECT_EQ(cone_friction(Law(Smith{.e = 0.5, .mu = 0.3})), 0.3);
  EXPECT_EQ(cone_friction(Law(Routh{.e = 0.5, .mu = 0.3})), 0.3);
  EXPECT_EQ(cone_friction(Law(Routh{.e = 0.5, .mu = 0.3, .mu_s = 0.8})), 0.8);
  EXPECT_EQ(sliding_friction(Law(Routh{.e = 0.5, .mu = 0.3, .mu_s = 0.8})), 0.3);
}

}  // namespace
}  // namespace ricochet
