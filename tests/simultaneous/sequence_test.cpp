#include "ricochet/simultaneous/sequence.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "arrangements.hpp"
#include "ricochet/base/error_path.hpp"
#include "ricochet/contact/between.hpp"
#include "ricochet/simultaneous/block_mobility.hpp"

namespace ricochet {
namespace {

using namespace testing;

struct Answer {
  Resolution r;
  std::vector<RigidBody> bodies;
};

Answer answer(const BodyScene& a, const SequenceOptions& options = {}) {
  const auto assembled = assemble(a);
  EXPECT_TRUE(assembled) << assembled.error().message();
  auto r = resolve(assembled->problem, options);
  EXPECT_TRUE(r) << r.error().message();
  return {*r, moved(a, *assembled, r->u)};
}

TEST(Sequence, OneContact_IsItsLawBitForBit) {
  Rng rng(2);
  for (int trial = 0; trial < 2000; ++trial) {
    BodyScene a = random_graph(rng, 2, 1, 0);
    ContactSpec& t = a.contacts[0];
    const auto contact = contact_between(a.bodies[t.first], a.bodies[t.second], t.point, t.n);
    ASSERT_TRUE(contact);
    if (trial % 4 == 0) t.law = Routh{.e = 0.5, .mu = 0.4, .restitution = Restitution::stronge};
    const auto alone = collide(t.law, *contact);
    ASSERT_TRUE(alone);
    const Answer out = answer(a);
    EXPECT_EQ(out.r.G[0], alone->P);
    EXPECT_EQ(out.r.collisions, contact->approach_speed() > 0 ? 1U : 0U);
    EXPECT_NEAR(out.r.energy_change, alone->energy_change, 1e-13 * (1 + std::abs(alone->energy_change)));
    const auto pair = apply_impulse(a.bodies[t.first], a.bodies[t.second], t.point, alone->P);
    EXPECT_LT((out.bodies[t.first].velocity - pair->A.velocity).norm(), 1e-13);
    EXPECT_LT((out.bodies[t.second].angular_velocity - pair->B.angular_velocity).norm(), 1e-12);
  }
}

TEST(NewtonsCradle, ElasticEqualBalls_TheLastOneTakesAll) {
  for (const std::size_t n : {2U, 3U, 5U, 40U}) {
    std::vector<double> speeds(n, 0);
    speeds[0] = 1.5;
    const Answer out = answer(row_of_balls(std::vector<double>(n, 0.2), speeds, Frictionless{1}));
    EXPECT_EQ(out.r.status, SequenceStatus::settled);
    EXPECT_EQ(out.r.collisions, n - 1);
    for (std::size_t i = 0; i + 1 < n; ++i) EXPECT_NEAR(out.bodies[i].velocity.x(), 0, 1e-15);
    EXPECT_NEAR(out.bodies[n - 1].velocity.x(), 1.5, 1e-15);
  }
}

TEST(NewtonsCradle, TwoBallsIn_TwoBallsOut) {
  const Answer out = answer(row_of_balls({1, 1, 1, 1, 1}, {1, 1, 0, 0, 0}, Frictionless{1}));
  EXPECT_EQ(out.r.status, SequenceStatus::settled);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(out.bodies[i].velocity.x(), i < 3 ? 0 : 1, 1e-14) << i;
}

/// Each ball passes on (1 + e)/2 of its speed; with e this close to 1 no pair meets again before the wave is out, and
/// the closed form of a chain of three gives the rest (next test).
TEST(NewtonsCradle, PlasticBalls_MoveOnTogether) {
  for (const std::size_t n : {2U, 3U, 5U, 10U}) {
    std::vector<double> masses;
    std::vector<double> speeds(n, 0);
    speeds[0] = 1;
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) {
      masses.push_back(1 + 0.3 * static_cast<double>(i % 3));
      total += masses.back();
    }
    const Answer out = answer(row_of_balls(masses, speeds, Frictionless{0}));
    EXPECT_NE(out.r.status, SequenceStatus::does_not_settle);
    for (const RigidBody& b : out.bodies) EXPECT_NEAR(b.velocity.x(), masses[0] / total, 1e-10) << n;
  }
}

TEST(ThreeBalls, EveryRestitution_ClosedForm) {
  const double critical = 7 - 4 * std::sqrt(3);
  for (int k = 0; k <= 400; ++k) {
    const double e = k / 400.0;
    const Answer out = answer(row_of_balls({1, 1, 1}, {1, 0, 0}, Frictionless{e}));
    const auto& b = out.bodies;
    if (e <= critical) {
      for (const RigidBody& body : b) EXPECT_NEAR(body.velocity.x(), 1.0 / 3, 1e-10) << e;
      continue;
    }
    const TwoContacts known = two_contacts(e, 1, 0.5 * (1 + e));
    // Just above the critical e the last approaches are below the tolerance.
    if (known.last > 1e-11) {
      EXPECT_EQ(out.r.status, SequenceStatus::settled) << e;
      EXPECT_EQ(static_cast<int>(out.r.collisions), known.collisions) << e;
    }
    const bool first_last = known.collisions % 2 == 1;  // contact 1 is struck first, then alternately
    const double V_12 = first_last ? known.last : known.other;
    const double V_23 = first_last ? known.other : known.last;
    EXPECT_NEAR(b[1].velocity.x() - b[0].velocity.x(), V_12, 2e-12) << e;
    EXPECT_NEAR(b[2].velocity.x() - b[1].velocity.x(), V_23, 2e-12) << e;
    EXPECT_NEAR(momentum(b).x(), 1, 1e-14);
  }
}

TEST(FlatRod, EveryRestitution_ClosedForm) {
  const double critical = 7 - 4 * std::sqrt(3);
  for (int k = 0; k <= 400; ++k) {
    const double e = k / 400.0;
    const Answer out = answer(flat_rod(Frictionless{e}));
    const RigidBody& rod = out.bodies[1];
    if (e <= critical) {
      EXPECT_NEAR(rod.velocity.z(), 0, 1e-10) << e;
      EXPECT_NEAR(rod.angular_velocity.y(), 0, 1e-10) << e;
      continue;
    }
    const TwoContacts known = two_contacts(e, 1, 1 + 0.5 * (1 + e));
    if (known.last > 1e-11) {
      EXPECT_EQ(static_cast<int>(out.r.collisions), known.collisions) << e;
    }
    // Which end is first is a tie; the motion of the rod's centre does not depend on it.
    EXPECT_NEAR(rod.velocity.z(), 0.5 * (known.last + known.other), 2e-12) << e;
    EXPECT_NEAR(std::abs(rod.angular_velocity.y()), 0.5 * std::abs(known.last - known.other), 2e-12) << e;
  }
}

/// Two equal balls strike a third of mass m from both sides, elastically (I95). The pairs are taken in turn, so that
/// the answer is that of three two-ball collisions by hand; which pair is first is a tie.
TEST(ThreeBalls, StruckFromBothSides_TheOrderDecides) {
  const double m = 0.5;
  const auto pair = [](double m_1, double m_2, double& v_1, double& v_2) {
    const double P = 2 * (v_1 - v_2) / (1 / m_1 + 1 / m_2);
    v_1 -= P / m_1;
    v_2 += P / m_2;
  };
  double v[3] = {1, 0, -1};
  for (int guard = 0; guard < 20; ++guard) {
    const double a = v[0] - v[1];
    const double b = v[1] - v[2];
    if (std::max(a, b) <= 1e-14) break;
    if (a >= b) {
      pair(1, m, v[0], v[1]);
    } else {
      pair(m, 1, v[1], v[2]);
    }
  }
  int left = 0;
  int right = 0;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    const Answer out =
        answer(row_of_balls({1, m, 1}, {1, 0, -1}, Frictionless{1}), {.ties = Ties::random, .seed = seed});
    const auto is = [&](double x, double y, double z) {
      return std::abs(out.bodies[0].velocity.x() - x) + std::abs(out.bodies[1].velocity.x() - y) +
                 std::abs(out.bodies[2].velocity.x() - z) <
             1e-13;
    };
    if (is(v[0], v[1], v[2])) ++left;
    if (is(-v[2], -v[1], -v[0])) ++right;
  }
  EXPECT_GT(std::abs(v[0] + v[2]), 0.1) << "the outcome is not its own mirror image";
  EXPECT_EQ(left + right, 64);
  EXPECT_GT(left, 16);
  EXPECT_GT(right, 16);
}

