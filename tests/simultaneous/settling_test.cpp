#include "ricochet/simultaneous/settling.hpp"

#include <gtest/gtest.h>

#include "arrangements.hpp"

namespace ricochet {
namespace {

using namespace testing;

Resolution resolved(const BodyScene& a, const SequenceOptions& options = {}) {
  const auto assembled = assemble(a);
  EXPECT_TRUE(assembled) << assembled.error().message();
  auto r = resolve(assembled->problem, options);
  EXPECT_TRUE(r) << r.error().message();
  return *r;
}

TEST(BallBetweenWalls, DissipativeSequence_SumsToTheClosedForm) {
  for (const double e : {0.5, 0.9, 0.99, 0.999, 0.9999}) {
    const Resolution r = resolved(between_walls(e));
    EXPECT_EQ(r.status, SequenceStatus::extrapolated) << e;
    EXPECT_LT(r.collisions, 400U) << e;
    const double first = 2 * 3 / (1 - e);
    EXPECT_NEAR(r.G[0].norm(), first, 1e-10 * first) << e;
    EXPECT_NEAR(r.G[1].norm(), e * first, 1e-10 * first) << e;
    EXPECT_NEAR(r.u(0), 0, 3e-12) << e;
    EXPECT_NEAR(r.energy_change, -9, 1e-10) << e;
  }
}

TEST(BallBetweenWalls, Elastic_DoesNotSettle_AndSaysWhichContactsTakeTurns) {
  const Resolution r = resolved(between_walls(1));
  EXPECT_EQ(r.status, SequenceStatus::does_not_settle);
  EXPECT_EQ(r.end, SequenceEnd::cycle);
  ASSERT_EQ(r.cycle.size(), 2U);
  EXPECT_NE(r.cycle[0], r.cycle[1]);
  EXPECT_LT(r.collisions, 1000U);
}

/// CR98 footnote 7 (ii): friction conserves energy too where it turns all of V about, e = e_t = 1.
TEST(BallBetweenWalls, ElasticInEveryDirection_DoesNotSettle) {
  BodyScene a = between_walls(1);
  a.bodies[1].velocity.y() = 0.5;
  for (ContactSpec& t : a.contacts) t.law = ChatterjeeRuina{.e = 1, .e_t = 1, .mu = 10};
  const Resolution r = resolved(a, {.max_collisions = 100'000});
  EXPECT_EQ(r.status, SequenceStatus::does_not_settle);
  EXPECT_NEAR(r.energy_change, 0, 1e-9);
}

/// A cycle of one part of a scene leaves no answer for the whole, wherever the rest has come to.
TEST(BallBetweenWalls, ElasticBesideOthers_StillDoesNotSettle) {
  BodyScene a = between_walls(1);
  const BodyScene rest = row_of_balls({1, 1, 1}, {1, 0, 0}, Frictionless{0});
  const std::size_t shift = a.bodies.size();
  a.bodies.insert(a.bodies.end(), rest.bodies.begin(), rest.bodies.end());
  for (ContactSpec t : rest.contacts) {
    t.first += shift;
    t.second += shift;
    a.contacts.push_back(t);
  }
  EXPECT_EQ(resolved(a).status, SequenceStatus::does_not_settle);
}

/// A light ball between a wall and a heavy one collides π √(m_2/m_1) times: a pattern that repeats thousands of times,
/// loses nothing, and ends all the same.
TEST(CountingPi, ElasticRepeatingPattern_IsNotTakenForACycle) {
  for (const auto& [digits, count] : {std::pair{0, 3}, {1, 31}, {2, 314}, {3, 3141}}) {
    BodyScene a;
    a.bodies.push_back({.fixed = true});
    a.bodies.push_back(ball(1, 0.5, Vec3::Zero()));
    a.bodies.push_back(ball(std::pow(100, digits), 0.5, {1, 0, 0}, {-1, 0, 0}));
    a.contacts.push_back({0, 1, {-0.5, 0, 0}, Vec3::UnitX(), Frictionless{1}});
    a.contacts.push_back({1, 2, {0.5, 0, 0}, Vec3::UnitX(), Frictionless{1}});
    const Resolution r = resolved(a);
    EXPECT_EQ(r.status, SequenceStatus::settled) << digits;
    EXPECT_EQ(static_cast<int>(r.collisions), count) << digits;
    EXPECT_NEAR(r.energy_change, 0, 1e-9 * std::pow(100, digits));
  }
}

/// The same infinite sequences with and without extrapolation.
TEST(Settling, Extrapolation_AgreesWithBruteForce_ForFarFewerCollisions) {
  struct Case {
    const char* name;
    BodyScene a;
    double fewer;
  };
  std::vector<Case> cases;
  cases.push_back({"three plastic balls", row_of_balls({1, 1, 1}, {1, 0, 0}, Frictionless{0}), 0});
  cases.push_back({"five balls", row_of_balls({1, 2, 1, 3, 1}, {1, 0, 0, 0, 0}, Frictionless{0.02}), 0});
  cases.push_back({"flat rod", flat_rod(Frictionless{0.05}), 0});
  cases.push_back({"between walls", between_walls(0.9999), 300});
  cases.push_back({"rattle at one end while the other end waits",
                   row_of_balls({1, 1, 1, 20, 1, 1, 1}, {1, 0, 0, 0, 0, 0, -1e-3}, Frictionless{0.02}), 0});
  BodyScene heavy = row_of_balls({1, 1e-3, 1}, {1, 0, -1}, Frictionless{0.9});
  cases.push_back({"light ball crushed by heavy ones", heavy, 0});
  BodyScene sliding = flat_rod(ChatterjeeRuina{.e = 0.02, .e_t = 0.2, .mu = 0.3});
  sliding.bodies[1].velocity.x() = 0.7;
  sliding.bodies[1].velocity.y() = 0.2;
  cases.push_back({"sliding rod", sliding, 0});
  for (const Case& c : cases) {
    const Resolution quick = resolved(c.a, {.tolerance = 1e-13});
    const Resolution slow = resolved(c.a, {.tolerance = 1e-14, .extrapolate = false});
    ASSERT_NE(slow.status, SequenceStatus::does_not_settle) << c.name;
    EXPECT_LT((quick.u - slow.u).cwiseAbs().maxCoeff(), 1e-10) << c.name;
    for (std::size_t i = 0; i < quick.G.size(); ++i)
      EXPECT_LT((quick.G[i] - slow.G[i]).norm(), 1e-10 * (1 + slow.G[i].norm())) << c.name;
    EXPECT_LE(quick.collisions, slow.collisions) << c.name;
    EXPECT_GE(static_cast<double>(slow.collisions), c.fewer * static_cast<double>(quick.collisions)) << c.name;
  }
}

TEST(Settling, RandomGraphsWithWalls_ExtrapolationAgreesWithBruteForce) {
  Rng rng(6);
  int extrapolated = 0;
  for (int trial = 0; trial < 2500; ++trial) {
    const std::size_t n = 2 + rng() % 4;
    const BodyScene a = random_graph(rng, n, 2 + rng() % n, 1);
    const Resolution quick = resolved(a);
    if (quick.status != SequenceStatus::extrapolated) continue;
    ++extrapolated;
    const Resolution slow = resolved(a, {.tolerance = 1e-14, .extrapolate = false, .max_collisions = 100'000});
    if (slow.status == SequenceStatus::does_not_settle) continue;  // too slow to decide
    const double speed = assemble(a)->problem.speed();
    EXPECT_LT((quick.u - slow.u).cwiseAbs().maxCoeff(), 1e-10 * speed) << trial;
  }
  EXPECT_GT(extrapolated, 100);
}

TEST(Settling, WithoutExtrapolation_TruncatesAtTheStatedTolerance) {
  for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
    const Resolution r = resolved(between_walls(0.5), {.tolerance = tolerance, .extrapolate = false});
    EXPECT_EQ(r.status, SequenceStatus::truncated);
    EXPECT_LE(r.remaining, 3 * tolerance);
    EXPECT_GT(r.remaining, 0.2 * 3 * tolerance);
  }
}

TEST(Settling, TheLimitOnCollisions_IsNoAnswer) {
  const Resolution r = resolved(between_walls(0.999), {.extrapolate = false, .max_collisions = 100});
  EXPECT_EQ(r.status, SequenceStatus::does_not_settle);
  EXPECT_EQ(r.end, SequenceEnd::collision_limit);
  EXPECT_EQ(r.collisions, 100U);
}

/// Σ of three decaying exponentials with vectors in front, of which the class sees only the terms.
TEST(Settling, SumOfSeveralGeometricSeries_IsFoundExactly) {
  const double lambda[3] = {0.9, 0.5, -0.3};
  const Vec3 a[3] = {{1, 0.2, 0}, {0.3, 0, 0.1}, {-0.2, 0.1, 0.4}};
  const Vec3 b[3] = {{0.5, 0, 0.3}, {0, 0.7, 0}, {0.1, 0.1, 0.1}};
  Settling settling;
  const auto term = [&](const Vec3* v, int k) {
    Vec3 out = Vec3::Zero();
    for (int i = 0; i < 3; ++i) out += std::pow(lambda[i], k) * v[i];
    return out;
  };
  Vec3 so_far[2] = {Vec3::Zero(), Vec3::Zero()};
  for (int k = 0; k < 200; ++k) {
    so_far[0] += term(a, k);
    so_far[1] += term(b, k);
    ASSERT_EQ(settling.note(7, Mode::stick, term(a, k), Vec3::UnitX()), Settling::Prediction::none);
    if (settling.note(4, Mode::slip, term(b, k), Vec3::UnitX()) != Settling::Prediction::limit) continue;
    Vec3 whole[2] = {Vec3::Zero(), Vec3::Zero()};
    for (int i = 0; i < 3; ++i) {
      whole[0] += a[i] / (1 - lambda[i]);
      whole[1] += b[i] / (1 - lambda[i]);
    }
    for (std::size_t i = 0; i < 2; ++i) {
      const int which = settling.contacts()[i] == 7 ? 0 : 1;
      EXPECT_LT((so_far[which] + settling.tail()[i] - whole[which]).norm(), 1e-11);
    }
    EXPECT_LT(k, 40);
    return;
  }
  FAIL() << "no limit was found";
}

/// What is held, and looked through at each period, must not grow with a sequence that goes on for long.
TEST(Settling, OffersThatAreDeclined_LeaveAsMuchToRememberAsBefore) {
  Settling settling;
  std::size_t offers = 0;
  double P = 1;
  for (int k = 0; k < 5000; ++k, P *= 0.999) {
    for (const std::uint32_t contact : {0U, 1U})
      if (settling.note(contact, Mode::stick, P * Vec3::UnitX(), Vec3::UnitX()) == Settling::Prediction::limit) {
        ++offers;
        settling.decline();
      }
    ASSERT_LE(settling.stored_sums(), 24U) << k;
  }
  EXPECT_GT(offers, 6U);
}

}  // namespace
}  // namespace ricochet
