#include "ricochet/simultaneous/plane.hpp"

#include <gtest/gtest.h>

#include "arrangements.hpp"
#include "ricochet/simultaneous/ensemble.hpp"

namespace ricochet {
namespace {

using namespace testing;

/// A block of 1 m by 2 m on two edges, in a plane that R has turned.
BodyScene block(const Mat3& R, const Law& law) {
  BodyScene a;
  a.bodies.push_back({.fixed = true});
  RigidBody body;
  body.mass = 2;
  body.inertia = Vec3(0.7, 0.9, 0.3).asDiagonal();
  body.position = R * Vec3::UnitZ();
  body.orientation = Quaternion(R);
  body.velocity = R * Vec3(0.3, 0, -1);
  body.angular_velocity = R * Vec3(0, 0.2, 0);
  a.bodies.push_back(body);
  for (const double x : {-0.5, 0.5}) a.contacts.push_back({0, 1, R * Vec3(x, 0, 0), R.col(2), law});
  return a;
}

TEST(Plane, IsFoundWhereALawAsksForIt) {
  Rng rng(4);
  for (int k = 0; k < 50; ++k) {
    const Mat3 R = random_rotation(rng);
    const auto across = across_plane(assemble(block(R, PfeifferGlocker{.e_k = 0.3, .mu = 0.4}))->problem);
    ASSERT_TRUE(across);
    EXPECT_NEAR(std::abs(across->dot(R.col(1))), 1, 1e-12);
    EXPECT_FALSE(across_plane(assemble(block(R, ChatterjeeRuina{.e = 0.3, .mu = 0.4}))->problem));
    // Straight down, so that only the response to normal impulses determines the plane.
    BodyScene a = block(R, PfeifferGlocker{.e_k = 0.3, .mu = 0.4});
    a.bodies[1].velocity = -R.col(2);
    a.bodies[1].angular_velocity.setZero();
    const auto down = across_plane(assemble(a)->problem);
    ASSERT_TRUE(down);
    EXPECT_NEAR(std::abs(down->dot(R.col(1))), 1, 1e-12);
    a.bodies[1].velocity += 0.1 * R.col(0) + 0.1 * R.col(1);
    EXPECT_FALSE(across_plane(assemble(a)->problem));
  }
}

TEST(Plane, UncertainInputsOfAPlaneLawStayInIt) {
  Rng rng(5);
  for (int k = 0; k < 10; ++k) {
    const Mat3 R = random_rotation(rng);
    const BodyScene a = block(R, PfeifferGlocker{.e_k = 0.3, .mu = 0.4});
    const auto assembled = assemble(a);
    for (const ContactUncertainty& by : {ContactUncertainty{}, ContactUncertainty{.normal = 1e-2, .point = 1e-3}}) {
      const auto e = resolve_ensemble(a, Hinges::in_sequence, by, {.members = 40, .sequence = {.uncertainty = 1e-3}});
      ASSERT_TRUE(e) << e.error().message();
      EXPECT_GT(e->energy_change.deviation, 0);
      for (const DistinctOutcome& o : e->outcomes) {
        const RigidBody after = moved(a, *assembled, o.u)[1];
        EXPECT_LT(std::abs(after.velocity.dot(R.col(1))), 1e-12);
        EXPECT_LT(after.angular_velocity.cross(Vec3(R.col(1))).norm(), 1e-12);
      }
    }
  }
}

/// Friction ends slips during the sequence, and their remainder has an arbitrary direction.
TEST(Plane, SequencesOfAPlaneLawStayInIt) {
  Rng rng(6);
  for (int k = 0; k < 300; ++k) {
    const Mat3 R = random_rotation(rng);
    const auto somewhere = [&] { return Vec3(R * Vec3(uniform(rng, -1, 1), uniform(rng, -1, 1), 0)); };
    BodyScene a;
    const std::size_t bodies = 2 + rng() % 4;
    for (std::size_t i = 0; i < bodies; ++i) {
      RigidBody body;
      body.mass = log_uniform(rng, -0.5, 0.5);
      body.inertia = R * Vec3(0.3, 0.4, 0.5).asDiagonal() * R.transpose() * body.mass;
      body.inertia = Mat3(0.5 * (body.inertia + body.inertia.transpose()));
      body.position = somewhere();
      body.velocity = somewhere();
      body.angular_velocity = uniform(rng, -1, 1) * R.col(2);
      a.bodies.push_back(body);
    }
    for (std::size_t c = 0; c < 1 + rng() % 4; ++c) {
      const std::size_t i = rng() % bodies;
      const std::size_t j = (i + 1 + rng() % (bodies - 1)) % bodies;
      a.contacts.push_back({i, j, somewhere(), somewhere(), PfeifferGlocker{.e_k = 0.5, .mu = uniform(rng, 0, 1)}});
    }
    const auto assembled = assemble(a);
    ASSERT_TRUE(assembled) << assembled.error().message();
    const auto r = resolve(assembled->problem);
    ASSERT_TRUE(r) << k << ": " << r.error().message();
    for (const RigidBody& body : moved(a, *assembled, r->u)) EXPECT_LT(std::abs(body.velocity.dot(R.col(2))), 1e-11);
  }
}

}  // namespace
}  // namespace ricochet