TEST(Ties, DirectionIsReproducible_PerturbationDecidesByItsSeed) {
  const BodyScene a = row_of_balls({1, 0.5, 1}, {1, 0, -1}, Frictionless{1});
  EXPECT_EQ(answer(a).r.u, answer(a).r.u);
  int first = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const SequenceOptions options{.ties = Ties::perturb, .seed = seed};
    const Answer one = answer(a, options);
    EXPECT_EQ(one.r.u, answer(a, options).r.u);
    EXPECT_LE((one.r.u_before - assemble(a)->problem.u()).cwiseAbs().maxCoeff(), 2e-9 * 2);
    std::vector<std::uint32_t> order;
    ASSERT_TRUE(resolve(assemble(a)->problem, options, [&](const SequenceStep& s) { order.push_back(s.contact); }));
    first += order.at(0) == 0 ? 1 : 0;
  }
  EXPECT_GT(first, 8);
  EXPECT_LT(first, 32);
}

TEST(Ties, AreCounted_WhereAnotherChoiceCouldMatter) {
  // Struck from both sides alike: the first choice is open, and nothing after it.
  const Answer both = answer(row_of_balls({1, 0.5, 1}, {1, 0, -1}, Frictionless{1}));
  ASSERT_TRUE(both.r.first_tie);
  EXPECT_EQ(both.r.first_tie->collision, 1U);
  EXPECT_EQ(both.r.first_tie->chosen + both.r.first_tie->other, 1U);
  EXPECT_EQ(both.r.ties, 1U);
  // A faster one leaves no choice.
  const Answer one = answer(row_of_balls({1, 0.5, 1}, {1.1, 0, -1}, Frictionless{1}));
  EXPECT_EQ(one.r.ties, 0U);
  EXPECT_FALSE(one.r.first_tie);
  // Equal speeds at contacts that nothing connects are no choice either.
  BodyScene apart = row_of_balls({1, 1}, {1, 0}, Frictionless{0.5});
  for (int copy = 1; copy < 5; ++copy) {
    const BodyScene more = row_of_balls({1, 1}, {1, 0}, Frictionless{0.5});
    const std::size_t first = apart.bodies.size();
    apart.bodies.insert(apart.bodies.end(), more.bodies.begin(), more.bodies.end());
    apart.contacts.push_back({first, first + 1, more.contacts[0].point, more.contacts[0].n, more.contacts[0].law});
  }
  EXPECT_EQ(answer(apart).r.ties, 0U);
  EXPECT_EQ(answer(apart).r.collisions, 5U);
}

