#include "ricochet/simultaneous/problem.hpp"

#include <gtest/gtest.h>

#include "arrangements.hpp"
#include "ricochet/contact/between.hpp"
#include "ricochet/mechanism/systems.hpp"
#include "ricochet/simultaneous/block_mobility.hpp"

namespace ricochet {
namespace {

using namespace testing;

/// CR98 Eq. 15 from the blocks of W, and from the bodies one impulse after another.
TEST(Problem, BlocksOfWTimesImpulses_AreTheChangeThatTheBodiesMake) {
  Rng rng(1);
  for (int trial = 0; trial < 200; ++trial) {
    const BodyScene a = random_graph(rng, 2 + rng() % 6, 1 + rng() % 12, rng() % 2);
    const auto assembled = assemble(a);
    ASSERT_TRUE(assembled) << assembled.error().message();
    const BlockMatrix W = mobility(assembled->problem);
    std::vector<Vec3> G;
    std::vector<RigidBody> bodies = a.bodies;
    for (const ContactSpec& t : a.contacts) {
      G.push_back(uniform(rng, 0, 2) * random_unit(rng));
      const auto pair = apply_impulse(bodies[t.first], bodies[t.second], t.point, G.back());
      ASSERT_TRUE(pair);
      bodies[t.first] = pair->A;
      bodies[t.second] = pair->B;
    }
    const std::vector<Vec3> change = W.times(G);
    for (std::size_t i = 0; i < a.contacts.size(); ++i) {
      const ContactSpec& t = a.contacts[i];
      const Vec3 before = velocity_at(a.bodies[t.second], t.point) - velocity_at(a.bodies[t.first], t.point);
      const Vec3 after = velocity_at(bodies[t.second], t.point) - velocity_at(bodies[t.first], t.point);
      EXPECT_LT((change[i] - (after - before)).norm(), 1e-11 * (1 + after.norm() + before.norm()));
    }
  }
}

TEST(Problem, BlocksCoupleOnlyContactsThatShareABody_AndAreSymmetric) {
  const auto assembled = assemble(row_of_balls({1, 1, 1, 1}, {1, 0, 0, 0}, Frictionless{1}));
  ASSERT_TRUE(assembled);
  const BlockMatrix W = mobility(assembled->problem);
  EXPECT_EQ(W.start, (std::vector<std::size_t>{0, 2, 5, 7}));
  EXPECT_EQ(W.column, (std::vector<std::uint32_t>{0, 1, 0, 1, 2, 1, 2}));
  // Middle ball of mass 1 and radius ½ with contacts on both sides: −1/m along the line, 1/m·(−1 + 5/2) across it.
  EXPECT_NEAR(W.block[1](0, 0), -1, 1e-15);
  EXPECT_NEAR(W.block[1](1, 1), 1.5, 1e-14);
  EXPECT_LT((W.block[1] - W.block[2].transpose()).norm(), 1e-15);
}

TEST(Problem, ASystemWithManyContacts_NeedsNoBlocksToBeResolved) {
  // Ten thousand balls on one plate: W would have 10⁸ blocks.
  BodyScene a;
  a.bodies.push_back(ball(1e4, 50, Vec3::Zero()));
  for (int i = 0; i < 100; ++i)
    for (int j = 0; j < 100; ++j) {
      const Vec3 at(i - 49.5, j - 49.5, 0);
      a.bodies.push_back(ball(1, 0.4, at + 0.4 * Vec3::UnitZ(), {0, 0, i == 0 && j < 3 ? -1.0 - 0.1 * j : 0.0}));
      a.contacts.push_back({0, a.bodies.size() - 1, at, Vec3::UnitZ(), Frictionless{0.5}});
    }
  const auto assembled = assemble(a);
  ASSERT_TRUE(assembled);
  const auto r = resolve(assembled->problem, {.max_collisions = 200});
  ASSERT_TRUE(r);
  EXPECT_GT(r->collisions, 2U);
}

TEST(Problem, MechanismsAreSystems_ASinglePendulumIsItsOwnContact) {
  const Lagrangian pendulum = single_pendulum({.length = 2, .mass = 3});
  const VecX q = VecX::Constant(1, 0.4);
  const VecX u = VecX::Constant(1, -0.7);
  const auto response = respond(pendulum, "floor", q, u);
  ASSERT_TRUE(response);
  const auto at = contact_at(pendulum, "floor", q);
  const auto solver = dense_solver(*mass_matrix(pendulum, q));
  Problem problem;
  const auto system = problem.add(*solver, u);
  ASSERT_TRUE(system);
  const Law law = ChatterjeeRuina{.e = 0.6, .mu = 0.2};
  ASSERT_TRUE(problem.touch(*system, *at, law));
  const auto alone = collide(law, response->contact);
  const auto resolved = resolve(problem);
  ASSERT_TRUE(alone && resolved);
  EXPECT_EQ(resolved->collisions, 1U);
  EXPECT_EQ(resolved->G[0], alone->P);
  EXPECT_NEAR(resolved->u(0), response->after(alone->P)(0), 1e-15);
}

/// Kane's double pendulum lands on a ball that lies on the floor: mechanism, body and fixed body in one problem.
/// 𝓜⁻¹ may cost a sweep over a large tree: each contact asks for it once, at each mechanism that it touches.
TEST(Problem, EachContactOfAMechanism_IsSolvedOnce) {
  int solved = 0;
  const MassSolver counting = [&solved](const MatX& X) -> MatX {
    ++solved;
    return 0.5 * X;
  };
  Problem problem;
  const auto first = problem.add(counting, VecX::Constant(3, 1));
  const auto second = problem.add(counting, VecX::Zero(3));
  const auto body = problem.add(ball(1, 0.5, Vec3::Zero()));
  ASSERT_TRUE(first && second && body);
  ContactPoint at;
  at.J = MatX::Identity(3, 3);
  ASSERT_TRUE(problem.touch(*first, at, Frictionless{0.5}));
  EXPECT_EQ(solved, 1);
  ASSERT_TRUE(problem.touch(*first, at.J, *second, at.J, Vec3::Zero(), Vec3::UnitX(), Frictionless{0.5}));
  EXPECT_EQ(solved, 3);
  ASSERT_TRUE(problem.touch(*first, at.J, *body, {}, Vec3::Zero(), Vec3::UnitX(), Frictionless{0.5}));
  EXPECT_EQ(solved, 4);
  ASSERT_TRUE(resolve(problem));
  EXPECT_EQ(solved, 4);
}

TEST(Problem, AMechanismStrikesABodyThatLiesOnTheFloor) {
  const Lagrangian pendulum = double_pendulum_absolute({2, 3}, {2, 3});
  const VecX q = (VecX(2) << 0.35, 0.52).finished();
  const VecX u = (VecX(2) << -0.1, -0.2).finished();
  const auto at = contact_at(pendulum, "floor", q);
  ASSERT_TRUE(at);
  Problem problem;
  const auto system = problem.add(*dense_solver(*mass_matrix(pendulum, q)), u);
  const auto floor = problem.add(RigidBody{.fixed = true});
  const auto rock = problem.add(ball(0.5, 0.1, at->point - 0.1 * Vec3::UnitZ()));
  ASSERT_TRUE(system && floor && rock);
  const Law law = ChatterjeeRuina{.e = 0.3, .mu = 0.4};
  ASSERT_TRUE(problem.touch(*rock, {}, *system, at->J, at->point, Vec3::UnitZ(), law));
  ASSERT_TRUE(problem.touch(*floor, *rock, at->point - 0.2 * Vec3::UnitZ(), Vec3::UnitZ(), law));
  const auto r = resolve(problem);
  ASSERT_TRUE(r) << r.error().message();
  EXPECT_NE(r->status, SequenceStatus::does_not_settle);
  EXPECT_LT(r->energy_change, 0);
  EXPECT_GE(r->V[0].z(), -1e-12);
  EXPECT_GE(r->V[1].z(), -1e-12);
  // Energies by each system's own formula.
  const auto E_pendulum = [&](const VecX& speeds) { return *kinetic_energy(pendulum, q, speeds); };
  const auto E_rock = [](const VecX& s) {
    return 0.25 * s.head<3>().squaredNorm() + 0.5 * 0.002 * s.tail<3>().squaredNorm();
  };
  const double change = E_pendulum(r->u.head(2)) + E_rock(r->u.tail(6)) - E_pendulum(u);
  EXPECT_NEAR(change, r->energy_change, 1e-14);
}

TEST(Problem, WhatCannotBe_IsRefusedByName) {
  const auto field_of = [](const BodyScene& a) { return assemble(a).error().path; };
  const BodyScene good = row_of_balls({1, 1, 1}, {1, 0, 0}, Frictionless{1});
  BodyScene a = good;
  a.contacts[1].second = 1;
  EXPECT_EQ(field_of(a), "contact[2].bodies");
  a = good;
  a.contacts[1].second = 7;
  EXPECT_EQ(field_of(a), "contact[2].bodies");
  a = good;
  a.contacts[0].n = Vec3::Zero();
  EXPECT_EQ(field_of(a), "contact[1].normal");
  a = good;
  a.contacts[0].point.x() = NAN;
  EXPECT_EQ(field_of(a), "contact[1].point");
  a = good;
  a.bodies[2].mass = -1;
  EXPECT_EQ(field_of(a), "body[3].mass");
  a = good;
  a.bodies[0].fixed = a.bodies[1].fixed = true;
  EXPECT_EQ(field_of(a), "contact[1].bodies");
  a = good;
  a.hinges.push_back({0, 0, Vec3::Zero()});
  EXPECT_EQ(field_of(a), "hinge[1].bodies");
  a = good;
  a.hinges.push_back({0, 1, {0.5, 0, 0}});
  EXPECT_EQ(assemble(a, Hinges::intact).error().path, "hinge[1]");
}

TEST(Problem, SpeedsWhoseSquaresOverflow_AreRefused_MassesOfAnySizeAreNot) {
  BodyScene a = row_of_balls({1, 1}, {1e200, 0}, Frictionless{0.5});
  EXPECT_EQ(assemble(a).error().path, "contact[1].V");
  // Alike, so that nothing approaches, and still too fast to be measured.
  a = row_of_balls({1, 1}, {1e200, 1e200}, Frictionless{0.5});
  EXPECT_EQ(assemble(a).error().path, "contact[1].V");
  a = row_of_balls({1e-200, 1}, {1, 0}, Frictionless{0.5});
  const auto r = resolve(assemble(a)->problem);
  ASSERT_TRUE(r) << r.error().message();
  EXPECT_NEAR(r->V[0].x(), 0.5, 1e-15);
}

}  // namespace
}  // namespace ricochet
