/// Rods on ball joints, swinging in a plane. A uniform rod of half length l about its end has J = 4/3 m l² and
/// θ̈ = −ω₀² sin θ with ω₀² = 3g/(4l); from rest at θ₀ it passes the vertical after K(sin θ₀/2)/ω₀, with θ̇ = 2 ω₀
/// sin(θ₀/2) (Landau & Lifshitz, Mechanics, §11).

#include <gtest/gtest.h>

#include <array>
#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <numbers>

#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr double swing_half = 0.4, swing_mass = 1.3;

/// Hangs from `from` at the angle θ from straight down, at rest. Nothing to collide with.
WorldBody hanging(const Vec3& from, double theta) {
  WorldBody out = rod(swing_half, 0, swing_mass, from + swing_half * Vec3(std::sin(theta), 0, -std::cos(theta)));
  out.body.orientation = raised(theta - std::numbers::pi / 2);
  out.shapes.clear();
  return out;
}

WorldBody pivot() {
  WorldBody out;
  out.name = "pivot";
  out.body.fixed = true;
  return out;
}

TEST(Pendulum, PassesTheVerticalAfterAQuarterOfItsEllipticPeriod) {
  Deviation place("place"), speed("velocity"), energy("imbalance");
  for (const double theta : {0.1, 1.5, 3.0}) {
    World world = world_of({pivot(), hanging(Vec3::Zero(), theta)}, {Frictionless{}});
    world.joints.push_back({0, 1, Vec3::Zero()});
    const double rate = std::sqrt(3 * gravity / (4 * swing_half));
    const double quarter = boost::math::ellint_1(std::sin(theta / 2)) / rate;
    // After 9 quarters it moves as after the first: θ̇ < 0, at the bottom.
    const Ran ran = run_world(std::move(world), 9 * quarter);
    ASSERT_TRUE(ran.ok);
    const double spin = 2 * rate * std::sin(theta / 2);
    place.add(ran.poses[1].position, {0, 0, -swing_half}, swing_half);
    speed.add(ran.poses[1].velocity, {-swing_half * spin, 0, 0}, swing_half * spin);
    speed.add(ran.poses[1].angular_velocity, {0, spin, 0}, spin);
    energy.add(ran.ledger.imbalance(), 0, swing_mass * gravity * swing_half);
  }
  EXPECT_LT(place.largest(), 1e-8);
  EXPECT_LT(speed.largest(), 1e-8);
  EXPECT_LT(energy.largest(), 1e-10);
}

// Two equal rods of length L, angles from straight down, c and s of θ₁ − θ₂:
//   (4/3) θ̈₁ + ½ c θ̈₂ + ½ s θ̇₂² + (3/2)(g/L) sin θ₁ = 0
//   ½ c θ̈₁ + (1/3) θ̈₂ − ½ s θ̇₁² + ½ (g/L) sin θ₂ = 0
using TwoAngles = std::array<long double, 4>;

TwoAngles swing(TwoAngles y, long double duration) {
  const long double k = static_cast<long double>(gravity) / (2 * static_cast<long double>(swing_half));
  const auto rate = [&](const TwoAngles& x, TwoAngles& d, long double) {
    const long double c = std::cos(x[0] - x[1]), s = std::sin(x[0] - x[1]);
    const long double a = -s * x[3] * x[3] / 2 - 1.5L * k * std::sin(x[0]);
    const long double b = s * x[2] * x[2] / 2 - k * std::sin(x[1]) / 2;
    const long double det = 4 / 9.0L - c * c / 4;
    d = {x[2], x[3], (a / 3 - c * b / 2) / det, (4 * b / 3 - c * a / 2) / det};
  };
  namespace ode = boost::numeric::odeint;
  using Stepper = ode::runge_kutta_fehlberg78<TwoAngles, long double>;
  ode::integrate_adaptive(ode::make_controlled(1e-17L, 1e-17L, Stepper()), rate, y, 0.0L, duration, 1e-3L);
  return y;
}

TEST(DoublePendulum, SwingsAsItsTwoEquationsSay) {
  const double first = 1.9, second = -0.4, T = 2;
  const Vec3 elbow = 2 * swing_half * Vec3(std::sin(first), 0, -std::cos(first));
  World world = world_of({pivot(), hanging(Vec3::Zero(), first), hanging(elbow, second)}, {Frictionless{}});
  world.joints.push_back({0, 1, Vec3::Zero()});
  world.joints.push_back({1, 2, elbow});
  const Ran ran = run_world(std::move(world), T);
  ASSERT_TRUE(ran.ok);
  const TwoAngles end = swing({first, second, 0, 0}, T);
  const auto way = [](long double x) {
    return Vec3(static_cast<double>(std::sin(x)), 0, static_cast<double>(-std::cos(x)));
  };
  Deviation place("place"), speed("spin"), joint("joint_drift");
  place.add(ran.poses[1].position, swing_half * way(end[0]), swing_half);
  place.add(ran.poses[2].position, 2 * swing_half * way(end[0]) + swing_half * way(end[1]), swing_half);
  speed.add(-ran.poses[1].angular_velocity.y(), static_cast<double>(end[2]), 10);
  speed.add(-ran.poses[2].angular_velocity.y(), static_cast<double>(end[3]), 10);
  const Vec3 one = ran.poses[1].position + ran.poses[1].orientation * Vec3(swing_half, 0, 0);
  const Vec3 two = ran.poses[2].position - ran.poses[2].orientation * Vec3(swing_half, 0, 0);
  joint.add(one, two, swing_half);
  EXPECT_LT(place.largest(), 1e-8);
  EXPECT_LT(speed.largest(), 1e-8);
  EXPECT_LT(joint.largest(), 1e-9);
  EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-10 * swing_mass * gravity * swing_half);
}