/// What an observer sees is all that happens: impulses and energies add up to those of the answer, also where the end
/// of an endless sequence is summed up, and where hinges are contacts.
TEST(Sequence, AnObserver_SeesEveryStep) {
  std::vector<BodyScene> scenes{between_walls(0.75), flat_rod(Frictionless{0.05})};
  Rng rng(4);
  for (int trial = 0; trial < 50; ++trial) scenes.push_back(random_graph(rng, 4, 6, 1));
  for (int trial = 0; trial < 10; ++trial) {
    scenes.push_back(random_graph(rng, 4, 3, 1));
    scenes.back().hinges.push_back({1, 2, Vec3::Zero()});
  }
  int limits = 0;
  for (const BodyScene& a : scenes) {
    const auto assembled = assemble(a);
    ASSERT_TRUE(assembled);
    const Problem& problem = assembled->problem;
    std::vector<Vec3> G(problem.contacts().size(), Vec3::Zero());
    std::vector<Vec3> tail = G;
    double energy = 0;
    std::size_t collisions = 0;
    const auto r = resolve(problem, {}, [&](const SequenceStep& step) {
      (step.limit ? tail : G)[step.contact] += step.P;
      limits += step.limit ? 1 : 0;
      collisions += step.limit ? 0 : 1;
      EXPECT_EQ(step.collision, collisions);
      energy += step.energy_change;
      const ProblemContact& contact = problem.contacts()[step.contact];
      EXPECT_EQ(step.normal_impulse, contact.hinge ? 0 : contact.contact.n.dot(step.P));
    });
    ASSERT_TRUE(r);
    if (r->status == SequenceStatus::does_not_settle) continue;
    EXPECT_EQ(collisions, r->collisions);
    double size = 0;
    for (std::size_t i = 0; i < G.size(); ++i) {
      EXPECT_LE((G[i] + tail[i] - r->G[i]).norm(), 1e-13 * (1 + r->G[i].norm()));
      size += r->G[i].norm();
    }
    EXPECT_NEAR(energy, r->energy_change, 1e-11 * (1 + size));
  }
  EXPECT_GT(limits, 3);
}

/// An arm of rounding along an axis is no reason to take any spin about that axis for small.
TEST(Ties, PerturbedSpin_KeepsItsSize_WhereverTheArmPoints) {
  BodyScene a = row_of_balls({1, 1}, {1, 0}, Frictionless{0.5});
  for (const Vec3& off : {Vec3(0, 0, 0), Vec3(0, 1e-17, 0), Vec3(-0.5, 1e-17, 3e-18)}) {
    a.contacts[0].point = Vec3(0.5, 0, 0) + off;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Answer one = answer(a, {.ties = Ties::perturb, .seed = seed});
      for (const RigidBody& body : one.bodies) {
        // The mass lies √(3/5) of the radius from the centre in the mean.
        EXPECT_LE(body.angular_velocity.cwiseAbs().maxCoeff(), 1e-9 / (0.5 * std::sqrt(0.6)) * 1.0001) << seed;
      }
    }
  }
}

