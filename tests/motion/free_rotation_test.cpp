/// Torque-free rotation: angular momentum and energy are kept. With three different moments the body frame obeys
/// Euler's equations (Landau & Lifshitz, Mechanics, §37); with two equal ones
///   q(t) = exp(L t/J₁) q₀ exp(a ω₃ (1 − J₃/J₁) t),  a the body's own axis,
/// because ω = L/J₁ + ω₃ (1 − J₃/J₁) a; with three equal ones ω is constant.

#include <gtest/gtest.h>

#include <array>
#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/numeric/odeint.hpp>
#include <cmath>

#include "motion/worlds.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

Vec3 momentum_of(const Pose& pose, const Mat3& J) {
  const Mat3 R = pose.orientation.toRotationMatrix();
  return R * (J * (R.transpose() * pose.angular_velocity));
}

double energy_of(const Pose& pose, const Mat3& J) { return 0.5 * pose.angular_velocity.dot(momentum_of(pose, J)); }

/// Angle between two orientations [rad].
double between(const Quaternion& a, const Quaternion& b) { return 2 * (a.conjugate() * b).vec().norm(); }

Quaternion turn_by(const Vec3& angle) {
  return angle.norm() > 0 ? Quaternion(Eigen::AngleAxisd(angle.norm(), angle.normalized()))
                          : Quaternion(Quaternion::Identity());
}

World tumbling(const Mat3& J, const Quaternion& start, const Vec3& body_rate) {
  WorldBody cuboid = block({0.1, 0.2, 0.3}, 2, {0, 0, 5}, {1, 0, 3});
  cuboid.body.inertia = J;
  cuboid.body.orientation = start;
  cuboid.body.angular_velocity = start * body_rate;
  return world_of({cuboid}, {Frictionless{}});
}

// (q, ω in body axes) in long double by Fehlberg's method of order 8, at 1e-17.
using TopState = std::array<long double, 7>;

TopState integrate_top(const Vec3& J, TopState y, long double duration) {
  const long double a = J.x(), b = J.y(), c = J.z();
  const auto rate = [&](const TopState& s, TopState& d, long double) {
    const auto& [w, x, y_, z, p, q, r] = s;
    d = {(-x * p - y_ * q - z * r) / 2,
         (w * p + y_ * r - z * q) / 2,
         (w * q + z * p - x * r) / 2,
         (w * r + x * q - y_ * p) / 2,
         (b - c) / a * q * r,
         (c - a) / b * r * p,
         (a - b) / c * p * q};
  };
  namespace ode = boost::numeric::odeint;
  using Stepper = ode::runge_kutta_fehlberg78<TopState, long double>;
  ode::integrate_adaptive(ode::make_controlled(1e-17L, 1e-17L, Stepper()), rate, y, 0.0L, duration, 1e-3L);
  return y;
}

TEST(FreeRotation, OfAnAsymmetricBox_TurnsOverAsEulerSays) {
  const Vec3 moments(0.13, 0.1, 0.05);  // not in order: the middle one is about y
  const Mat3 J = moments.asDiagonal();
  const Quaternion start = turn_by({0.3, -0.2, 0.7});
  const Vec3 rate(0.02, 6, -0.01);
  const double T = 20;
  const Ran ran = run_world(tumbling(J, start, rate), T, 0.5);
  ASSERT_TRUE(ran.ok);
  ASSERT_GE(ran.recording.samples.size(), 40U);
  Pose first;
  first.orientation = start;
  first.angular_velocity = start * rate;
  const Vec3 L = momentum_of(first, J);
  const double E = energy_of(first, J);
  Deviation momentum("angular_momentum"), energy("energy"), angle("orientation"), place("centre");
  TopState y{start.w(), start.x(), start.y(), start.z(), rate.x(), rate.y(), rate.z()};
  double now = 0, most = 0;
  for (const Sample& sample : ran.recording.samples) {
    const Pose& pose = sample.poses[0];
    momentum.add(momentum_of(pose, J), L, L.norm());
    energy.add(energy_of(pose, J), E);
    y = integrate_top(moments, y, static_cast<long double>(sample.time) - now);
    now = sample.time;
    const Quaternion expected(static_cast<double>(y[0]), static_cast<double>(y[1]), static_cast<double>(y[2]),
                              static_cast<double>(y[3]));
    angle.add(between(pose.orientation, expected), 0, 1);
    EXPECT_NEAR(pose.orientation.norm(), 1, 1e-14);
    most = std::max(most, std::abs(static_cast<double>(y[5]) - rate.y()));
    const double t = sample.time;
    place.add(pose.position, {t, 0, 5 + 3 * t - gravity * t * t / 2}, gravity * t * t + 5);
  }
  EXPECT_GT(most, 6) << "it should turn over in this time";
  EXPECT_LT(momentum.largest(), 1e-12);
  EXPECT_LT(energy.largest(), 1e-12);
  EXPECT_LT(angle.largest(), 1e-9);
  EXPECT_LT(place.largest(), 1e-14);
}

