// CR98 6.5: a mechanism as free bodies with hinges in the sequence, or as one piece.

#include <gtest/gtest.h>

#include "arrangements.hpp"
#include "ricochet/mechanism/systems.hpp"

namespace ricochet {
namespace {

using namespace testing;

constexpr double deg = 3.14159265358979323846 / 180;

/// A rod of length l and mass m from a hinge at `top`, hanging at `angle` from the vertical in the x–z plane.
RigidBody hanging_rod(double l, double m, const Vec3& top, double angle, double rate, const Vec3& top_velocity) {
  const Vec3 along(std::sin(angle), 0, -std::cos(angle));
  RigidBody rod;
  rod.mass = m;
  rod.inertia = (m * l * l / 12 * (Mat3::Identity() - along * along.transpose()));
  rod.position = top + 0.5 * l * along;
  // d(angle)/dt > 0 turns the tip towards +x: ω along −y.
  rod.angular_velocity = Vec3(0, -rate, 0);
  rod.velocity = top_velocity + rod.angular_velocity.cross(0.5 * l * along);
  return rod;
}

Vec3 tip_of(double l, const Vec3& top, double angle) { return top + l * Vec3(std::sin(angle), 0, -std::cos(angle)); }

/// CR98 Fig. 8: a pendulum's tip strikes the floor.
BodyScene pendulum(double angle, double rate, const Law& law) {
  BodyScene a;
  a.bodies.push_back({.fixed = true});
  a.bodies.push_back(hanging_rod(1, 2, Vec3::Zero(), angle, rate, Vec3::Zero()));
  a.contacts.push_back({0, 1, tip_of(1, Vec3::Zero(), angle), Vec3::UnitZ(), law});
  a.hinges.push_back({0, 1, Vec3::Zero()});
  return a;
}

struct Both {
  Resolution sequence, intact;
  std::vector<RigidBody> by_sequence, by_intact;
};

Both both(const BodyScene& a) {
  Both out;
  for (const Hinges hinges : {Hinges::in_sequence, Hinges::intact}) {
    const auto assembled = assemble(a, hinges);
    EXPECT_TRUE(assembled) << assembled.error().message();
    const auto r = resolve(assembled->problem);
    EXPECT_TRUE(r) << r.error().message();
    (hinges == Hinges::intact ? out.intact : out.sequence) = *r;
    (hinges == Hinges::intact ? out.by_intact : out.by_sequence) = moved(a, *assembled, r->u);
  }
  return out;
}

TEST(HingedPendulum, Frictionless_SequenceHasAnEffectiveRestitution_IntactHasTheLawsOwn) {
  for (const double angle : {15.0, 30.0, 60.0, 85.0}) {
    for (const double e : {0.0, 0.2, 0.34, 0.6, 1.0}) {
      const double a = angle * deg;
      const Both out = both(pendulum(a, -1.3, Frictionless{e}));
      // W_nn of the tip: free 1/m + (l/2)² sin²a/(m l²/12), hinged l² sin²a/(m l²/3); in units of 1/m.
      const double s2 = std::sin(a) * std::sin(a);
      const double e_sequence = std::max(0.0, (1 + e) * 3 * s2 / (1 + 3 * s2) - 1);
      const double before = -1.3 * std::sin(a);
      EXPECT_NEAR(out.intact.V[0].z(), -e * before, 1e-12);
      EXPECT_EQ(out.intact.collisions, 1U);
      EXPECT_NEAR(out.sequence.V[0].z(), -e_sequence * before, 2e-11) << angle << " " << e;
      // Both keep the hinge.
      for (const auto& bodies : {out.by_sequence, out.by_intact})
        EXPECT_LT(velocity_at(bodies[1], Vec3::Zero()).norm(), 1e-11);
    }
  }
}

TEST(HingedPendulum, WithFriction_IntactIsTheMechanismsOwnAnswer) {
  const Law law = Routh{.e = 0.5, .mu = 0.3, .restitution = Restitution::stronge};
  const double angle = -0.4;
  const Both out = both(pendulum(angle, 1.1, law));
  const Lagrangian system = single_pendulum({.length = 1, .mass = 2});
  const auto response = respond(system, "floor", VecX::Constant(1, angle), VecX::Constant(1, 1.1));
  ASSERT_TRUE(response);
  const auto hit = collide(law, response->contact);
  ASSERT_TRUE(hit);
  EXPECT_LT((out.intact.G[0] - hit->P).norm(), 1e-12);
  EXPECT_NEAR(-out.by_intact[1].angular_velocity.y(), response->after(hit->P)(0), 1e-12);
  EXPECT_LT(out.sequence.energy_change, 0);
}

/// Struck across at a distance s from its end, a rod of length l gives its hinge P (3 s / 2 l − 1): nothing at the
/// centre of percussion.
TEST(HingedPendulum, Intact_HingeCarriesWhatTheRodDoesNot_NothingAtTheCentreOfPercussion) {
  BodyScene a = pendulum(0, 1, Frictionless{0.5});
  for (const double s : {0.25, 2.0 / 3, 1.0}) {
    a.contacts[0].point = {0, 0, -s};
    const auto carried = hinge_impulses(a, std::vector<Vec3>{{-0.7, 0, 0}});
    ASSERT_TRUE(carried) << carried.error().message();
    ASSERT_EQ(carried->size(), 1U);
    EXPECT_LT(((*carried)[0].P - Vec3(-0.7 * (1.5 * s - 1), 0, 0)).norm(), 1e-14);
    EXPECT_TRUE((*carried)[0].unique);
  }
  // A second hinge on the rod's line: along the line the two share what nobody can tell apart, equally if smallest.
  a.hinges.push_back({0, 1, {0, 0, -1}});
  const auto carried = hinge_impulses(a, std::vector<Vec3>{{0, 0, 0.8}});
  ASSERT_TRUE(carried);
  for (const HingeImpulse& hinge : *carried) {
    EXPECT_LT((hinge.P - Vec3(0, 0, -0.4)).norm(), 1e-12);
    EXPECT_FALSE(hinge.unique);
  }
}

/// ST98's double pendulum, as two rods and two hinges.
BodyScene double_pendulum(const Law& law) {
  const double l = 2;
  const double q_1 = 20 * deg;
  const double q_2 = 30 * deg;
  const Vec3 elbow = tip_of(l, Vec3::Zero(), q_1);
  BodyScene a;
  a.bodies.push_back({.fixed = true});
  a.bodies.push_back(hanging_rod(l, 3, Vec3::Zero(), q_1, -0.1, Vec3::Zero()));
  a.bodies.push_back(hanging_rod(l, 3, elbow, q_2, -0.2, velocity_at(a.bodies[1], elbow)));
  a.contacts.push_back({0, 2, tip_of(l, elbow, q_2), Vec3::UnitZ(), law});
  a.hinges.push_back({0, 1, Vec3::Zero()});
  a.hinges.push_back({1, 2, elbow});
  return a;
}

TEST(Linkage, IntactIsTheDoublePendulumInItsOwnCoordinates) {
  const Law law = ChatterjeeRuina{.e = 0.5, .mu = 0.4};
  const Both out = both(double_pendulum(law));
  const Lagrangian system = double_pendulum_absolute({2, 3}, {2, 3});
  const VecX q = (VecX(2) << 20 * deg, 30 * deg).finished();
  const VecX u = (VecX(2) << -0.1, -0.2).finished();
  const auto response = respond(system, "floor", q, u);
  ASSERT_TRUE(response);
  const auto hit = collide(law, response->contact);
  ASSERT_TRUE(hit);
  const VecX after = response->after(hit->P);
  EXPECT_LT((out.intact.G[0] - hit->P).norm(), 1e-12);
  EXPECT_NEAR(-out.by_intact[1].angular_velocity.y(), after(0), 1e-12);
  EXPECT_NEAR(-out.by_intact[2].angular_velocity.y(), after(1), 1e-12);
  EXPECT_NEAR(out.intact.energy_change, hit->energy_change, 1e-12);
}

TEST(Linkage, InSequence_KeepsHingesAndFloor_LosesMore_AndDiffers) {
  const BodyScene a = double_pendulum(ChatterjeeRuina{.e = 0.5, .mu = 0.4});
  const Both out = both(a);
  EXPECT_NE(out.sequence.status, SequenceStatus::does_not_settle);
  for (const Hinge& hinge : a.hinges)
    EXPECT_LT((velocity_at(out.by_sequence[hinge.second], hinge.point) -
               velocity_at(out.by_sequence[hinge.first], hinge.point))
                  .norm(),
              1e-11);
  EXPECT_GE(out.sequence.V[0].z(), -1e-12);
  EXPECT_LT(out.sequence.energy_change, 0);
  EXPECT_GT((out.by_sequence[2].angular_velocity - out.by_intact[2].angular_velocity).norm(), 1e-3);
}

/// A plastic frictionless impact is the projection on what constraints allow, whichever way it is reached: both agree.
TEST(Linkage, PlasticFrictionless_BothWaysMeet) {
  const Both out = both(double_pendulum(Frictionless{0}));
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_LT((out.by_sequence[i].velocity - out.by_intact[i].velocity).norm(), 1e-10);
    EXPECT_LT((out.by_sequence[i].angular_velocity - out.by_intact[i].angular_velocity).norm(), 1e-10);
  }
}

TEST(Linkage, ClosedFourBar_IntactLoopsHold) {
  // A parallelogram on two floor hinges; its coupler is struck from above by a ball.
  BodyScene a;
  a.bodies.push_back({.fixed = true});
  const double angle = 160 * deg;  // cranks stand up, leaning
  const Vec3 A(0, 0, 0);
  const Vec3 B(2, 0, 0);
  a.bodies.push_back(hanging_rod(1, 1, A, angle, 0, Vec3::Zero()));
  a.bodies.push_back(hanging_rod(1, 1, B, angle, 0, Vec3::Zero()));
  const Vec3 C = tip_of(1, A, angle);
  const Vec3 D = tip_of(1, B, angle);
  a.bodies.push_back(hanging_rod(2, 1, C, 90 * deg, 0, Vec3::Zero()));
  const Vec3 hit = 0.7 * C + 0.3 * D;
  a.bodies.push_back(ball(0.4, 0.1, hit + 0.1 * Vec3::UnitZ(), {0, 0, -2}));
  a.contacts.push_back({3, 4, hit, Vec3::UnitZ(), ChatterjeeRuina{.e = 0.6, .mu = 0.2}});
  a.hinges = {{0, 1, A}, {0, 2, B}, {1, 3, C}, {2, 3, D}};
  const Both out = both(a);
  for (const auto& bodies : {out.by_sequence, out.by_intact})
    for (const Hinge& h : a.hinges)
      EXPECT_LT((velocity_at(bodies[h.second], h.point) - velocity_at(bodies[h.first], h.point)).norm(), 1e-10);
  // A parallelogram moves its coupler without turning it.
  EXPECT_LT(out.by_intact[3].angular_velocity.norm(), 1e-12);
  EXPECT_LT(out.by_sequence[3].angular_velocity.norm(), 1e-10);
  EXPECT_NEAR(out.intact.V[0].z(), 1.2, 1e-12);
  EXPECT_LT(out.sequence.energy_change, 0);
}

/// A body of no symmetry on a ball joint, its free end at the floor.
BodyScene hung_anyhow(Rng& rng) {
  BodyScene a;
  a.bodies.push_back({.fixed = true});
  a.bodies.push_back(random_body(rng));
  RigidBody& body = a.bodies[1];
  const Vec3 hinge(uniform(rng, -2, 2), uniform(rng, -2, 2), uniform(rng, -2, 2));
  body.velocity = body.angular_velocity.cross(body.position - hinge);
  a.hinges.push_back({0, 1, hinge});
  const Vec3 end = body.position + random_unit(rng);
  a.contacts.push_back({0, 1, end, -velocity_at(body, end).normalized(), Frictionless{0.5}});
  return a;
}

TEST(Hinges, ThatStandStillButForRounding_AreClosed) {
  Rng rng(5);
  for (int k = 0; k < 500; ++k) {
    BodyScene a = hung_anyhow(rng);
    const auto assembled = assemble(a, Hinges::intact);
    ASSERT_TRUE(assembled) << assembled.error().message();
    a.bodies[1].velocity *= 1 + 1e-6;
    EXPECT_EQ(assemble(a, Hinges::intact).error().path, "hinge[1]");
  }
}

TEST(Hinges, Intact_StayClosedWhenSpeedsAreUncertain) {
  Rng rng(6);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const BodyScene a = hung_anyhow(rng);
    const auto assembled = assemble(a, Hinges::intact);
    ASSERT_TRUE(assembled) << assembled.error().message();
    const double uncertainty = 0.05;
    const auto r = resolve(assembled->problem, {.ties = Ties::perturb, .seed = seed, .uncertainty = uncertainty});
    ASSERT_TRUE(r) << r.error().message();
    for (const VecX& u : {r->u_before, r->u}) {
      const RigidBody body = moved(a, *assembled, u)[1];
      EXPECT_LT(velocity_at(body, a.hinges[0].point).norm(), 1e-13 * (1 + body.velocity.norm())) << seed;
    }
    const Vec3 V = assembled->problem.velocity(0, r->u_before);
    const Vec3 stated = assembled->problem.contacts()[0].contact.V;
    EXPECT_LE((V - stated).norm(), uncertainty * assembled->problem.speed());
    EXPECT_GT((V - stated).norm(), 0);
  }
}

}  // namespace
}  // namespace ricochet
