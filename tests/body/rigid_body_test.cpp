#include "ricochet/body/rigid_body.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

#include "body/point_cloud.hpp"
#include "numbers.hpp"

namespace ricochet {
namespace {

using namespace testing;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using testing::infinity;

RigidBody with_moments(double a, double b, double c) {
  RigidBody body;
  body.inertia = Vec3(a, b, c).asDiagonal();
  return body;
}

/// A thin rod of mass 3 kg and length 2 m along `axis`: ml²/12 across, nothing along.
RigidBody rod(const Vec3& axis) {
  RigidBody body;
  body.mass = 3;
  body.inertia = Mat3::Identity() - axis * axis.transpose();
  return body;
}

void expect_refused(const RigidBody& body, const std::string& field, const std::string& word) {
  const auto result = check(body, "A");
  ASSERT_FALSE(result) << field;
  EXPECT_EQ(result.error().path, "A." + field);
  EXPECT_NE(result.error().message().find(word), std::string::npos) << result.error().message();
}

TEST(RigidBody, MobilityIsWhatGrainsDoUnderBalanceOfMomentum) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Rng rng(seed);
    const PointCloud cloud = random_cloud(rng);
    const RigidBody body = cloud.body(random_rotation(rng));
    const Vec3 point = uniform(rng, 0, 3) * random_unit(rng);
    const Vec3 P = uniform(rng, 0, 5) * random_unit(rng);
    const PointCloud struck = cloud.after(point, P);
    const auto W = mobility(body, point);
    RC_ASSERT(W.has_value());
    RC_ASSERT((struck.velocity_at(point) - cloud.velocity_at(point) - *W * P).norm() <= 1e-10 * W->norm() * P.norm());
  }));
}

TEST(RigidBody, ImpulseMovesItAsItMovesItsGrains) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Rng rng(seed);
    const PointCloud cloud = random_cloud(rng);
    const RigidBody body = cloud.body(random_rotation(rng));
    const Vec3 point = uniform(rng, 0, 3) * random_unit(rng);
    const Vec3 P = uniform(rng, 0, 5) * random_unit(rng);
    const PointCloud struck = cloud.after(point, P);
    const auto after = apply_impulse(body, point, P);
    RC_ASSERT(after.has_value());
    const Vec3 elsewhere = 2 * random_unit(rng);
    const Vec3 expected = struck.velocity_at(elsewhere);
    RC_ASSERT((velocity_at(*after, elsewhere) - expected).norm() <=
              1e-9 * (1 + expected.norm() + after->angular_velocity.norm()));
    RC_ASSERT(std::abs(kinetic_energy(*after) - struck.kinetic_energy()) <= 1e-9 * (1 + struck.kinetic_energy()));
  }));
}

TEST(RigidBody, SphereStruckOnItsSurfaceIsSevenHalvesAsMobileAlongIt) {
  // J = 2/5 m R², so R²/J = 5/(2m): W = (1/m)(I + 5/2 (I − n nᵀ)), of whatever radius.
  const double m = 0.7;
  for (const double R : {1e-3, 1.0, 40.0}) {
    RigidBody ball;
    ball.mass = m;
    ball.inertia = 0.4 * m * R * R * Mat3::Identity();
    ball.position = Vec3(1, -2, 0.5) * R;
    const Vec3 n = Vec3(1, 2, -2) / 3;
    const Mat3 expected = (Mat3::Identity() + 2.5 * (Mat3::Identity() - n * n.transpose())) / m;
    const auto W = mobility(ball, ball.position + R * n);
    ASSERT_TRUE(W);
    EXPECT_LE((*W - expected).norm(), 1e-14 * expected.norm());
  }
}

TEST(RigidBody, StruckAtItsCentreOnlyTheMassCounts) {
  const auto W = mobility(with_moments(1, 2, 3), Vec3::Zero());
  ASSERT_TRUE(W);
  EXPECT_EQ(*W, Mat3(Mat3::Identity()));
}

TEST(RigidBody, TurningTheBodyTurnsItsMobility) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Rng rng(seed);
    const Mat3 R = random_rotation(rng);
    RigidBody body = with_moments(1, 2, 2.5);
    const Vec3 r = random_unit(rng);
    const Mat3 W = mobility(body, r).value();
    body.orientation = Quaternion(R);
    RC_ASSERT((mobility(body, R * r).value() - R * W * R.transpose()).norm() <= 1e-13 * W.norm());
  }));
}