// Landau & Lifshitz §37: with J₁ < J₂ < J₃ and L² > 2 E J₂ the rates have the period 4 K(k)/λ in body axes,
//   λ² = (J₃ − J₂)(L² − 2 E J₁)/(J₁J₂J₃),   k² = (J₂ − J₁)(2 E J₃ − L²)/((J₃ − J₂)(L² − 2 E J₁)).
TEST(FreeRotation, OfAnAsymmetricBox_HasItsEllipticPeriod) {
  const Vec3 moments(0.05, 0.1, 0.13);
  const Mat3 J = moments.asDiagonal();
  const Vec3 rate(0.3, 5, 0.9);
  const Vec3 L = J * rate;
  const double E = rate.dot(L) / 2, a = moments.x(), b = moments.y(), c = moments.z();
  ASSERT_GT(L.squaredNorm(), 2 * E * b);
  const double high = L.squaredNorm() - 2 * E * a, low = 2 * E * c - L.squaredNorm();
  const double k = std::sqrt((b - a) * low / ((c - b) * high)), lambda = std::sqrt((c - b) * high / (a * b * c));
  const double period = 4 * boost::math::ellint_1(k) / lambda;
  const Quaternion start = turn_by({1, 2, -0.4});
  const Ran ran = run_world(tumbling(J, start, rate), 5 * period);
  ASSERT_TRUE(ran.ok);
  const Vec3 back = ran.poses[0].orientation.conjugate() * ran.poses[0].angular_velocity;
  Deviation returned("rates_after_five_periods");
  returned.add(back, rate, rate.norm());
  EXPECT_LT(returned.largest(), 1e-10);
}

TEST(FreeRotation, WithTwoEqualMoments_Precesses) {
  Deviation angle("orientation"), rate_off("rates");
  for (const double own : {0.02, 0.15}) {
    const Vec3 moments(0.1, 0.1, own), rate(0.7, -2, 9);
    const Mat3 J = moments.asDiagonal();
    const Quaternion start = turn_by({0.3, -0.2, 0.7});
    const double T = 30;
    const Ran ran = run_world(tumbling(J, start, rate), T);
    ASSERT_TRUE(ran.ok);
    const Vec3 L = start * Vec3(J * rate);
    const double own_turn = rate.z() * (1 - own / 0.1) * T;
    const Quaternion expected = turn_by(L * (T / 0.1)) * start * turn_by({0, 0, own_turn});
    angle.add(between(ran.poses[0].orientation, expected), 0, 1);
    const Vec3 w = L / 0.1 + rate.z() * (1 - own / 0.1) * (expected * Vec3(Vec3::UnitZ()));
    rate_off.add(ran.poses[0].angular_velocity, w, w.norm());
  }
  EXPECT_LT(angle.largest(), 1e-10);
  EXPECT_LT(rate_off.largest(), 1e-10);
}

TEST(FreeRotation, WithEqualMoments_IsUniform) {
  const Mat3 J = 0.1 * Mat3::Identity();
  const Quaternion start = turn_by({0.3, -0.2, 0.7});
  const Vec3 rate(0.7, -2, 9);
  const double T = 100;
  const Ran ran = run_world(tumbling(J, start, rate), T);
  ASSERT_TRUE(ran.ok);
  const Vec3 w = start * rate;
  EXPECT_LT((ran.poses[0].angular_velocity - w).norm(), 1e-14 * w.norm());
  // 1e-15 of the angle, which is 925 rad.
  EXPECT_LT(between(ran.poses[0].orientation, turn_by(w * T) * start), 1e-12);
}

// J q̈ = τ about a principal axis: ω = ω₀ + τ t/J. A torque that grows, τ = c t: ω = c t²/2J, angle c t³/6J, work ½ J
// ω².
TEST(FreeRotation, UnderATorqueThatGrows_TurnsAsItsIntegralSays) {
  const Vec3 moments(0.13, 0.1, 0.05);
  World world = tumbling(moments.asDiagonal(), Quaternion::Identity(), Vec3::Zero());
  const double c = 0.02, T = 6;
  world.forces.push_back({0, {0, 10}, {Vec3::Zero(), Vec3(0, 0, 0)}, {Vec3::Zero(), Vec3(0, 0, 10 * c)}});
  const Ran ran = run_world(std::move(world), T);
  ASSERT_TRUE(ran.ok);
  const double w = c * T * T / (2 * moments.z()), angle = c * T * T * T / (6 * moments.z());
  Deviation off("deviation");
  off.add(ran.poses[0].angular_velocity, {0, 0, w}, w);
  off.add(between(ran.poses[0].orientation, turn_by({0, 0, angle})), 0, angle);
  off.add(ran.ledger.applied_work, moments.z() * w * w / 2);
  EXPECT_LT(off.largest(), 1e-10);
}

// m v̇ = F₀ + F₁ t: a cubic in time, and exact.
TEST(FreeFlight, UnderAForceThatGrows_IsACubic) {
  World world = tumbling(0.1 * Mat3::Identity(), Quaternion::Identity(), Vec3::Zero());
  const Vec3 at_start(1, 0, 0), slope(0, 2, -0.5);
  const double T = 3, m = 2;
  world.forces.push_back({0, {0, 4}, {at_start, Vec3(at_start + 4 * slope)}, {Vec3::Zero(), Vec3::Zero()}});
  const Ran ran = run_world(std::move(world), T);
  ASSERT_TRUE(ran.ok);
  const Vec3 g(0, 0, -gravity), v0(1, 0, 3);
  const Vec3 v = v0 + g * T + (at_start * T + slope * T * T / 2) / m;
  const Vec3 x = Vec3(0, 0, 5) + v0 * T + g * T * T / 2 + (at_start * T * T / 2 + slope * T * T * T / 6) / m;
  Deviation off("deviation");
  off.add(ran.poses[0].velocity, v, v.norm());
  off.add(ran.poses[0].position, x, x.norm());
  EXPECT_LT(off.largest(), 1e-13);
  EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-12 * ran.ledger.kinetic);
}

}  // namespace
}  // namespace ricochet::motion