/// The same two rods as a tree of revolute joints. Its links are the last two bodies of the world, rods along their z.
Mechanism two_links(std::uint32_t first_body, double first, double second) {
  Mechanism out;
  out.name = "pendulum";
  for (int i = 0; i < 2; ++i) {
    Link link;
    link.name = i == 0 ? "upper" : "lower";
    link.parent = i - 1;
    link.joint = JointType::revolute;
    link.axis = -Vec3::UnitY();
    link.position = i == 0 ? Vec3(Vec3::Zero()) : Vec3(0, 0, -2 * swing_half);
    link.mass = swing_mass;
    link.centre = {0, 0, -swing_half};
    const double J = swing_mass * swing_half * swing_half / 3;
    link.inertia = Vec3(J, J, 0.01 * J).asDiagonal();
    out.tree.links.push_back(link);
    out.bodies.push_back(first_body + static_cast<std::uint32_t>(i));
    out.links.push_back(i);
  }
  out.q = Eigen::Vector2d(first, second - first);
  out.u = Eigen::Vector2d::Zero();
  return out;
}

WorldBody link_body(double radius, std::string name) {
  WorldBody out = rod(swing_half, radius, swing_mass, Vec3::Zero(), std::move(name));
  out.shapes[0].rotation = Mat3::Identity();
  const double J = swing_mass * swing_half * swing_half / 3;
  out.body.inertia = Vec3(J, J, 0.01 * J).asDiagonal();
  return out;
}

TEST(DoublePendulum, AsATreeSwingsAsItsTwoEquationsSay) {
  const double first = 1.9, second = -0.4, T = 2;
  World world = world_of({pivot(), link_body(0, "upper"), link_body(0, "lower")}, {Frictionless{}});
  world.bodies[1].shapes.clear();
  world.bodies[2].shapes.clear();
  world.mechanisms.push_back(two_links(1, first, second));
  const Ran ran = run_world(std::move(world), T);
  ASSERT_TRUE(ran.ok);
  const TwoAngles end = swing({first, second, 0, 0}, T);
  const auto way = [](long double x) {
    return Vec3(static_cast<double>(std::sin(x)), 0, static_cast<double>(-std::cos(x)));
  };
  Deviation place("place"), speed("spin");
  place.add(ran.poses[1].position, swing_half * way(end[0]), swing_half);
  place.add(ran.poses[2].position, 2 * swing_half * way(end[0]) + swing_half * way(end[1]), swing_half);
  speed.add(-ran.poses[1].angular_velocity.y(), static_cast<double>(end[2]), 10);
  speed.add(-ran.poses[2].angular_velocity.y(), static_cast<double>(end[3]), 10);
  EXPECT_LT(place.largest(), 1e-8);
  EXPECT_LT(speed.largest(), 1e-8);
  EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-10 * swing_mass * gravity * swing_half);
}

// Joints as constraints between bodies, and as coordinates of a tree: two methods, one motion.
TEST(DoublePendulum, AsATreeClattersAsWithBallJoints) {
  const double first = 1.2, second = 0.3, T = 0.7, radius = 0.02;
  const Vec3 elbow = 2 * swing_half * Vec3(std::sin(first), 0, -std::cos(first));
  ChatterjeeRuina law;
  law.e = 0.6;
  law.mu = 0.4;
  const PairLaw pair{law, 0.4, 0.4};
  const WorldBody floor = half_space({0, 0, -3.2 * swing_half}, Vec3::UnitZ());
  World jointed = world_of({floor, pivot(), hanging(Vec3::Zero(), first), hanging(elbow, second)}, pair);
  for (const std::size_t i : {2U, 3U}) jointed.bodies[i].shapes = rod(swing_half, radius, 1, Vec3::Zero()).shapes;
  jointed.joints.push_back({1, 2, Vec3::Zero()});
  jointed.joints.push_back({2, 3, elbow});
  World tree = world_of({floor, pivot(), link_body(radius, "upper"), link_body(radius, "lower")}, pair);
  tree.mechanisms.push_back(two_links(2, first, second));
  tree.apart = {{2, 3}};
  const Ran a = run_world(std::move(jointed), T), b = run_world(std::move(tree), T);
  ASSERT_TRUE(a.ok && b.ok);
  const auto seen = a.recording.of(EventKind::impact), expected = b.recording.of(EventKind::impact);
  ASSERT_GE(expected.size(), 3U);
  ASSERT_EQ(seen.size(), expected.size());
  Deviation time("times"), impulse("impulse"), place("place");
  for (std::size_t k = 0; k < seen.size(); ++k) {
    time.add(seen[k].time, expected[k].time);
    impulse.add(seen[k].P, expected[k].P, expected[0].P.norm());
  }
  for (const std::size_t i : {2U, 3U}) place.add(a.poses[i].position, b.poses[i].position, swing_half);
  EXPECT_LT(time.largest(), 1e-7);
  EXPECT_LT(impulse.largest(), 1e-6);
  EXPECT_LT(place.largest(), 1e-6);
  EXPECT_LT(std::abs(b.ledger.imbalance()), 1e-10);
}

