/// The table of laws is the only place that knows ranges: files, the command line and C++ callers are refused alike.

#include "ricochet/law/law_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "ricochet/law/make_law.hpp"
#include "ricochet/law/planar_closed_forms.hpp"

namespace ricochet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// In the range of every law.
LawParameters moderate() {
  LawParameters s;
  s.e = s.e_k = s.nu = s.rho = s.sigma = 0.5;
  s.e_t = s.mu_2 = s.mu_3 = s.smooth = 0.1;
  s.mu = 0.3;
  s.mu_s = 0.4;
  s.psi_1 = s.psi_2 = s.kappa = 1;
  s.target = Vec3(1, 0, 0);
  return s;
}

LawParameters with(std::string_view name, double value) {
  LawParameters s = moderate();
  EXPECT_TRUE(set(s, name, value));
  // Keeps mu_s from being below mu, which is a fault of its own.
  if (name == "mu") s.mu_s.reset();
  return s;
}

Contact some_contact() {
  return contact_from_mass(Vec3(2, 1, 1).asDiagonal() * Mat3::Identity(), Vec3(-1, 0.5, 0), Vec3::UnitX()).value();
}

TEST(LawTable, EndsOfARangeAreTakenWhereTheyAreClosedAndRefusedWhereTheyAreOpen) {
  int ends = 0;
  for (const LawInfo& info : laws()) {
    for (const ParameterInfo& p : info.parameters) {
      if (p.kind != ParameterKind::number) continue;
      const double low = p.not_below.empty() ? p.bounds.low : *moderate().mu;
      for (const auto& [end, open] :
           {std::pair{low, p.bounds.low_open}, std::pair{p.bounds.high, p.bounds.high_open}}) {
        SCOPED_TRACE(std::string(info.name) + " " + std::string(p.name) + " = " + to_text(end));
        const auto made = make_law(info.name, with(p.name, end));
        ++ends;
        if (open) {
          ASSERT_FALSE(made);
          EXPECT_EQ(made.error().code, ErrorCode::out_of_range);
          EXPECT_EQ(made.error().path, p.name);
        } else {
          EXPECT_TRUE(made) << made.error().message();
        }
      }
    }
  }
  EXPECT_GT(ends, 60);
}

TEST(LawTable, ValuesBesideARangeAreRefusedWithWhatIsAllowed) {
  for (const LawInfo& info : laws()) {
    for (const ParameterInfo& p : info.parameters) {
      if (p.kind != ParameterKind::number) continue;
      const double low = p.not_below.empty() ? p.bounds.low : *moderate().mu;
      for (const double beside : {std::nextafter(low, -infinity), std::nextafter(p.bounds.high, infinity)}) {
        if (p.bounds.contains(beside) && beside >= low) continue;
        SCOPED_TRACE(std::string(info.name) + " " + std::string(p.name) + " = " + to_text(beside));
        const auto made = make_law(info.name, with(p.name, beside));
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().code, ErrorCode::out_of_range);
        EXPECT_EQ(made.error().path, p.name);
        EXPECT_EQ(made.error().value, to_text(beside));
        EXPECT_TRUE(made.error().allowed.starts_with("must be ")) << made.error().allowed;
      }
    }
  }
}

TEST(LawTable, CallersInCppAreCheckedByTheSameRow) {
  const Contact contact = some_contact();
  const auto refused = [&](const auto& law, std::string_view path, std::string_view allowed) {
    const auto hit = collide(law, contact);
    ASSERT_FALSE(hit);
    EXPECT_EQ(hit.error().code, ErrorCode::out_of_range);
    EXPECT_EQ(hit.error().path, path);
    EXPECT_EQ(hit.error().allowed, allowed);
  };
  refused(Frictionless{.e = 1.5}, "e", "must be between 0 and 1");
  refused(ChatterjeeRuina{.e = 0.5, .e_t = -1.5, .mu = 0.3}, "e_t", "must be between -1 and 1");
  refused(Smith{.e = 0.5, .mu = -0.1}, "mu", "must be at least 0, or inf");
  refused(Routh{.e = 0.5, .mu = 0.3, .mu_s = 0.2}, "mu_s", "must be at least mu, which is 0.3, or inf");
  refused(Brach{.e = infinity}, "e", "must be finite and at least 0");
  refused(Brach{.e = 0, .mu_2 = infinity}, "mu_2", "must be finite");
  refused(PermissiblePoint{.psi_1 = 4}, "psi_1", "must be between 0 and pi");
  refused(Projected{.target = Vec3(0, std::nan(""), 0)}, "target", "every component must be finite");
  refused(PfeifferGlocker{.e_k = 0.5, .nu = 0, .e_t = -0.5}, "e_t", "must be between 0 and 1");
  refused(SpringSledge{.kappa = 0}, "kappa", "must be above 0 and finite; routh is the limit of a rigid surface");
  refused(Composite{.sigma = 2}, "sigma", "must be between 0 and 1");
  refused(Frictionless{.e = std::nan("")}, "e", "must be between 0 and 1");
  // Sticking friction that is not set is that of sliding.
  EXPECT_TRUE(collide(Routh{.e = 0.5, .mu = 0.3}, contact));
}

