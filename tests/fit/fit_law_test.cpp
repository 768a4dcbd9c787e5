#include "ricochet/fit/fit_law.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ricochet/fit/rank_laws.hpp"

namespace ricochet {
namespace {

/// Impacts of a rod's end by a law whose parameters are known, with normal noise on the velocities after, and a share
/// of rows whose velocities after are anything.
std::vector<ReducedImpact> synthetic(const Law& law, std::size_t rows, double noise, std::uint64_t seed,
                                     double wild = 0, double slip = 1, double spin_noise = 10) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<ReducedImpact> out;
  while (out.size() < rows) {
    MeasuredImpact impact;
    impact.body.mass = 2;
    impact.body.inertia = Mat3::Identity() * 0.02;
    impact.arm = {0.05 * uniform(random), 0.05 * uniform(random), -0.1};
    impact.body.velocity = {slip * uniform(random), slip * uniform(random), -1.5 - 0.5 * uniform(random)};
    impact.body.angular_velocity = slip * 3 * Vec3(uniform(random), uniform(random), uniform(random));
    impact.velocity = impact.body.velocity;
    const auto reduced = reduce(impact, {.unbalanced = 1e9});
    if (!reduced || reduced->separates_before) continue;
    const auto hit = collide(law, reduced->contact);
    if (!hit) continue;
    const auto after = apply_impulse(impact.body, impact.arm, hit->P);
    const bool astray = std::abs(uniform(random)) < wild;
    impact.velocity = after->velocity + (astray ? 1.0 : noise) * Vec3(normal(random), normal(random), normal(random));
    impact.angular_velocity = after->angular_velocity + (astray ? 10.0 : spin_noise * noise) *
                                                            Vec3(normal(random), normal(random), normal(random));
    out.push_back(reduce(impact, {.unbalanced = 1e9}).value());
  }
  return out;
}

const EstimatedParameter& parameter(const LawFit& fit, const std::string& name) {
  for (const EstimatedParameter& p : fit.parameters)
    if (p.name == name) return p;
  throw std::runtime_error("no parameter " + name);
}

TEST(FitLaw, ExactDataGiveBackTheParametersOfEachLaw) {
  const std::vector<std::pair<Law, std::vector<std::pair<std::string, double>>>> known{
      {Frictionless{.e = 0.4}, {{"e", 0.4}}},
      {Routh{.e = 0.6, .mu = 0.2}, {{"e", 0.6}, {"mu", 0.2}}},
      {Smith{.e = 0.3, .mu = 0.25}, {{"e", 0.3}, {"mu", 0.25}}},
      {ChatterjeeRuina{.e = 0.5, .e_t = 0.3, .mu = 0.35}, {{"e", 0.5}, {"e_t", 0.3}, {"mu", 0.35}}},
  };
  for (const auto& [law, values] : known) {
    FitOptions options;
    for (const auto& [name, value] : values) options.parameters.push_back(name);
    const auto fit = fit_law(info_of(law).name, synthetic(law, 60, 0, 1), options);
    ASSERT_TRUE(fit) << fit.error().message();
    for (const auto& [name, value] : values)
      EXPECT_NEAR(parameter(*fit, name).value, value, 1e-4) << info_of(law).name << " " << name;
  }
}

TEST(FitLaw, IntervalsContainTheTruthAsOftenAsTheySay) {
  const Law law = Smith{.e = 0.5, .mu = 0.25};
  int inside_e = 0, inside_mu = 0;
  constexpr int repeats = 200;
  for (int k = 0; k < repeats; ++k) {
    const auto fit = fit_law("smith", synthetic(law, 40, 0.02, 100 + static_cast<std::uint64_t>(k)));
    ASSERT_TRUE(fit);
    const auto& e = parameter(*fit, "e");
    const auto& mu = parameter(*fit, "mu");
    inside_e += e.low <= 0.5 && 0.5 <= e.high ? 1 : 0;
    inside_mu += mu.low <= 0.25 && 0.25 <= mu.high ? 1 : 0;
  }
  // 95 % of 200, four deviations of the binomial to either side.
  EXPECT_GE(inside_e, 178);
  EXPECT_GE(inside_mu, 178);
  EXPECT_LT(inside_e + inside_mu, 2 * repeats);
}

TEST(FitLaw, WhereAllContactsStickFrictionIsBoundedFromBelowOnly) {
  // Noise leaves a sharp minimum of the loss where the last contact slips a little.
  for (const char* law : {"whittaker", "routh"}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const Law sticky =
          law == std::string("routh") ? Law(Routh{.e = 0.5, .mu = 8}) : Law(Whittaker{.e = 0.5, .mu = 8});
      const auto fit = fit_law(law, synthetic(sticky, 60, 0.01, 400 + seed, 0, 2.5));
      ASSERT_TRUE(fit) << fit.error().message();
      EXPECT_TRUE(parameter(*fit, "e").identifiable);
      const EstimatedParameter& mu = parameter(*fit, "mu");
      EXPECT_FALSE(mu.identifiable) << law << " " << seed << " " << mu.value;
      EXPECT_LT(mu.low, 8) << law << " " << seed;
      EXPECT_EQ(mu.high, 10) << law << " " << seed;
    }
  }
}