TEST(Ties, EqualWithinRounding_IsEqual) {
  const TieGrid grid(3.0);
  EXPECT_EQ(grid(1.0), grid(std::nextafter(1.0, 0)));
  EXPECT_EQ(grid(1.0), grid(std::nextafter(1.0, 2)));
  EXPECT_EQ(grid(0.3), grid(0.1 + 0.2));
  EXPECT_NE(grid(1.0), grid(1.0 + 1e-8));
  EXPECT_EQ(grid(1e-15), 0);
  Rng rng(3);
  for (int k = 0; k < 10000; ++k) {
    const double a = log_uniform(rng, -12, 1);
    const double b = a * (1 + uniform(rng, 0, 1e-9));
    EXPECT_LE(grid(a), grid(b));
    EXPECT_NEAR(grid(a), a, 1e-10 * a + 1e-12);
  }
}

TEST(Sequence, UncoupledContacts_DoNotMindTheOrder) {
  // Pairs that share nothing, once in file order and once shuffled.
  Rng rng(4);
  BodyScene a;
  for (std::size_t k = 0; k < 40; ++k) {
    const BodyScene pair = random_graph(rng, 2, 1, 0);
    a.bodies.insert(a.bodies.end(), pair.bodies.begin(), pair.bodies.end());
    ContactSpec t = pair.contacts[0];
    t.first += 2 * k;
    t.second += 2 * k;
    a.contacts.push_back(t);
  }
  const Answer one = answer(a);
  BodyScene shuffled = a;
  std::reverse(shuffled.contacts.begin(), shuffled.contacts.end());
  EXPECT_EQ(answer(shuffled).r.u, one.r.u);
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    EXPECT_EQ(answer(a, {.ties = Ties::random, .seed = seed}).r.u, one.r.u);
}