TEST(LawTable, AViscousDamperNeedsMoreRestitutionThanAHystereticOne) {
  LawParameters s = moderate();
  s.e = 1e-5;
  EXPECT_TRUE(make_law("spring-sledge", s));
  s.damper = "linear";
  const auto made = make_law("spring-sledge", s);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().path, "e");
  EXPECT_EQ(made.error().code, ErrorCode::out_of_range);
}

TEST(LawTable, WhatIsNotGivenIsItsDefaultOrMissing) {
  for (const LawInfo& info : laws()) {
    for (const ParameterInfo& p : info.parameters) {
      SCOPED_TRACE(std::string(info.name) + " " + std::string(p.name));
      LawParameters s;
      for (const ParameterInfo& other : info.parameters) {
        if (other.name == p.name) continue;
        if (const auto value = get(moderate(), other.name)) {
          ASSERT_TRUE(set(s, other.name, *value));
        }
      }
      // Parts of the composite need their own.
      if (info.name == "composite" && p.name != "mu") s.e = 0.5;
      const auto made = make_law(info.name, s);
      const ParameterDefault& d = p.default_value;
      const bool elsewhere = d.kind == ParameterDefault::Kind::parameter && !get(s, d.text);
      if (p.needed() || elsewhere) {
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().code, ErrorCode::missing);
        EXPECT_EQ(made.error().path, p.name);
        EXPECT_TRUE(made.error().value.empty());
        EXPECT_TRUE(made.error().allowed.starts_with("needed by " + std::string(info.name)));
        continue;
      }
      ASSERT_TRUE(made) << made.error().message();
      for (const auto& [name, value] : parameters_of(*made)) {
        if (name != p.name) continue;
        if (d.kind == ParameterDefault::Kind::number) {
          EXPECT_EQ(std::get<double>(value), d.number);
        }
        if (d.kind == ParameterDefault::Kind::word) {
          EXPECT_EQ(std::get<std::string>(value), d.text);
        }
        if (d.kind == ParameterDefault::Kind::parameter) {
          EXPECT_EQ(value, *get(s, d.text));
        }
      }
    }
  }
}

TEST(LawTable, WordsAreThoseOfTheTable) {
  for (const LawInfo& info : laws()) {
    for (const ParameterInfo& p : info.parameters) {
      if (p.kind != ParameterKind::word) continue;
      EXPECT_GT(p.choices.size(), 1U);
      for (const std::string_view choice : p.choices) {
        LawParameters s = moderate();
        ASSERT_TRUE(set(s, p.name, std::string(choice)));
        const auto made = make_law(info.name, s);
        ASSERT_TRUE(made) << made.error().message();
        for (const auto& [name, value] : parameters_of(*made))
          if (name == p.name) {
            EXPECT_EQ(std::get<std::string>(value), choice);
          }
      }
      LawParameters s = moderate();
      ASSERT_TRUE(set(s, p.name, std::string("huygens")));
      EXPECT_EQ(make_law(info.name, s).error().path, p.name);
    }
  }
}

TEST(LawTable, TheConeOfTheCertificateIsTheParameterThatTheTableNames) {
  const Contact contact = some_contact();
  for (const LawInfo& info : laws()) {
    LawParameters s = moderate();
    const auto made = make_law(info.name, s);
    ASSERT_TRUE(made) << made.error().message();
    EXPECT_EQ(&info_of(*made), &info);
    const double expected = info.cone.empty() ? 0 : std::get<double>(*get(s, info.cone));
    EXPECT_EQ(cone_friction(*made), expected) << info.name;
    const auto hit = collide(*made, contact);
    ASSERT_TRUE(hit) << info.name << ": " << hit.error().message();
    const Vec3 P_t = hit->P - contact.n * contact.n.dot(hit->P);
    EXPECT_NEAR(hit->certificate.margins.friction, expected * contact.n.dot(hit->P) - P_t.norm(), 1e-12) << info.name;
  }
  EXPECT_EQ(cone_friction(Routh{.e = 0, .mu = 0.3}), 0.3);
}