TEST(FitLaw, AFifthOfOutliersMovesTheAnswerLittle) {
  const auto rows = synthetic(Routh{.e = 0.6, .mu = 0.2}, 200, 0.01, 3, 0.2);
  const auto fit = fit_law("routh", rows);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(parameter(*fit, "e").value, 0.6, 0.01);
  EXPECT_NEAR(parameter(*fit, "mu").value, 0.2, 0.01);
  EXPECT_GE(fit->outliers, 20U);
}

TEST(FitLaw, DeviationsOfVelocityAndSpinAreFoundWithTheLaw) {
  // The radius of gyration is 0.1 m: in the mass norm this spin is five times worse than the velocity.
  const auto rows = synthetic(Smith{.e = 0.5, .mu = 0.25}, 800, 0.01, 5, 0, 1, 50);
  FitOptions options;
  options.noise_by_component = true;
  const auto fit = fit_law("smith", rows, options);
  ASSERT_TRUE(fit) << fit.error().message();
  EXPECT_TRUE(fit->converged) << fit->report;
  ASSERT_TRUE(fit->noise);
  // The median of 800 numbers deviates by 4 %, that of 1600 and 2400 by less.
  EXPECT_NEAR(fit->noise->normal, 0.01, 0.0016);
  EXPECT_NEAR(fit->noise->tangential, 0.01, 0.0012);
  EXPECT_NEAR(fit->noise->spin, 0.5, 0.05);
  EXPECT_FALSE(fit_law("smith", rows)->noise);
  options.offset = 0.001;
  EXPECT_EQ(fit_law("smith", rows, options).error().code, ErrorCode::conflict);
}

TEST(FitLaw, BadSpinsThatCountLess_LeaveFrictionBetterKnown) {
  double relative = 0, by_component = 0;
  int inside = 0;
  constexpr int repeats = 30;
  for (int k = 0; k < repeats; ++k) {
    const auto rows = synthetic(Smith{.e = 0.5, .mu = 0.25}, 50, 0.01, 300 + static_cast<std::uint64_t>(k), 0, 1, 100);
    FitOptions options;
    options.noise_by_component = true;
    const auto fit = fit_law("smith", rows, options);
    ASSERT_TRUE(fit) << fit.error().message();
    const EstimatedParameter& mu = parameter(*fit, "mu");
    inside += mu.low <= 0.25 && 0.25 <= mu.high ? 1 : 0;
    by_component += std::pow(mu.value - 0.25, 2);
    relative += std::pow(parameter(*fit_law("smith", rows), "mu").value - 0.25, 2);
  }
  EXPECT_LT(by_component, relative / 2);
  EXPECT_GE(inside, 24);  // 95 % of 30, four deviations of the binomial below
}

TEST(FitLaw, TwentyNumbersAreFoundFromZeroSlopesAmongOutliers) {
  const GradedRegion law{.e = 0.55,
                         .e_v = -0.5,
                         .e_vv = 0.3,
                         .e_i = 1.2,
                         .e_ii = -0.8,
                         .e_r = -0.6,
                         .e_ir = 0.4,
                         .e_c = 0.5,
                         .e_m = -0.7,
                         .mu = 0.2,
                         .smooth = 0.2,
                         .tau = 0.4,
                         .tau_v = 0.05,
                         .tau_c = -0.1,
                         .tau_ic = 0.1,
                         .tau_m = -0.3,
                         .chi_c = 0.2,
                         .chi_ic = -0.2,
                         .chi_rc = 0.1,
                         .chi_m = -0.15};
  const auto rows = synthetic(law, 500, 1e-4, 17, 0.1);
  const auto fit = fit_law("graded-region", rows);
  ASSERT_TRUE(fit) << fit.error().message();
  EXPECT_TRUE(fit->converged) << fit->report;
  ASSERT_EQ(fit->parameters.size(), 20U);
  for (const auto& [name, value] : parameters_of(law)) {
    const EstimatedParameter& p = parameter(*fit, std::string(name));
    EXPECT_LT(std::abs(p.value - std::get<double>(value)), 5 * p.deviation) << name << ": " << p.value;
    EXPECT_LT(p.deviation, 0.5) << name;
  }
  EXPECT_GE(fit->outliers, 30U);
}

TEST(FitLaw, BootstrapAgreesWithCurvature) {
  FitOptions options;
  options.bootstrap = 60;
  const auto fit = fit_law("smith", synthetic(Smith{.e = 0.5, .mu = 0.25}, 120, 0.02, 5), options);
  ASSERT_TRUE(fit);
  for (const EstimatedParameter& p : fit->parameters) {
    ASSERT_TRUE(p.bootstrap_low && p.bootstrap_high);
    const double ratio = (*p.bootstrap_high - *p.bootstrap_low) / (p.high - p.low);
    EXPECT_GT(ratio, 0.6) << p.name;
    EXPECT_LT(ratio, 1.6) << p.name;
  }
}

