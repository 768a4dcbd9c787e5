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

/// The middle ball is struck first by whoever approaches it faster. With uncertain speeds, v_0 − 2 v_1 + v_2 decides:
/// for δ times (U_0 + U_2 − 2 U_1) > c δ, U uniform on [−1, 1], the probability is (2 − c)/4 + c³/96 for 0 ≤ c ≤ 2.
TEST(EnsembleBranches, ThreeBalls_TwoBranches_HoweverWideTheirSpread) {
  for (const double behind : {0.0, 0.005, 0.012}) {
    const BodyScene a = row_of_balls({1, 0.5, 1}, {1 - behind, 0, -1}, Frictionless{0.8});
    const Ensemble e = ensemble(a, {.members = 2000, .sequence = {.seed = 5, .uncertainty = 0.01}});
    EXPECT_GT(e.outcomes.size(), 1000U);
    EXPECT_EQ(e.spread(), EnsembleSpread::branching);
    EXPECT_EQ(e.unexamined, 0U);
    ASSERT_EQ(e.branches.size(), 2U) << behind;
    EXPECT_EQ(e.branches[0].members + e.branches[1].members, 2000U);
    const double c = behind / 0.01;
    const double rarer = (2 - c) / 4 + c * c * c / 96;
    EXPECT_NEAR(e.branches[1].weight, rarer, 0.05) << behind;  // 4.5 standard deviations
    // Who is first decides the branch.
    if (behind > 0) {
      EXPECT_EQ(e.branches[0].first_order[0], 1U);
      EXPECT_EQ(e.branches[1].first_order[0], 0U);
    }
    for (const DistinctOutcome& o : e.outcomes)
      EXPECT_EQ(o.first_order[0], e.branches[o.branch.value()].first_order[0]);
  }
}

/// Of two balls the struck one leaves at (1 + e)/2.
TEST(EnsembleBranches, OneContactOfUncertainRestitution_SpreadsContinuously) {
  const BodyScene a = row_of_balls({1, 1}, {1, 0}, Frictionless{0.5});
  const auto e = resolve_ensemble(a, Hinges::in_sequence, {.e = 0.4}, {.members = 500});
  ASSERT_TRUE(e);
  EXPECT_GT(e->outcomes.size(), 300U);
  EXPECT_EQ(e->spread(), EnsembleSpread::continuous);
  ASSERT_EQ(e->branches.size(), 1U);
  EXPECT_EQ(e->branches[0].weight, 1);
  EXPECT_NE(e->verdict().find("continuous"), std::string::npos);
}

/// A ball that slides on the floor sticks for μ ≥ (2/7) s/((1 + e) v), with slip s and approach v: sequences of two
/// kinds, and at the border the same answer from both.
TEST(EnsembleBranches, FromSlipToStick_ThereIsNoJump) {
  BodyScene a;
  a.bodies.push_back({.fixed = true});
  a.bodies.push_back(ball(1, 0.1, {0, 0, 0.1}, {1.5, 0, -1}));
  const double border = 2.0 / 7 * 1.5 / 1.5;
  for (const Law& law : {Law(ChatterjeeRuina{.e = 0.5, .mu = border}), Law(Routh{.e = 0.5, .mu = border})}) {
    a.contacts.assign(1, {0, 1, Vec3::Zero(), Vec3::UnitZ(), law});
    const auto e = resolve_ensemble(a, Hinges::in_sequence, {.mu = 0.1}, {.members = 400});
    ASSERT_TRUE(e) << e.error().message();
    // Those that stick have one outcome: v_x = 5/7 of 1.5 m/s, as rolling does.
    EXPECT_NEAR(e->outcomes[0].weight, 0.5, 0.12);
    EXPECT_NEAR(e->outcomes[0].u(0), 1.5 * 5 / 7, 1e-6);
    EXPECT_GT(e->outcomes.size(), 100U);
    EXPECT_EQ(e->spread(), EnsembleSpread::continuous);
  }
}

/// Two pairs of balls that do not touch each other: any order leads to the same end.
TEST(EnsembleBranches, ContactsApart_TheirOrderMakesNoBranch) {
  BodyScene a = row_of_balls({1, 2}, {1, 0}, Frictionless{0.5});
  const BodyScene other = row_of_balls({1, 2}, {1, 0}, Frictionless{0.5});
  for (RigidBody body : other.bodies) {
    body.position.y() += 5;
    a.bodies.push_back(body);
  }
  a.contacts.push_back(other.contacts[0]);
  a.contacts[1].first += 2;
  a.contacts[1].second += 2;
  a.contacts[1].point.y() += 5;
  const Ensemble e = ensemble(a, {.members = 300, .sequence = {.seed = 2, .uncertainty = 0.02}});
  std::size_t begin_with_first = 0;
  for (const DistinctOutcome& o : e.outcomes) begin_with_first += o.first_order[0] == 0 ? o.members : 0;
  EXPECT_NEAR(static_cast<double>(begin_with_first), 150, 40);
  EXPECT_EQ(e.spread(), EnsembleSpread::continuous);
}

/// Without any uncertainty the inputs are one, and a tie decides alone.
TEST(EnsembleBranches, ExactTie_BranchesWithoutUncertainty) {
  const BodyScene a = row_of_balls({1, 0.5, 1}, {1, 0, -1}, Frictionless{1});
  const Ensemble e = ensemble(a, {.members = 200, .sequence = {.uncertainty = 0}});
  EXPECT_EQ(e.outcomes.size(), 2U);
  EXPECT_EQ(e.branches.size(), 2U);
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
      EXPECT_EQ(other.outcomes[i].branch, one.outcomes[i].branch);
    }
    ASSERT_EQ(other.branches.size(), one.branches.size());
    for (std::size_t i = 0; i < one.branches.size(); ++i) EXPECT_EQ(other.branches[i].members, one.branches[i].members);
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