/// What must hold for every graph: momentum, angular momentum, energy, friction, no approach, Eq. 15.
TEST(Sequence, ThousandsOfRandomGraphs_KeepWhatMustBeKept) {
  Rng rng(5);
  int settled = 0;
  const int trials = 3000;
  for (int trial = 0; trial < trials; ++trial) {
    const std::size_t n = 2 + rng() % 7;
    const std::size_t walls = rng() % 2;
    const BodyScene a = random_graph(rng, n, 1 + rng() % (2 * n), walls);
    const auto assembled = assemble(a);
    ASSERT_TRUE(assembled) << assembled.error().message();
    const auto r = resolve(assembled->problem, {.seed = rng(), .max_collisions = 200'000});
    ASSERT_TRUE(r) << r.error().message();
    const std::vector<RigidBody> after = moved(a, *assembled, r->u);
    double size = 0;
    for (const Vec3& P : r->G) size += P.norm();
    if (walls == 0) {
      EXPECT_LT((momentum(after) - momentum(a.bodies)).norm(), 1e-12 * (10 + size)) << trial;
      EXPECT_LT((angular_momentum(after) - angular_momentum(a.bodies)).norm(), 1e-11 * (10 + size)) << trial;
    }
    const double E = energy(a.bodies);
    EXPECT_NEAR(energy(after) - E, r->energy_change, 1e-11 * (E + size)) << trial;
    EXPECT_LE(r->energy_change, 1e-12 * (E + size)) << trial;
    const std::vector<Vec3> change = mobility(assembled->problem).times(r->G);
    if (r->status == SequenceStatus::does_not_settle) {
      EXPECT_EQ(r->end, SequenceEnd::collision_limit) << trial;
      continue;
    }
    ++settled;
    for (std::size_t i = 0; i < a.contacts.size(); ++i) {
      const ProblemContact& place = assembled->problem.contacts()[i];
      const Vec3& n_i = place.contact.n;
      EXPECT_GE(n_i.dot(r->V[i]), -2e-12 * assembled->problem.speed()) << trial;
      EXPECT_LT((place.contact.V + change[i] - r->V[i]).norm(), 1e-11 * (1 + size)) << trial;
      const double mu = std::visit(
          [](const auto& law) -> double {
            if constexpr (requires { law.mu; }) {
              return law.mu;
            } else {
              return 0;
            }
          },
          a.contacts[i].law);
      const double normal = n_i.dot(r->G[i]);
      EXPECT_GE(normal, -1e-12 * size) << trial;
      EXPECT_LE((r->G[i] - normal * n_i).norm(), mu * normal + 1e-11 * size) << trial;
    }
  }
  // A few sequences are long; none may be given up for another reason.
  EXPECT_GT(settled, 0.998 * trials);
}

/// A sheet of touching balls, struck at one corner: 10⁵ contacts, of which a blow reaches few at first and all in the
/// end.
/// V = v + ω × r is rounding then, and elastic walls would send it to and fro without end.
TEST(Sequence, ABallThatTurnsAboutItsContacts_IsAtRestThere) {
  Rng rng(9);
  for (int k = 0; k < 200; ++k) {
    const Vec3 n = random_unit(rng);
    const Vec3 centre(uniform(rng, -2, 2), uniform(rng, -2, 2), uniform(rng, -2, 2));
    const Law law = ChatterjeeRuina{.e = 1, .mu = 0.3};
    BodyScene a;
    a.bodies.push_back({.fixed = true});
    a.bodies.push_back(ball(1, 0.5, centre));
    a.contacts.push_back({0, 1, centre - 0.5 * n, n, law});
    BodyScene rolls = a;
    a.bodies[1].angular_velocity = 3 * n;
    a.contacts.push_back({0, 1, centre + 0.5 * n, -n, law});
    rolls.bodies[1].angular_velocity = random_unit(rng);
    rolls.bodies[1].velocity = 0.5 * rolls.bodies[1].angular_velocity.cross(n);
    for (const BodyScene& one : {a, rolls}) {
      const Answer out = answer(one, {.max_collisions = 1000});
      EXPECT_EQ(out.r.status, SequenceStatus::settled);
      EXPECT_EQ(out.r.collisions, 0U);
    }
  }
}

TEST(Sequence, AHundredThousandContacts_Settle) {
  constexpr std::size_t n = 225;
  BodyScene a;
  const Law law = ChatterjeeRuina{.e = 0.5, .e_t = 0, .mu = 0.2};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const Vec3 at(static_cast<double>(i), static_cast<double>(j), 0);
      a.bodies.push_back(ball(1, 0.5, at));
      if (i > 0) a.contacts.push_back({(i - 1) * n + j, i * n + j, at - 0.5 * Vec3::UnitX(), Vec3::UnitX(), law});
      if (j > 0) a.contacts.push_back({i * n + j - 1, i * n + j, at - 0.5 * Vec3::UnitY(), Vec3::UnitY(), law});
    }
  a.bodies[0].velocity = Vec3(10, 7, 0.1);
  ASSERT_GT(a.contacts.size(), 100'000U);
  const double tolerance = 1e-4;
  const Answer out = answer(a, {.tolerance = tolerance});
  EXPECT_NE(out.r.status, SequenceStatus::does_not_settle);
  EXPECT_LE(out.r.remaining, tolerance * a.bodies[0].velocity.norm() * 1.01);
  EXPECT_LT((momentum(out.bodies) - momentum(a.bodies)).norm(), 1e-10);
  EXPECT_LT((angular_momentum(out.bodies) - angular_momentum(a.bodies)).norm(), 1e-9);
  EXPECT_NEAR(energy(out.bodies) - energy(a.bodies), out.r.energy_change, 1e-9);
  EXPECT_LT(out.r.energy_change, 0);
  EXPECT_GT(out.r.collisions, 1000U);
}

TEST(Sequence, ALawThatRefuses_IsAnErrorThatNamesTheContact) {
  BodyScene a = row_of_balls({1, 1}, {1, 0}, Bilinear{.e = 0.5, .mu = 0.1});
  a.bodies[1].inertia = Vec3(0.1, 0.15, 0.2).asDiagonal();
  a.bodies[1].orientation = Quaternion(Eigen::AngleAxisd(0.5, Vec3(1, 2, 3).normalized()));
  a.bodies[0].velocity.y() = 1;
  a.contacts[0].point.y() = 0.2;
  const auto r = resolve(assemble(a)->problem);
  ASSERT_FALSE(r);
  EXPECT_EQ(path_steps(r.error().path).front(), (PathStep{"contact", 1}));
}

TEST(Sequence, OptionsOutOfRange_AreRefused) {
  const auto assembled = assemble(row_of_balls({1, 1}, {1, 0}, Frictionless{}));
  EXPECT_EQ(resolve(assembled->problem, {.tolerance = -1}).error().path, "tolerance");
  EXPECT_EQ(resolve(assembled->problem, {.ties = Ties::perturb, .uncertainty = 2}).error().path, "uncertainty");
  EXPECT_EQ(resolve_from(assembled->problem, VecX::Zero(3), {}).error().path, "u");
}

}  // namespace
}  // namespace ricochet
