/// Discs, wheels and cylinders on their rims. With e the axis, u from the lowest point of the rim to its centre and
/// r_G = r u + a z from the contact to the centre of mass (a is the radius of the tyre), rolling has v = ω × r_G and
///   [A + (C − A) e eᵀ + m (r_G² − r_G r_Gᵀ)] ω̇ = −(C − A)(ω·e) ė − m r_G × (ω × ṙ_G) + m r_G × g
/// which is integrated here by itself, by Runge's and Kutta's method in `long double`.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <numbers>

#include "motion/worlds.hpp"
#include "ricochet/geometry/shape.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using Long = long double;
using Long3 = Eigen::Matrix<Long, 3, 1>;
using Long33 = Eigen::Matrix<Long, 3, 3>;

PairLaw gripping(double e = 0) { return {Routh{.e = e, .mu = 1}, 1, std::numeric_limits<double>::infinity()}; }

/// A body as scenes have it, its axis along body x.
WorldBody rolling_body(const Shape& shape, double mass) {
  WorldBody out;
  out.name = std::string(name(shape.kind));
  out.body.mass = mass;
  out.body.inertia = homogeneous_inertia(shape, mass).asDiagonal();
  out.shapes.push_back(place(shape, Vec3::Zero(), Mat3::Identity()));
  return out;
}

struct Rolling {
  Long3 e, w, x;
};
struct RollingModel {
  Long m = 1, A = 1, C = 1, r = 1, a = 0;

  [[nodiscard]] Long3 to_centre(const Long3& e) const {
    const Long3 z = Long3::UnitZ();
    return r * (z - z.dot(e) * e).normalized() + a * z;
  }
  [[nodiscard]] Rolling rates(const Rolling& s) const {
    const Long3 z = Long3::UnitZ(), e_rate = s.w.cross(s.e), up = z - z.dot(s.e) * s.e;
    const Long3 up_rate = -z.dot(e_rate) * s.e - z.dot(s.e) * e_rate;
    const Long length = up.norm();
    const Long3 u = up / length, arm = r * u + a * z, arm_rate = r * (up_rate - u * u.dot(up_rate)) / length;
    const Long33 J = A * Long33::Identity() + (C - A) * s.e * s.e.transpose() +
                     m * (arm.squaredNorm() * Long33::Identity() - arm * arm.transpose());
    const Long3 torque = -(C - A) * s.w.dot(s.e) * e_rate - m * arm.cross(s.w.cross(arm_rate)) +
                         m * arm.cross(Long3(0, 0, -static_cast<Long>(gravity)));
    return {e_rate, J.inverse() * torque, s.w.cross(arm)};
  }
  [[nodiscard]] Rolling after(Rolling s, Long T, int steps) const {
    const Long h = T / steps;
    const auto moved = [](const Rolling& from, const Rolling& rate, Long by) {
      return Rolling{from.e + by * rate.e, from.w + by * rate.w, from.x + by * rate.x};
    };
    for (int k = 0; k < steps; ++k) {
      const Rolling k1 = rates(s), k2 = rates(moved(s, k1, h / 2)), k3 = rates(moved(s, k2, h / 2)),
                    k4 = rates(moved(s, k3, h));
      s.e += h / 6 * (k1.e + 2 * k2.e + 2 * k3.e + k4.e);
      s.w += h / 6 * (k1.w + 2 * k2.w + 2 * k3.w + k4.w);
      s.x += h / 6 * (k1.x + 2 * k2.x + 2 * k3.x + k4.x);
    }
    return s;
  }
};

void check_wobbling(const Shape& shape, double a) {
  const double m = 0.7, T = 1;
  WorldBody body = rolling_body(shape, m);
  const RollingModel model{m, body.body.inertia(1, 1), body.body.inertia(0, 0), shape.radius - a, a};
  Rolling start{Long3(0.9L, 0.1L, 0.4L).normalized(), Long3(6, -1, 2.5L), Long3::Zero()};
  const Long3 arm = model.to_centre(start.e);
  start.x = arm;
  body.body.orientation = Quaternion::FromTwoVectors(Vec3(Vec3::UnitX()), Vec3(start.e.cast<double>()));
  body.body.position = arm.cast<double>();
  body.body.angular_velocity = start.w.cast<double>();
  body.body.velocity = start.w.cross(arm).cast<double>();
  // The axis that the body has after rounding.
  start.e = (body.body.orientation * Vec3::UnitX()).cast<Long>();
  const Ran ran = run_world(world_of({ground(), body}, gripping()), T);
  ASSERT_TRUE(ran.ok);
  const Rolling end = model.after(start, T, 20000);
  Deviation place_off("place"), axis("axis"), spin("spin");
  place_off.add(ran.poses[1].position, end.x.cast<double>(), shape.radius);
  axis.add(ran.poses[1].orientation * Vec3::UnitX(), end.e.cast<double>(), 1);
  spin.add(ran.poses[1].angular_velocity, end.w.cast<double>(), end.w.cast<double>().norm());
  EXPECT_LT(place_off.largest(), 1e-9);
  EXPECT_LT(axis.largest(), 1e-9);
  EXPECT_LT(spin.largest(), 1e-9);
  EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-11);
}

