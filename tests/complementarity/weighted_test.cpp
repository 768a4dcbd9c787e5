#include "ricochet/complementarity/weighted.hpp"

#include "joint_arrangements.hpp"
#include "ricochet/complementarity/plastic.hpp"
#include "ricochet/simultaneous/sequence.hpp"

namespace ricochet {
namespace {

using namespace testing;

Assembled made(const BodyScene& a) {
  auto assembled = assemble(a);
  EXPECT_TRUE(assembled) << assembled.error().message();
  return *std::move(assembled);
}

void give(BodyScene& a, Rng& rng, bool equal) {
  const double e = uniform(rng, 0, 1);
  const double e_t = uniform(rng, -1, 1);
  for (ContactSpec& t : a.contacts) {
    double mu = chance(rng, 0.15) ? 0 : uniform(rng, 0, 1.5);
    if (chance(rng, 0.1)) mu = std::numeric_limits<double>::infinity();
    t.law = ChatterjeeRuina{.e = equal ? e : uniform(rng, 0, 1), .e_t = equal ? e_t : uniform(rng, -1, 1), .mu = mu};
  }
}

TEST(Weighted, OneContact_IsChatterjeeRuina) {
  Rng rng(51);
  int collided = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    BodyScene a = random_graph(rng, 2, 1, rng() % 2);
    give(a, rng, false);
    if (trial % 10 == 0) std::get<ChatterjeeRuina>(a.contacts[0].law).e = trial % 20 == 0 ? 0 : 1;
    const Assembled assembled = made(a);
    const auto out = resolve_weighted(assembled.problem);
    ASSERT_TRUE(out) << trial << ' ' << out.error().message();
    const auto law = collide(a.contacts[0].law, assembled.problem.contacts()[0].contact);
    ASSERT_TRUE(law);
    collided += law->P.norm() > 0;
    EXPECT_LT((out->G[0] - law->P).norm(), 1e-10 * (1 + law->P.norm())) << trial;
  }
  EXPECT_GT(collided, 1200);
}

TEST(Weighted, RandomGraphs_ArePermissible) {
  Rng rng(52);
  int collided = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    BodyScene a = random_graph(rng, 2 + rng() % 5, 1 + rng() % 8, rng() % 2);
    give(a, rng, trial % 2 == 0);
    const Assembled assembled = made(a);
    const auto out = resolve_weighted(assembled.problem);
    ASSERT_TRUE(out) << trial << ' ' << out.error().message();
    expect_consistent(a, assembled, *out, 1e-9);
    expect_in_cones(a, *out, *parameters(assembled.problem, *contact_space(assembled.problem)), 1e-10);
    EXPECT_LE(energy(moved(a, assembled, out->u)), energy(a.bodies) * (1 + 1e-11)) << trial;
    EXPECT_FALSE(out->gains_energy()) << trial;
    collided += out->energy_change < -1e-9;
  }
  EXPECT_GT(collided, 600);
}

/// (LC10): without friction, and with one e for all, at least (1 − e²) of what the plastic impact takes is lost.
TEST(Weighted, FrictionlessEqualRestitution_LosesItsShare) {
  Rng rng(54);
  int extra = 0;
  for (int trial = 0; trial < 300; ++trial) {
    BodyScene a = random_graph(rng, 2 + rng() % 5, 1 + rng() % 8, rng() % 2);
    const double e = uniform(rng, 0, 1);
    for (ContactSpec& t : a.contacts) t.law = Frictionless{e};
    const Assembled assembled = made(a);
    const auto out = resolve_weighted(assembled.problem);
    const auto plastic = resolve_plastic(assembled.problem);
    ASSERT_TRUE(out);
    ASSERT_TRUE(plastic);
    EXPECT_LE(out->energy_change, (1 - e * e) * plastic->energy_change + 1e-9) << trial;
    extra += out->energy_change < (1 - e * e) * plastic->energy_change - 1e-6;
  }
  EXPECT_GT(extra, 10);  // the x of (LC9) is at work
}

/// Where the friction is ample and e_t = 0, pressed contacts stick; with e = e_t = 0 nothing of their motion is left.
TEST(Weighted, AmpleFriction_PlasticContactsStickTogether) {
  const BodyScene a = box_on_corners(ChatterjeeRuina{.e = 0, .e_t = 0, .mu = 20}, {0.3, -0.1, -1});
  const Assembled assembled = made(a);
  const auto out = resolve_weighted(assembled.problem);
  ASSERT_TRUE(out) << out.error().message();
  for (const Vec3& V : out->V) EXPECT_LT(V.norm(), 1e-11);
  for (const double kappa : out->kappa) EXPECT_NEAR(kappa, 1, 1e-12);
}