TEST(FitLaw, FrictionIsNotIdentifiableWhereEveryImpactSticks) {
  // Almost no slip: the cone is never reached, whatever its angle beyond a small one.
  const auto rows = synthetic(ChatterjeeRuina{.e = 0.5, .e_t = 0, .mu = 5}, 60, 0.001, 7, 0, 0.05);
  FitOptions options;
  options.parameters = {"e", "mu"};
  const auto fit = fit_law("chatterjee-ruina", rows, options);
  ASSERT_TRUE(fit);
  EXPECT_TRUE(parameter(*fit, "e").identifiable);
  EXPECT_FALSE(parameter(*fit, "mu").identifiable);
  EXPECT_NE(parameter(*fit, "mu").remark.find("not identifiable"), std::string::npos);
}

TEST(FitLaw, RefusesWhatCannotBeFitted) {
  const auto rows = synthetic(Smith{.e = 0.5, .mu = 0.25}, 3, 0, 1);
  EXPECT_EQ(fit_law("smit", rows).error().code, ErrorCode::unknown_name);
  EXPECT_EQ(fit_law("projected", rows).error().path, "target");
  EXPECT_EQ(fit_law("smith", std::span(rows).first(2)).error().path, "rows");
  FitOptions options;
  options.parameters = {"kappa"};
  EXPECT_EQ(fit_law("smith", rows, options).error().value, "kappa");
}

TEST(RankLaws, TheLawThatMadeTheDataComesFirstOnRowsNotSeen) {
  const auto rows = synthetic(Smith{.e = 0.6, .mu = 0.2}, 60, 0.005, 11);
  RankOptions options;
  options.folds = 3;
  options.laws = {"frictionless", "anitescu-potra", "smith"};
  options.threads = 2;
  const auto ranking = rank_laws(rows, {}, options);
  ASSERT_TRUE(ranking);
  EXPECT_EQ(ranking->laws[0].law, "smith");
  EXPECT_LT(ranking->best_impulse.median, ranking->laws[0].velocity.median);
  // The same order and numbers whatever the number of threads.
  options.threads = 1;
  const auto again = rank_laws(rows, {}, options);
  for (std::size_t i = 0; i < ranking->laws.size(); ++i)
    EXPECT_EQ(ranking->laws[i].velocity.median, again->laws[i].velocity.median);
}

TEST(ReduceImpact, AnImpulseAtThePointIsFoundAgainAndNoBetterOneExists) {
  const auto rows = synthetic(Smith{.e = 0.5, .mu = 0.25}, 20, 0, 13);
  for (const ReducedImpact& row : rows) {
    EXPECT_NEAR(row.best_error, 0, 1e-12);
    EXPECT_NEAR((collide(Smith{.e = 0.5, .mu = 0.25}, row.contact)->P - row.P).norm(), 0, 1e-9);
  }
  const auto noisy = synthetic(Smith{.e = 0.5, .mu = 0.25}, 20, 0.1, 13);
  for (const ReducedImpact& row : noisy)
    for (int i = 0; i < 3; ++i) {
      Vec3 other = row.P;
      other(i) += 0.01;
      EXPECT_GT(row.error_of(other), row.best_error);
    }
}

TEST(ReduceImpact, WhatIsNoImpactOfASinglePointIsFlagged) {
  // A ball of 2 kg whose lowest point is 0.1 m below its centre.
  const auto flags = [](double fall, double rise, double spin_after) {
    MeasuredImpact impact;
    impact.body = {.mass = 2, .inertia = Mat3::Identity() * 0.01, .velocity = {0.5, 0, -fall}};
    impact.arm = {0, 0, -0.1};
    impact.velocity = {0.5, 0, rise};
    impact.angular_velocity = {0, spin_after, 0};
    std::vector<std::string_view> out;
    const ReducedImpact row = reduce(impact).value();
    for (const ReducedImpact::Flag& flag : ReducedImpact::flags)
      if (row.*flag.raised) out.push_back(flag.name);
    EXPECT_EQ(out.empty(), row.usable());
    return out;
  };
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(flags(1, 0.5, 0), Names{});
  EXPECT_EQ(flags(-0.5, 0.7, 0), (Names{"separates-before", "gains-energy"}));
  EXPECT_EQ(flags(1, -0.2, 0), Names{"approaches-after"});
  EXPECT_EQ(flags(1, 1.1, 0), Names{"gains-energy"});
  EXPECT_EQ(flags(1, 0.5, 8), Names{"unbalanced"});  // a spin without the tangential impulse that makes it
}

}  // namespace
}  // namespace ricochet