// m ẍ + d ẋ + k x = m g from x = 0: the damped oscillation about m g / k; the rotor adds to m but not to the weight.
TEST(Slider, OnSpringAndDamperOscillatesAsTheLinearEquationSays) {
  const double m = 1.7, rotor = 0.4, k = 90, d = 3.1, T = 1.3;
  World world = world_of({ball(0.1, m, Vec3::Zero())}, {Frictionless{}});
  Mechanism slider;
  Link link;
  link.name = "slider";
  link.joint = JointType::prismatic;
  link.axis = -Vec3::UnitZ();
  link.mass = m;
  link.inertia = world.bodies[0].body.inertia;
  link.rotor = rotor;
  slider.tree.links.push_back(link);
  slider.q = slider.u = VecX::Zero(1);
  slider.bodies = {0};
  slider.links = {0};
  slider.damping = VecX::Constant(1, d);
  slider.stiffness = VecX::Constant(1, k);
  slider.rest = VecX::Zero(1);
  world.mechanisms.push_back(slider);
  const Ran ran = run_world(std::move(world), T);
  ASSERT_TRUE(ran.ok);
  const double M = m + rotor, decay = d / (2 * M), rate = std::sqrt(k / M - decay * decay), sag = m * gravity / k;
  const double x = sag * (1 - std::exp(-decay * T) * (std::cos(rate * T) + decay / rate * std::sin(rate * T)));
  const double v = sag * std::exp(-decay * T) * (decay * decay / rate + rate) * std::sin(rate * T);
  EXPECT_NEAR(ran.poses[0].position.z(), -x, 1e-11);
  EXPECT_NEAR(ran.poses[0].velocity.z(), -v, 1e-10);
  EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-11);
  EXPECT_GT(ran.ledger.lost_to_friction, 0.1);
}

// A tree of one free link is a free body.
TEST(FreeTree, TumblesAndBouncesAsTheBodyItIs) {
  ChatterjeeRuina law;
  law.e = 0.7;
  law.mu = 0.3;
  WorldBody brick = block({0.3, 0.2, 0.1}, 2, {0, 0, 1}, {0.4, -0.2, 0});
  brick.body.orientation = Quaternion(0.9, 0.1, 0.3, -0.2).normalized();
  brick.body.angular_velocity = {1.5, -2, 0.7};
  World body = world_of({ground(), brick}, {law, 0.3, 0.3}), tree = body;
  Mechanism mechanism;
  Link link;
  link.name = "brick";
  link.joint = JointType::free;
  link.mass = brick.body.mass;
  link.inertia = brick.body.inertia;
  mechanism.tree.links.push_back(link);
  const Quaternion& r = brick.body.orientation;
  mechanism.q = VecX(7);
  mechanism.q << brick.body.position, r.w(), r.x(), r.y(), r.z();
  mechanism.u = VecX(6);
  mechanism.u << brick.body.velocity, r.conjugate() * brick.body.angular_velocity;
  mechanism.bodies = {1};
  mechanism.links = {0};
  tree.mechanisms.push_back(mechanism);
  const double T = 1.0;
  const Ran a = run_world(std::move(body), T), b = run_world(std::move(tree), T);
  ASSERT_TRUE(a.ok && b.ok);
  const auto seen = a.recording.of(EventKind::impact), expected = b.recording.of(EventKind::impact);
  ASSERT_GE(seen.size(), 2U);
  ASSERT_EQ(seen.size(), expected.size());
  Deviation time("times"), place("place");
  for (std::size_t k = 0; k < seen.size(); ++k) time.add(seen[k].time, expected[k].time);
  place.add(a.poses[1].position, b.poses[1].position, 1);
  EXPECT_LT(time.largest(), 1e-9);
  EXPECT_LT(place.largest(), 1e-8);
  EXPECT_LT(std::abs(b.ledger.imbalance()), 1e-10);
}

}  // namespace
}  // namespace ricochet::motion
