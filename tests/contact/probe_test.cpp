#include "ricochet/contact/probe.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

#include "body/point_cloud.hpp"
#include "ricochet/contact/between.hpp"

namespace ricochet {
namespace {

using namespace testing;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Newton and Euler for one spinning body under gravity and a force F at `point`: acceleration of its contact point.
Vec3 point_acceleration(const RigidBody& body, const Vec3& point, const Vec3& F) {
  if (body.fixed) return Vec3::Zero();
  const Mat3 R = body.orientation.toRotationMatrix();
  const Mat3 J = R * body.inertia * R.transpose();
  const Vec3& w = body.angular_velocity;
  const Vec3 r = point - body.position;
  const Vec3 alpha = J.inverse() * (r.cross(F) - w.cross(J * w));
  return Vec3(0, 0, -9.81) + F / body.mass + alpha.cross(r) + w.cross(w.cross(r));
}

TEST(Probe, FourAccelerationsGiveTheContactOfTheTwoBodies) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Rng rng(seed);
    const RigidBody A = random_cloud(rng).body(random_rotation(rng));
    RigidBody B = random_cloud(rng).body(random_rotation(rng));
    B.fixed = chance(rng, 0.3);
    const Vec3 point = random_unit(rng);
    const Vec3 n = random_unit(rng);
    const Contact direct = contact_between(A, B, point, n).value();
    int calls = 0;
    const auto probed = probe_contact(
        [&](const Vec3& F) {
          ++calls;
          return Vec3(point_acceleration(B, point, F) - point_acceleration(A, point, -F));
        },
        direct.V, n, {.force = 10});
    RC_ASSERT(probed.has_value());
    RC_ASSERT(calls == 4);
    RC_ASSERT((probed->W - direct.W).norm() <= 1e-10 * direct.W.norm());
    RC_ASSERT(probed->V == direct.V);
  }));
}

TEST(Probe, PendulumHasNoMobilityAlongItsRod) {
  // A bob of 2 kg on a massless rod of 1 m from a ball joint at the origin, at rest: across the rod the bob follows F,
  // along it not at all.
  const Vec3 rod = Vec3(1, 2, 2) / 3;
  const double m = 2;
  const auto bob = [&](const Vec3& F) {
    const Vec3 total = F + m * Vec3(0, 0, -9.81);
    return Vec3((total - rod * rod.dot(total)) / m);
  };
  const auto W = probe_mobility(bob, {.force = 100});
  ASSERT_TRUE(W);
  EXPECT_LE((*W - (Mat3::Identity() - rod * rod.transpose()) / m).norm(), 1e-14);
}

TEST(Probe, ForceSizeDoesNotMatterForALinearResponse) {
  const Mat3 W = Vec3(1, 2, 3).asDiagonal();
  for (const double force : {1e-6, 1.0, 1e6}) {
    const auto probed = probe_mobility([&](const Vec3& F) { return Vec3(W * F); }, {.force = force});
    ASSERT_TRUE(probed);
    EXPECT_LE((*probed - W).norm(), 1e-15 * W.norm());
  }
}

TEST(Probe, LopsidedResponseIsAveragedWithinToleranceAndRefusedBeyond) {
  Mat3 lopsided = Mat3::Identity();
  lopsided(0, 1) = 2e-4;
  const auto response = [&](const Vec3& F) { return Vec3(lopsided * F); };
  const auto refused = probe_mobility(response);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().path, "acceleration");
  EXPECT_NE(refused.error().message().find("equal and opposite"), std::string::npos);
  const auto averaged = probe_mobility(response, {.asymmetry = 1e-3});
  ASSERT_TRUE(averaged);
  EXPECT_DOUBLE_EQ((*averaged)(0, 1), 1e-4);
  EXPECT_DOUBLE_EQ((*averaged)(1, 0), 1e-4);
}

TEST(Probe, RefusesForcesAndAnswersThatAreNoNumbers) {
  const auto identity = [](const Vec3& F) { return F; };
  for (const double force : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()})
    EXPECT_EQ(probe_mobility(identity, {.force = force}).error().path, "force");
  EXPECT_EQ(probe_mobility(identity, {.asymmetry = nan}).error().path, "asymmetry");
  EXPECT_EQ(probe_mobility([](const Vec3&) { return Vec3(Vec3::Constant(nan)); }).error().path, "acceleration");
}

TEST(Probe, RepellingBodiesThatMoveTowardsEachOtherAreNoMechanism) {
  const auto contact = probe_contact([](const Vec3& F) { return Vec3(-F); }, Vec3(-1, 0, 0), Vec3::UnitX());
  ASSERT_FALSE(contact);
  EXPECT_EQ(contact.error().path, "W");
}

}  // namespace
}  // namespace ricochet
