#include "ricochet/simultaneous/uncertain.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "arrangements.hpp"
#include "ricochet/simultaneous/ensemble.hpp"

namespace ricochet {
namespace {

using namespace testing;

constexpr std::size_t members = 4000;
/// Of a uniform distribution on ±width, and how far a sample of that many may be off: 5 standard errors.
double deviation(double width) { return width / std::sqrt(3); }
constexpr double sampled = 0.04;

Ensemble ensemble(const BodyScene& a, const ContactUncertainty& by) {
  auto e =
      resolve_ensemble(a, Hinges::in_sequence, by, {.members = members, .sequence = {.seed = 5, .uncertainty = 0}});
  EXPECT_TRUE(e) << e.error().message();
  return *e;
}

/// A ball of 1 kg and radius ½ that meets the floor.
BodyScene ball_on_floor(const Vec3& velocity, const Law& law) {
  BodyScene a;
  a.bodies.push_back({.fixed = true});
  a.bodies.push_back(ball(1, 0.5, {0, 0, 0.5}, velocity));
  a.contacts.push_back({0, 1, Vec3::Zero(), Vec3::UnitZ(), law});
  return a;
}

/// Two equal balls: the struck one leaves at ½(1 + e).
TEST(Uncertain, Restitution_SpreadsAsTheClosedForm) {
  const Ensemble e = ensemble(row_of_balls({1, 1}, {1, 0}, Frictionless{0.6}), {.e = 0.1});
  const Spread& v = e.speeds[6];
  EXPECT_NEAR(v.mean, 0.8, 5 * deviation(0.05) / std::sqrt(members));
  EXPECT_NEAR(v.deviation, deviation(0.05), sampled * deviation(0.05));
  EXPECT_GE(v.low, 0.75);
  EXPECT_LE(v.high, 0.85);
  EXPECT_LT(v.low, 0.7505);
  EXPECT_GT(v.high, 0.8495);
}

TEST(Uncertain, Restitution_AtItsEnd_IsDrawnFromWhatTheLawTakes) {
  const Spread elastic = ensemble(row_of_balls({1, 1}, {1, 0}, Frictionless{1}), {.e = 0.2}).speeds[6];
  EXPECT_NEAR(elastic.mean, 0.95, 0.005);
  EXPECT_LE(elastic.high, 1);
  EXPECT_GE(elastic.low, 0.9);
  const Spread plastic = ensemble(row_of_balls({1, 1}, {1, 0}, AnitescuPotra{.e_k = 0, .mu = 0}), {.e = 0.2}).speeds[6];
  EXPECT_NEAR(plastic.mean, 0.55, 0.005);
  EXPECT_GE(plastic.low, 0.5);
}

/// Slip that lasts: v_x⁺ = v_x − μ P_n/m.
TEST(Uncertain, Friction_SpreadsAsTheClosedForm) {
  const Ensemble e = ensemble(ball_on_floor({10, 0, -1}, Routh{.e = 0, .mu = 0.3}), {.mu = 0.05});
  const Spread& v = e.speeds[0];
  EXPECT_NEAR(v.mean, 9.7, 5 * deviation(0.05) / std::sqrt(members));
  EXPECT_NEAR(v.deviation, deviation(0.05), sampled * deviation(0.05));
  EXPECT_GE(v.low, 9.65 - 1e-12);
  EXPECT_LE(v.high, 9.75 + 1e-12);
}

/// A mirror tilted by θ turns a ray by 2θ.
TEST(Uncertain, Normals_TurnTheRebound) {
  const double tilt = 0.01;
  const Ensemble e = ensemble(ball_on_floor({0, 0, -1}, Frictionless{1}), {.normal = tilt});
  for (const int axis : {0, 1}) {
    const Spread& v = e.speeds[static_cast<std::size_t>(axis)];
    EXPECT_NEAR(v.mean, 0, 5 * deviation(2 * tilt) / std::sqrt(members));
    EXPECT_NEAR(v.deviation, deviation(2 * tilt), sampled * deviation(2 * tilt));
    EXPECT_LE(v.high, std::sin(2 * tilt) * 1.001);
  }
}

/// A plastic impact of 1 N s at an arm of x turns the ball at x/J, J = 0.1 kg m².
TEST(Uncertain, Points_TurnTheBody) {
  const double off = 1e-3;
  const Ensemble e = ensemble(ball_on_floor({0, 0, -1}, Frictionless{0}), {.point = off});
  for (const std::size_t axis : {3U, 4U}) {
    EXPECT_NEAR(e.speeds[axis].deviation, deviation(10 * off), sampled * deviation(10 * off));
    EXPECT_LE(e.speeds[axis].high, 10 * off);
  }
  EXPECT_EQ(e.speeds[5].high, 0);
}

TEST(Uncertain, StaticFrictionMovesAlong_InfiniteFrictionStays) {
  BodyScene a = ball_on_floor({1, 0, -1}, Routh{.e = 0.5, .mu = 0.3, .mu_s = 0.5});
  a.contacts.push_back(a.contacts[0]);
  a.contacts[1].law = Whittaker{.e = 0.5, .mu = std::numeric_limits<double>::infinity()};
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    const BodyScene other = sample_contacts(a, {.mu = 0.1}, std::nullopt, random);
    const auto& routh = std::get<Routh>(other.contacts[0].law);
    EXPECT_NEAR(routh.mu_s - routh.mu, 0.2, 1e-15);
    EXPECT_NE(routh.mu, 0.3);
    EXPECT_EQ(routh.e, 0.5);
    EXPECT_TRUE(std::isinf(std::get<Whittaker>(other.contacts[1].law).mu));
  }
}

TEST(Uncertain, NothingUncertain_IsTheEnsembleOfTheProblem_AndThreadsDoNotMatter) {
  Rng rng(21);
  const BodyScene a = random_graph(rng, 5, 9, 1);
  const EnsembleOptions options{.members = 40, .sequence = {.seed = 9, .uncertainty = 1e-4}, .threads = 1};
  const auto plain = resolve_ensemble(assemble(a)->problem, options);
  const auto same = resolve_ensemble(a, Hinges::in_sequence, {}, options);
  ASSERT_TRUE(plain && same);
  EXPECT_EQ(plain->energy_change.mean, same->energy_change.mean);
  EXPECT_EQ(plain->outcomes.size(), same->outcomes.size());
  const ContactUncertainty by{.e = 0.05, .mu = 0.05, .normal = 0.01, .point = 1e-3};
  const auto one = resolve_ensemble(a, Hinges::in_sequence, by, options);
  ASSERT_TRUE(one);
  EXPECT_NE(one->energy_change.mean, plain->energy_change.mean);
  for (const unsigned threads : {2U, 5U}) {
    EnsembleOptions other = options;
    other.threads = threads;
    const auto many = resolve_ensemble(a, Hinges::in_sequence, by, other);
    ASSERT_TRUE(many);
    EXPECT_EQ(many->energy_change.mean, one->energy_change.mean);
    EXPECT_EQ(many->energy_change.deviation, one->energy_change.deviation);
  }
}

TEST(Uncertain, OutOfRange_IsRefusedByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(check(ContactUncertainty{.e = 1.1}).error().path, "uncertainty.e");
  EXPECT_EQ(check(ContactUncertainty{.e = nan}).error().path, "uncertainty.e");
  EXPECT_EQ(check(ContactUncertainty{.mu = -1}).error().path, "uncertainty.mu");
  EXPECT_EQ(check(ContactUncertainty{.normal = 0.6}).error().path, "uncertainty.normal");
  EXPECT_EQ(check(ContactUncertainty{.point = std::numeric_limits<double>::infinity()}).error().path,
            "uncertainty.point");
  EXPECT_TRUE(check(ContactUncertainty{.e = 1, .mu = 2, .normal = 0.5, .point = 1}));
}

TEST(Uncertain, PointsOffARodWithoutThickness_AreRefusedByTheirOwnName) {
  const auto e = resolve_ensemble(flat_rod(Frictionless{0.5}), Hinges::in_sequence, {.point = 1e-3}, {.members = 5});
  ASSERT_FALSE(e);
  EXPECT_EQ(e.error().path, "uncertainty.point");
  EXPECT_NE(e.error().allowed.find("body[2].inertia"), std::string::npos);
}

}  // namespace
}  // namespace ricochet
