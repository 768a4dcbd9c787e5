#include "ricochet/contact/between.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

#include "body/point_cloud.hpp"

namespace ricochet {
namespace {

using namespace testing;

TEST(ContactBetween, ImpulseChangesRelativeVelocityAsItDoesForTwoHeapsOfGrains) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Rng rng(seed);
    const PointCloud A = random_cloud(rng);
    const PointCloud B = random_cloud(rng);
    const Vec3 point = uniform(rng, 0, 3) * random_unit(rng);
    const Vec3 P = uniform(rng, 0, 5) * random_unit(rng);
    const auto contact =
        contact_between(A.body(random_rotation(rng)), B.body(random_rotation(rng)), point, random_unit(rng));
    RC_ASSERT(contact.has_value());
    const Vec3 before = B.velocity_at(point) - A.velocity_at(point);
    const Vec3 after = B.after(point, P).velocity_at(point) - A.after(point, -P).velocity_at(point);
    RC_ASSERT((contact->V - before).norm() <= 1e-12 * (1 + before.norm()));
    RC_ASSERT((contact->W * P - (after - before)).norm() <= 1e-10 * contact->W.norm() * P.norm());
    RC_ASSERT((contact->M * contact->W - Mat3::Identity()).norm() <= 1e-9);
  }));
}

TEST(ContactBetween, EnergyOfTheBodiesChangesByWhatContactSpaceSays) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Rng rng(seed);
    const RigidBody A = random_cloud(rng).body(random_rotation(rng));
    const RigidBody B = random_cloud(rng).body(random_rotation(rng));
    const Vec3 point = uniform(rng, 0, 3) * random_unit(rng);
    const Vec3 P = uniform(rng, 0, 5) * random_unit(rng);
    const Contact contact = contact_between(A, B, point, Vec3::UnitX()).value();
    const BodyPair after = apply_impulse(A, B, point, P).value();
    const double before_J = kinetic_energy(A) + kinetic_energy(B);
    const double after_J = kinetic_energy(after.A) + kinetic_energy(after.B);
    RC_ASSERT(std::abs(after_J - before_J - (P.dot(contact.V) + 0.5 * P.dot(contact.W * P))) <=
              1e-10 * (after_J + before_J + 1));
    const Vec3 momentum = A.mass * A.velocity + B.mass * B.velocity;
    RC_ASSERT((A.mass * after.A.velocity + B.mass * after.B.velocity - momentum).norm() <=
              1e-10 * (1 + momentum.norm() + P.norm()));
  }));
}

TEST(ContactBetween, ImmovableGroundLeavesTheBallAlone) {
  const double m = 0.5, R = 0.2;
  RigidBody ground;
  ground.fixed = true;
  RigidBody ball;
  ball.mass = m;
  ball.inertia = 0.4 * m * R * R * Mat3::Identity();
  ball.position = Vec3(0, 0, R);
  ball.velocity = Vec3(1, 0, -2);
  ball.angular_velocity = Vec3(0, 3, 0);
  const auto contact = contact_between(ground, ball, Vec3::Zero(), Vec3::UnitZ());
  ASSERT_TRUE(contact) << contact.error().message();
  const Mat3 expected = Vec3(7 / (2 * m), 7 / (2 * m), 1 / m).asDiagonal();
  EXPECT_LE((contact->W - expected).norm(), 1e-14 * expected.norm());
  // ω × r = 3 ŷ × (−0.2 ẑ) = −0.6 x̂.
  EXPECT_LE((contact->V - Vec3(1 - 0.6, 0, -2)).norm(), 1e-15);
  EXPECT_FALSE(contact->immovable);
  const BodyPair after = apply_impulse(ground, ball, Vec3::Zero(), Vec3(0, 0, 1)).value();
  EXPECT_EQ(after.A.velocity, Vec3(0, 0, 0));
  EXPECT_EQ(after.B.velocity, Vec3(1, 0, 0));
}

TEST(ContactBetween, SwappingTheBodiesMirrorsVAndKeepsW) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Rng rng(seed);
    const RigidBody A = random_cloud(rng).body(random_rotation(rng));
    const RigidBody B = random_cloud(rng).body(random_rotation(rng));
    const Vec3 point = random_unit(rng);
    const Vec3 n = random_unit(rng);
    const Contact one = contact_between(A, B, point, n).value();
    const Contact two = contact_between(B, A, point, -n).value();
    RC_ASSERT(one.W == two.W);
    RC_ASSERT(one.V == -two.V);
    RC_ASSERT(one.approach_speed() == two.approach_speed());
  }));
}

TEST(ContactBetween, ErrorsSayWhichBody) {
  RigidBody good;
  RigidBody bad;
  bad.mass = -1;
  RigidBody wall;
  wall.fixed = true;
  const Vec3 point = Vec3::Zero();
  const Vec3 n = Vec3::UnitX();
  EXPECT_EQ(contact_between(bad, good, point, n).error().path, "A.mass");
  EXPECT_EQ(contact_between(good, bad, point, n).error().path, "B.mass");
  EXPECT_EQ(contact_between(wall, wall, point, n).error().path, "B.fixed");
  EXPECT_EQ(contact_between(wall, wall, point, n).error().code, ErrorCode::conflict);
  EXPECT_EQ(contact_between(bad, good, point, n).error().code, ErrorCode::out_of_range);
  EXPECT_EQ(contact_between(good, good, point, Vec3::Zero()).error().path, "n");
  EXPECT_EQ(apply_impulse(good, bad, point, n).error().path, "B.mass");
}

TEST(ContactBetween, ErrorsNameThePartsAsTheCallerDoes) {
  RigidBody bad;
  bad.mass = -1;
  const RigidBody good;
  const ContactPaths paths{.A = "body[1]", .B = "body[3]", .contact = "contact[2]", .normal = "normal"};
  const Vec3 point(0, 0, 0), n(0, 0, 1);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(contact_between(bad, good, point, n, paths).error().path, "body[1].mass");
  EXPECT_EQ(contact_between(good, bad, point, n, paths).error().path, "body[3].mass");
  EXPECT_EQ(contact_between(good, good, point, Vec3::Zero(), paths).error().path, "contact[2].normal");
  EXPECT_EQ(contact_between(good, good, Vec3(nan, 0, 0), n, paths).error().path, "contact[2].point");
  RigidBody fast;
  fast.velocity = Vec3(1e308, 0, 0);
  RigidBody other;
  other.velocity = Vec3(-1e308, 0, 0);
  EXPECT_EQ(contact_between(fast, other, point, n, paths).error().path, "contact[2].V");
}

}  // namespace
}  // namespace ricochet
