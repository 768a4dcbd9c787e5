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

/// A rod along body x without a moment about it.
WorldBody thin_rod(const Vec3& position, const Vec3& spin) {
  WorldBody out;
  out.name = "rod";
  out.body.mass = swing_mass;
  const double J = swing_mass * swing_half * swing_half / 3;
  out.body.inertia = Vec3(0, J, J).asDiagonal();
  out.body.position = position;
  out.body.angular_velocity = spin;
  return out;
}

// About the joint, off its axis, a rod has three positive moments: Euler's equations I ω̇ = Iω × ω + c × m g there.
TEST(JointedRod, OffItsAxis_SwingsAsEulersEquationsAboutTheJointSay) {
  const double T = 1.2;
  const Vec3 centre(0.3, 0.15, -0.2), spin(2, -1, 3);
  World world = world_of({pivot(), thin_rod(centre, spin)}, {Frictionless{}});
  world.bodies[1].body.velocity = spin.cross(centre);
  world.joints.push_back({0, 1, Vec3::Zero()});
  const Ran ran = run_world(world, T);
  ASSERT_TRUE(ran.ok);
  using Vec = Eigen::Matrix<long double, 3, 1>;
  using Mat = Eigen::Matrix<long double, 3, 3>;
  const Vec c = centre.cast<long double>();
  const Mat I = world.bodies[1].body.inertia.cast<long double>() +
                swing_mass * (c.squaredNorm() * Mat::Identity() - c * c.transpose());
  using State = std::array<long double, 7>;  // quaternion w, x, y, z; ω in body axes
  const auto turned = [](const State& x) {
    return Eigen::Quaternion<long double>(x[0], x[1], x[2], x[3]).normalized();
  };
  const auto rate = [&](const State& x, State& d, long double) {
    const Vec w(x[4], x[5], x[6]), g = turned(x).conjugate() * Vec(0, 0, -gravity), v(x[1], x[2], x[3]);
    const Vec alpha = I.inverse() * ((I * w).cross(w) + swing_mass * c.cross(g));
    const Vec dv = 0.5L * (x[0] * w + v.cross(w));
    d = {-0.5L * w.dot(v), dv.x(), dv.y(), dv.z(), alpha.x(), alpha.y(), alpha.z()};
  };
  State x{1, 0, 0, 0, spin.x(), spin.y(), spin.z()};
  namespace ode = boost::numeric::odeint;
  using Stepper = ode::runge_kutta_fehlberg78<State, long double>;
  ode::integrate_adaptive(ode::make_controlled(1e-16L, 1e-16L, Stepper()), rate, x, 0.0L, static_cast<long double>(T),
                          1e-3L);
  Deviation place("place"), turning("spin"), energy("imbalance");
  place.add(ran.poses[1].position, (turned(x) * c).cast<double>(), centre.norm());
  turning.add(ran.poses[1].angular_velocity, (turned(x) * Vec(x[4], x[5], x[6])).cast<double>(), spin.norm());
  energy.add(ran.ledger.imbalance(), 0, swing_mass * gravity * swing_half);
  EXPECT_LT(place.largest(), 1e-10);
  EXPECT_LT(turning.largest(), 1e-10);
  EXPECT_LT(energy.largest(), 1e-11);
}

// A ball and two rods, jointed off their axes, that float without gravity.
TEST(JointedRod, OnABallThatFloats_KeepsMomentaAndEnergy) {
  World world = world_of({ball(0.1, 0.8, {0, 0, 0}, {0.2, 0.1, -0.3}, {1, 2, 3}), thin_rod({0.5, 0.2, 0}, {4, -1, 2}),
                          thin_rod({-0.6, 0, 0.3}, {0, 3, 1})},
                         {Frictionless{}}, Vec3::Zero());
  for (WorldBody& body : world.bodies) body.shapes.clear();
  world.joints = {{0, 1, {0.1, 0, 0.05}}, {2, 0, {-0.1, 0.05, 0}}};
  const auto momenta = [&](const std::vector<Pose>& poses) {
    Eigen::Matrix<double, 6, 1> out = Eigen::Matrix<double, 6, 1>::Zero();
    for (std::size_t i = 0; i < poses.size(); ++i) {
      const Pose& p = poses[i];
      const RigidBody& body = world.bodies[i].body;
      const Vec3 L = p.orientation * (body.inertia * (p.orientation.conjugate() * p.angular_velocity));
      out.head<3>() += body.mass * p.velocity;
      out.tail<3>() += L + body.mass * p.position.cross(p.velocity);
    }
    return out;
  };
  const auto given = momenta({{world.bodies[0].body.position, Quaternion::Identity(), world.bodies[0].body.velocity,
                               world.bodies[0].body.angular_velocity},
                              {world.bodies[1].body.position, Quaternion::Identity(), Vec3::Zero(), {4, -1, 2}},
                              {world.bodies[2].body.position, Quaternion::Identity(), Vec3::Zero(), {0, 3, 1}}});
  const Ran ran = run_world(world, 2);
  ASSERT_TRUE(ran.ok);
  EXPECT_LT((momenta(ran.poses) - given).norm(), 1e-11 * given.norm());
  EXPECT_GT(ran.ledger.kinetic, 0.1);
  EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-11 * ran.ledger.start);
  const auto end = [&](std::size_t i, const Vec3& point) {
    return Vec3(ran.poses[i].position + ran.poses[i].orientation * (point - world.bodies[i].body.position));
  };
  for (const BallJoint& joint : world.joints)
    EXPECT_LT((end(joint.first, joint.point) - end(joint.second, joint.point)).norm(), 1e-12);
}

TEST(JointedRod, OffItsAxisOnNothingThatRests_IsRefused) {
  World world = world_of({pivot(), thin_rod({0.3, 0.2, 0}, Vec3::Zero())}, {Frictionless{}});
  world.bodies[0].body.velocity = {1, 0, 0};
  world.joints.push_back({0, 1, Vec3::Zero()});
  const auto refused = Simulation::start(world);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().path, "body[2].inertia");
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