TEST(WobblingDisc, RollsAsItsEquationsSay) { check_wobbling({.kind = Shape::Kind::disc, .radius = 0.2}, 0); }

TEST(WobblingWheel, RollsOnItsTyreAsItsEquationsSay) {
  check_wobbling({.kind = Shape::Kind::wheel, .radius = 0.2, .length = 0.06}, 0.03);
}

// C = m (c² + ¾ a²) of a torus: upright it gains g sin α/(1 + C/(m R²)), on a plane and on a box alike.
TEST(RollingWheel, DownASlope_GainsWhatItsTyreSays) {
  const double R = 0.3, a = 0.05, c = R - a, alpha = 0.2, T = 0.8, m = 2;
  const Vec3 g = gravity * Vec3(std::sin(alpha), 0, -std::cos(alpha));
  WorldBody wheel = rolling_body({.kind = Shape::Kind::wheel, .radius = R, .length = 2 * a}, m);
  wheel.body.orientation = Quaternion(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ()));  // its axis along y
  wheel.body.position = {0, 0, R};
  WorldBody box = block({5, 1, 0.5}, 1, {0, 0, -0.5}, Vec3::Zero(), "table");
  box.body.fixed = true;
  const double gain = gravity * std::sin(alpha) / (1 + (c * c + 0.75 * a * a) / (R * R));
  Deviation way("place");
  for (const WorldBody& below : {ground(), box}) {
    const Ran ran = run_world(world_of({below, wheel}, gripping(), g), T);
    ASSERT_TRUE(ran.ok);
    way.add(ran.poses[1].position, {gain * T * T / 2, 0, R}, gain * T * T / 2);
  }
  EXPECT_LT(way.largest(), 1e-9);
}

// The arm of the lowest point is r cos θ, J = m r²/4: P = (1 + e) m v/(1 + 4 cos² θ).
TEST(FallingDisc, OnASmoothFloor_TurnsAsTheClosedFormSays) {
  const double r = 0.1, m = 0.3, v = 2, e = 0.6;
  Deviation velocity("velocity"), spin("spin");
  for (const double theta : {0.3, 0.9, 1.4}) {
    WorldBody disc = rolling_body({.kind = Shape::Kind::disc, .radius = r}, m);
    const Vec3 axis(std::sin(theta), 0, std::cos(theta));
    disc.body.orientation = Quaternion::FromTwoVectors(Vec3(Vec3::UnitX()), axis);
    disc.body.position = {0, 0, r * std::sin(theta) + 0.1};
    disc.body.velocity = {0, 0, -v};
    const Ran ran = run_world(world_of({ground(), disc}, {Routh{.e = e}, 0, 0}, Vec3::Zero()), 0.1 / v + 1e-3);
    ASSERT_TRUE(ran.ok);
    const auto hits = ran.recording.of(EventKind::impact);
    ASSERT_EQ(hits.size(), 1U);
    const double P = (1 + e) * m * v / (1 + 4 * std::cos(theta) * std::cos(theta));
    velocity.add(ran.poses[1].velocity, {0, 0, -v + P / m}, v);
    // Its lowest point is at +x of the centre.
    spin.add(ran.poses[1].angular_velocity, {0, -P * r * std::cos(theta) / (m * r * r / 4), 0}, v / r);
  }
  EXPECT_LT(velocity.largest(), 1e-12);
  EXPECT_LT(spin.largest(), 1e-12);
}