/// A box that falls straight keeps its symmetry: no spin, the same impulse at every corner. The sequence has to begin
/// somewhere, and does not.
TEST(Weighted, FlatBox_KeepsItsSymmetry_TheSequenceDoesNot) {
  const BodyScene a = box_on_corners(ChatterjeeRuina{.e = 0.6, .e_t = 0, .mu = 0.4}, {0, 0, -1});
  const Assembled assembled = made(a);
  const auto out = resolve_weighted(assembled.problem);
  ASSERT_TRUE(out) << out.error().message();
  const auto after = moved(a, assembled, out->u);
  EXPECT_NEAR(after[1].velocity.z(), 0.6, 1e-12);
  EXPECT_LT(after[1].angular_velocity.norm(), 1e-11);
  for (const Vec3& P : out->G) EXPECT_LT((P - out->G[0]).norm(), 1e-12);
  const auto sequence = resolve(assembled.problem);
  ASSERT_TRUE(sequence);
  EXPECT_GT(moved(a, assembled, sequence->u)[1].angular_velocity.norm(), 1e-3);
}

TEST(Weighted, BallBetweenTwoBalls_KeepsItsSymmetry) {
  const BodyScene a = row_of_balls({1, 1, 1}, {1, 0, -1}, Frictionless{0.5});
  const Assembled assembled = made(a);
  const auto out = resolve_weighted(assembled.problem);
  ASSERT_TRUE(out);
  const auto after = moved(a, assembled, out->u);
  EXPECT_NEAR(after[0].velocity.x(), -0.5, 1e-12);
  EXPECT_NEAR(after[1].velocity.x(), 0, 1e-12);
  EXPECT_NEAR(after[2].velocity.x(), 0.5, 1e-12);
}

/// (LC10) with e = 1: the struck contact reverses, the others keep their zero: v₁ = −(n−2)/n and 2/n for the rest. The
/// sequence gives the last ball everything, as experiments do.
TEST(Weighted, NewtonsCradle_IsWrong_TheSequenceIsRight) {
  for (const std::size_t n : {2U, 3U, 5U, 9U}) {
    std::vector<double> speeds(n, 0);
    speeds[0] = 1;
    const BodyScene a = row_of_balls(std::vector<double>(n, 1), speeds, Frictionless{1});
    const Assembled assembled = made(a);
    const auto out = resolve_weighted(assembled.problem);
    ASSERT_TRUE(out) << out.error().message();
    const auto after = moved(a, assembled, out->u);
    const auto count = static_cast<double>(n);
    EXPECT_NEAR(after[0].velocity.x(), -(count - 2) / count, 1e-12);
    for (std::size_t i = 1; i < n; ++i) EXPECT_NEAR(after[i].velocity.x(), 2 / count, 1e-12);
    EXPECT_NEAR(out->energy_change, 0, 1e-12);
    const auto sequence = resolve(assembled.problem);
    ASSERT_TRUE(sequence);
    EXPECT_NEAR(moved(a, assembled, sequence->u)[n - 1].velocity.x(), 1, 1e-12);
  }
}

TEST(Weighted, Uncoupled_EachContactIsItsLaw) {
  Rng rng(53);
  for (int trial = 0; trial < 100; ++trial) {
    BodyScene a;
    for (std::size_t pair = 0; pair < 3; ++pair) {
      BodyScene one = random_graph(rng, 2, 1, 0);
      give(one, rng, false);
      for (const RigidBody& b : one.bodies) a.bodies.push_back(b);
      one.contacts[0].first += 2 * pair;
      one.contacts[0].second += 2 * pair;
      a.contacts.push_back(one.contacts[0]);
    }
    const Assembled assembled = made(a);
    const auto out = resolve_weighted(assembled.problem);
    ASSERT_TRUE(out) << out.error().message();
    for (std::size_t i = 0; i < 3; ++i) {
      const auto law = collide(a.contacts[i].law, assembled.problem.contacts()[i].contact);
      ASSERT_TRUE(law);
      EXPECT_LT((out->G[i] - law->P).norm(), 1e-9 * (1 + law->P.norm())) << trial;
    }
  }
}

}  // namespace
}  // namespace ricochet