/// Every parameter of every law, made from values that no default has.
TEST(LawTable, ParametersOfALaw_AreThoseOfItsRow_AndMakeTheSameLawAgain) {
  LawParameters given;
  const std::vector<std::pair<const char*, double>> numbers{
      {"e", 0.25},  {"e_t", 0.125},    {"mu", 0.375},     {"mu_s", 0.875}, {"e_k", 0.625},
      {"nu", 0.75}, {"mu_2", -0.0625}, {"mu_3", 0.03125}, {"psi_1", 0.5},  {"psi_2", 1.5},
      {"rho", 0.3}, {"sigma", 0.4},    {"smooth", 0.6},   {"kappa", 0.7}};
  for (const auto& [name, value] : numbers) ASSERT_TRUE(set(given, name, value)) << name;
  ASSERT_TRUE(set(given, "restitution", std::string("stronge")));
  ASSERT_TRUE(set(given, "damper", std::string("hunt-crossley")));
  ASSERT_TRUE(set(given, "target", std::vector<double>{1, 2, 3}));
  for (const LawInfo& info : laws()) {
    const auto law = make_law(info.name, given);
    ASSERT_TRUE(law) << info.name << law.error().message();
    const auto values = parameters_of(*law);
    LawParameters again;
    std::set<std::string_view> found;
    for (const auto& [name, value] : values) {
      EXPECT_TRUE(found.insert(name).second) << info.name << ' ' << name << " twice";
      ASSERT_TRUE(set(again, name, value)) << info.name << ' ' << name;
    }
    for (const ParameterInfo& p : info.parameters) EXPECT_TRUE(found.contains(p.name)) << info.name << ' ' << p.name;
    const auto same = make_law(info.name, again);
    ASSERT_TRUE(same) << info.name;
    EXPECT_EQ(parameters_of(*same), values) << info.name;
  }
}

TEST(LawTable, ParametersOfALaw_StateDefaults) {
  LawParameters given;
  given.e = 0.5;
  given.mu = 0.3;
  const auto values = parameters_of(make_law("routh", given).value());
  const std::vector<std::pair<std::string_view, Value>> known{
      {"e", 0.5}, {"mu", 0.3}, {"mu_s", 0.3}, {"restitution", std::string("poisson")}};
  EXPECT_EQ(values, known);
}

TEST(LawTable, TheConeHasTheStickingCoefficientWhereALawHasOne) {
  EXPECT_EQ(cone_friction(Law(Frictionless{.e = 0.5})), 0);
  EXPECT_EQ(cone_friction(Law(Smith{.e = 0.5, .mu = 0.3})), 0.3);
  EXPECT_EQ(cone_friction(Law(Routh{.e = 0.5, .mu = 0.3})), 0.3);
  EXPECT_EQ(cone_friction(Law(Routh{.e = 0.5, .mu = 0.3, .mu_s = 0.8})), 0.8);
}

TEST(LawTable, NamesAreUniqueAmongLawsAndClosedForms) {
  std::set<std::string_view> names;
  for (const LawInfo& info : laws()) EXPECT_TRUE(names.insert(info.name).second);
  for (const LawInfo& info : planar_closed_forms()) {
    EXPECT_TRUE(names.insert(info.name).second);
    const auto made = make_law(info.name, moderate());
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().allowed.find("ricochet impact"), std::string::npos);
  }
  EXPECT_EQ(make_law("ruth", {}).error().code, ErrorCode::unknown_name);
}

TEST(LawParameters, AnAliasSetsTheParameterOfItsName) {
  LawParameters s;
  ASSERT_TRUE(set(s, "wish", std::vector<double>{1, 2, 3}));
  EXPECT_EQ(*s.target, Vec3(1, 2, 3));
  EXPECT_EQ(parameter_name("wish"), "target");
  EXPECT_EQ(parameter_name("target"), "target");
  EXPECT_EQ(parameter_name("hope"), "");
  EXPECT_EQ(*get(s, "wish"), *get(s, "target"));
}

TEST(LawParameters, EveryNameKnowsItsKind) {
  for (const std::string_view name : parameter_names()) {
    LawParameters s;
    const Value value = *parameter_kind(name) == ParameterKind::number ? Value(0.5)
                        : *parameter_kind(name) == ParameterKind::word ? Value(std::string("x"))
                                                                       : Value(std::vector<double>{1, 2, 3});
    ASSERT_TRUE(set(s, name, value)) << name;
    EXPECT_EQ(*get(s, name), value);
    EXPECT_EQ(set(s, name, *parameter_kind(name) == ParameterKind::number ? Value(std::string("x")) : Value(0.5))
                  .error()
                  .code,
              ErrorCode::wrong_type);
  }
  EXPECT_FALSE(parameter_kind("hope"));
}

}  // namespace
}  // namespace ricochet