// Upright and smooth it bounces as a ball: each flight is e times as long as the one before, whatever its spin.
TEST(FallingDisc, UprightAndSpinning_BouncesAsABall) {
  const double r = 0.08, e = 0.4, height = 0.02, speed = 3;
  WorldBody disc = rolling_body({.kind = Shape::Kind::disc, .radius = r}, 0.3);
  disc.body.orientation = Quaternion(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ()));
  disc.body.position = {0, 0, r + height};
  disc.body.velocity = {0.7, 0, -speed};
  disc.body.angular_velocity = {0, 9.3, 0};
  const double approach = std::sqrt(speed * speed + 2 * gravity * height), first = (approach - speed) / gravity;
  const Ran ran = run_world(world_of({ground(), disc}, {Routh{.e = e}, 0, 0}), 0.45);
  ASSERT_TRUE(ran.ok);
  const auto hits = ran.recording.of(EventKind::impact);
  ASSERT_GE(hits.size(), 8U);
  Deviation time("impact_time");
  double t = first, flight = 2 * e * approach / gravity;
  for (std::size_t k = 0; k < 8; ++k) {
    time.add(hits[k].time, t);
    t += flight;
    flight *= e;
  }
  EXPECT_LT(time.largest(), 1e-11);
}

// Angular momentum about the new pivot: (J + m (h² − r²)) ω becomes (J + m (h² + r²)) ω⁺.
TEST(RockingCylinder, LandsFlat_AndKeepsHousnersRatio) {
  const double r = 0.05, h = 0.2, m = 1, tilt = 0.05;
  WorldBody can = rolling_body({.kind = Shape::Kind::cylinder, .radius = r, .length = 2 * h}, m);
  const double J = can.body.inertia(1, 1);
  for (const double heading : {0.0, 0.7}) {
    const Quaternion lean =
        Quaternion(Eigen::AngleAxisd(heading, Vec3::UnitZ())) * Quaternion(Eigen::AngleAxisd(tilt, Vec3::UnitY()));
    can.body.orientation = lean * Quaternion(Eigen::AngleAxisd(-std::numbers::pi / 2, Vec3::UnitY()));
    can.body.position = Quaternion(Eigen::AngleAxisd(heading, Vec3::UnitZ())) *
                        Vec3(r + h * std::sin(tilt) - r * std::cos(tilt), 0, h * std::cos(tilt) + r * std::sin(tilt));
    WorldBody table = block({1, 1, 0.5}, 1, {0, 0, -0.5}, Vec3::Zero(), "table");
    table.body.fixed = true;
    for (const WorldBody& below : {ground(), table}) {
      const World world = world_of({below, can}, gripping());
      const Ran first = run_world(world, 0.5);
      ASSERT_TRUE(first.ok);
      const auto hits = first.recording.of(EventKind::impact);
      ASSERT_FALSE(hits.empty());
      const double t = hits[0].time;
      const Ran before = run_world(world, t - 1e-9), after = run_world(world, t + 1e-9);
      ASSERT_TRUE(before.ok && after.ok);
      // Falling back to upright it turns by the angle whose energy is m g (h cos + r sin − h).
      const double fall = m * gravity * (h * std::cos(tilt) + r * std::sin(tilt) - h);
      EXPECT_NEAR(before.poses[1].angular_velocity.norm(), std::sqrt(2 * fall / (J + m * (h * h + r * r))), 1e-7);
      EXPECT_NEAR(after.poses[1].angular_velocity.norm() / before.poses[1].angular_velocity.norm(),
                  (J + m * (h * h - r * r)) / (J + m * (h * h + r * r)), 1e-7);
    }
  }
}

// As a cylinder, C = ½ m r²: it leaves the edge at cos θ = (v²/(g r) + 4/3)/(7/3).
TEST(DiscOverAnEdge, LeavesAtFourSevenths) {
  const double r = 0.1, v = 0.4, edge = 0.05;
  WorldBody disc = rolling_body({.kind = Shape::Kind::disc, .radius = r}, 0.2);
  disc.body.orientation = Quaternion(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ()));
  disc.body.position = {0, 0, r};
  disc.body.velocity = {v, 0, 0};
  disc.body.angular_velocity = {0, v / r, 0};
  WorldBody table = block({1, 1, 0.5}, 1, {edge - 1, 0, -0.5}, Vec3::Zero(), "table");
  table.body.fixed = true;
  const Ran ran = run_world(world_of({table, disc}, gripping()), 0.5);
  ASSERT_TRUE(ran.ok);
  const auto lifts = ran.recording.of(EventKind::lift_off);
  ASSERT_EQ(lifts.size(), 1U);
  EXPECT_NEAR(lifts[0].n.z(), (v * v / (gravity * r) + 4.0 / 3) / (7.0 / 3), 1e-9);
}

}  // namespace
}  // namespace ricochet::motion
