#include "ricochet/simultaneous/ensemble.hpp"

#include <gtest/gtest.h>

#include "arrangements.hpp"

namespace ricochet {
namespace {

using namespace testing;

Ensemble ensemble(const BodyScene& a, const EnsembleOptions& options) {
  const auto assembled = assemble(a);
  EXPECT_TRUE(assembled);
  auto e = resolve_ensemble(assembled->problem, options);
  EXPECT_TRUE(e) << e.error().message();
  return *e;
}

TEST(Ensemble, OneContact_IsDeterminate) {
  Rng rng(7);
  BodyScene a = random_graph(rng, 2, 1, 0);
  a.contacts[0].law = ChatterjeeRuina{.e = 0.5, .e_t = 0.1, .mu = 0.4};
  const Ensemble e = ensemble(a, {.members = 50});
  EXPECT_TRUE(e.determinate());
  EXPECT_EQ(e.outcomes[0].members, 50U);
  EXPECT_EQ(e.outcomes[0].weight, 1);
  for (const Spread& s : e.speeds) EXPECT_LT(s.high - s.low, 1e-7);
}

/// I95: struck from both sides a ball has two outcomes, mirror images, equally likely.
TEST(Ensemble, ThreeBalls_TwoOutcomesOfEqualWeight) {
  const BodyScene a = row_of_balls({1, 0.5, 1}, {1, 0, -1}, Frictionless{1});
  const Ensemble e = ensemble(a, {.members = 2000, .sequence = {.seed = 3}});
  ASSERT_EQ(e.outcomes.size(), 2U);
  EXPECT_FALSE(e.determinate());
  EXPECT_EQ(e.unsettled, 0U);
  EXPECT_NEAR(e.outcomes[0].weight, 0.5, 0.05);  // 4.5 standard deviations
  EXPECT_NEAR(e.outcomes[0].weight + e.outcomes[1].weight, 1, 1e-15);
  EXPECT_NE(e.outcomes[0].first_order[0], e.outcomes[1].first_order[0]);
  const VecX& u = e.outcomes[0].u;
  const VecX& v = e.outcomes[1].u;
  EXPECT_NEAR(u(0), -v(12), 1e-7);
  EXPECT_NEAR(u(6), -v(6), 1e-7);
  // Two values of equal weight: the deviation is half their distance, the extremes are themselves.
  EXPECT_NEAR(e.speeds[0].high - e.speeds[0].low, std::abs(u(0) - v(0)), 1e-7);
  EXPECT_NEAR(e.speeds[0].deviation, 0.5 * std::abs(u(0) - v(0)), 0.02 * std::abs(u(0) - v(0)));
  EXPECT_NEAR(e.energy_change.mean, 0, 1e-8);
}

TEST(Ensemble, FlatRod_TwoOutcomesBelowElastic_OneWhenItIsElasticOrDead) {
  EXPECT_EQ(ensemble(flat_rod(Frictionless{0.5}), {.members = 200}).outcomes.size(), 2U);
  EXPECT_EQ(ensemble(flat_rod(Frictionless{1}), {.members = 200}).outcomes.size(), 1U);
  EXPECT_EQ(ensemble(flat_rod(Frictionless{0}), {.members = 200}).outcomes.size(), 1U);
}

TEST(Ensemble, MembersThatDoNotSettle_AreCounted) {
  const Ensemble e = ensemble(between_walls(1), {.members = 20});
  EXPECT_EQ(e.unsettled, 20U);
  EXPECT_TRUE(e.outcomes.empty());
  EXPECT_FALSE(e.determinate());
}

TEST(Ensemble, AnyNumberOfThreads_TheSameBits) {
  Rng rng(8);
  const BodyScene a = random_graph(rng, 6, 14, 1);
  const Ensemble one = ensemble(a, {.members = 60, .sequence = {.seed = 11, .uncertainty = 1e-3}, .threads = 1});
  ASSERT_GT(one.outcomes.size(), 1U);
  for (const unsigned threads : {2U, 3U, 7U, 16U}) {
    const Ensemble other =
        ensemble(a, {.members = 60, .sequence = {.seed = 11, .uncertainty = 1e-3}, .threads = threads});
    ASSERT_EQ(other.outcomes.size(), one.outcomes.size());
    for (std::size_t i = 0; i < one.outcomes.size(); ++i) {
      EXPECT_EQ(other.outcomes[i].u, one.outcomes[i].u);
      EXPECT_EQ(other.outcomes[i].members, one.outcomes[i].members);
      EXPECT_EQ(other.outcomes[i].first_order, one.outcomes[i].first_order);
    }
    for (std::size_t i = 0; i < one.speeds.size(); ++i) {
      EXPECT_EQ(other.speeds[i].mean, one.speeds[i].mean);
      EXPECT_EQ(other.speeds[i].deviation, one.speeds[i].deviation);
    }
  }
  const Ensemble other_seed = ensemble(a, {.members = 60, .sequence = {.seed = 12, .uncertainty = 1e-3}});
  EXPECT_NE(other_seed.energy_change.mean, one.energy_change.mean);
}

TEST(Ensemble, NoMembers_IsRefused) {
  const auto assembled = assemble(flat_rod(Frictionless{}));
  EXPECT_EQ(resolve_ensemble(assembled->problem, {.members = 0}).error().path, "members");
  EXPECT_EQ(resolve_ensemble(assembled->problem, {.resolution = 2}).error().path, "resolution");
}

}  // namespace
}  // namespace ricochet