TEST(RigidBody, FixedBodyYieldsNothingButMayMove) {
  RigidBody wall;
  wall.fixed = true;
  wall.mass = nan;  // not read
  wall.velocity = Vec3(0, 0, 2);
  wall.angular_velocity = Vec3(0, 1, 0);
  const Vec3 point(3, 0, 0);
  EXPECT_EQ(mobility(wall, point).value(), Mat3(Mat3::Zero()));
  const auto after = apply_impulse(wall, point, Vec3(1, 2, 3));
  ASSERT_TRUE(after);
  EXPECT_EQ(after->velocity, wall.velocity);
  EXPECT_EQ(after->angular_velocity, wall.angular_velocity);
  EXPECT_EQ(velocity_at(wall, point), Vec3(0, 0, -1));  // 2 ẑ + ŷ × 3 x̂
}

TEST(RigidBody, RodStruckOnItsLineIsAnOrdinaryBody) {
  // 1/m = 1/3 along the rod; 1/m + r²/J = 1/3 + 1 across, at its end.
  const Vec3 axis = Vec3(2, -1, 2) / 3;
  const auto W = mobility(rod(axis), axis);
  ASSERT_TRUE(W) << W.error().message();
  const Mat3 expected = Mat3::Identity() / 3 + (Mat3::Identity() - axis * axis.transpose());
  EXPECT_LE((*W - expected).norm(), 1e-14);
  const auto after = apply_impulse(rod(axis), axis, Vec3(1, 2, 0));  // across: (2, −1, 2)·(1, 2, 0) = 0
  ASSERT_TRUE(after);
  EXPECT_LE((after->angular_velocity - axis.cross(Vec3(1, 2, 0))).norm(), 1e-14);
}

TEST(RigidBody, RodStruckOffItsLineHasNoFiniteAnswer) {
  const Vec3 axis = Vec3(2, -1, 2) / 3;
  const Vec3 beside = axis + 0.01 * Vec3::UnitX();
  const auto W = mobility(rod(axis), beside, "B");
  ASSERT_FALSE(W);
  EXPECT_EQ(W.error().path, "B.inertia");
  EXPECT_NE(W.error().allowed.find("line"), std::string::npos);
  EXPECT_FALSE(apply_impulse(rod(axis), beside, Vec3::UnitZ()));
}

TEST(RigidBody, PointMassCanBeStruckWhereItIsAndNowhereElse) {
  RigidBody bead;
  bead.mass = 2;
  bead.inertia.setZero();
  bead.position = Vec3(0.1, 0.2, 0.3);
  EXPECT_EQ(mobility(bead, bead.position).value(), Mat3(0.5 * Mat3::Identity()));
  EXPECT_FALSE(mobility(bead, Vec3(0.1, 0.2, 0.31)));
}

TEST(RigidBody, FlatPlateIsAtTheLimitOfWhatCanExist) {
  EXPECT_TRUE(check(with_moments(1.0 / 3, 1.0 / 3, 2.0 / 3)));
  EXPECT_TRUE(check(with_moments(0.1, 0.2, 0.1 + 0.2)));
  expect_refused(with_moments(1, 1, 2.00001), "inertia", "sum of the other two");
}

TEST(RigidBody, RefusesWhatCannotExistByName) {
  for (const double mass : {0.0, -1.0, nan, infinity}) {
    RigidBody body;
    body.mass = mass;
    expect_refused(body, "mass", "positive");
  }
  RigidBody body;
  body.inertia(0, 1) = 0.1;
  expect_refused(body, "inertia", "symmetric");
  body.inertia(0, 1) = nan;
  expect_refused(body, "inertia", "finite");
  expect_refused(with_moments(-0.1, 1, 1), "inertia", "negative");
  body = RigidBody();
  body.orientation = Quaternion(1, 1, 0, 0);
  expect_refused(body, "orientation", "unit quaternion");
  body.orientation = Quaternion(nan, 0, 0, 0);
  expect_refused(body, "orientation", "unit quaternion");
  body = RigidBody();
  body.velocity.y() = infinity;
  expect_refused(body, "velocity", "finite");
  body = RigidBody();
  body.position.x() = nan;
  body.fixed = true;
  expect_refused(body, "position", "finite");
  body = RigidBody();
  body.angular_velocity.z() = nan;
  expect_refused(body, "angular_velocity", "finite");
}

TEST(RigidBody, RefusesAPointOrAnImpulseThatIsNotOne) {
  const RigidBody body;
  EXPECT_EQ(mobility(body, Vec3(nan, 0, 0)).error().path, "point");
  EXPECT_EQ(apply_impulse(body, Vec3::Zero(), Vec3(0, infinity, 0)).error().path, "P");
  RigidBody speck;
  speck.mass = 1e-320;
  EXPECT_EQ(mobility(speck, Vec3::Zero()).error().path, "mass");
}

}  // namespace
}  // namespace ricochet
