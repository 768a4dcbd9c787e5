#include "ricochet/mechanism/lagrangian.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "random_contact.hpp"
#include "ricochet/contact/between.hpp"
#include "ricochet/contact/probe.hpp"
#include "ricochet/law/routh.hpp"
#include "ricochet/mechanism/systems.hpp"

namespace ricochet {
namespace {

using testing::Rng;
using testing::uniform;

VecX random_vector(Rng& rng, int size, double range) {
  VecX x(size);
  for (double& entry : x) entry = uniform(rng, -range, range);
  return x;
}

std::vector<Lagrangian> planar_systems() {
  return {single_pendulum({1.3, 0.7}), double_pendulum_absolute({1.1, 2}, {0.8, 0.5}),
          double_pendulum_relative({1.1, 2}, {0.8, 0.5}),
          free_planar_body(2, 0.3, {{"a", Vec3(0.4, 0, -0.2)}, {"b", Vec3(-0.1, 0, 0.6)}}), inclined_bar({1.5, 0.9})};
}

TEST(Systems, JacobiansAreDerivativesOfPositions) {
  Rng rng(11);
  for (const Lagrangian& system : planar_systems()) {
    for (int i = 0; i < 20; ++i) {
      const VecX q = random_vector(rng, system.coordinates, 3), u = random_vector(rng, system.dof, 1);
      for (const SystemPoint& point : system.points) {
        const double h = 1e-5;
        const Vec3 rate = (point.position(q + h * u) - point.position(q - h * u)) / (2 * h);
        EXPECT_LT((point.jacobian(q) * u - rate).norm(), 1e-9) << system.name << ", " << point.name;
      }
    }
  }
}

TEST(Systems, ForcesWithoutGravityConserveEnergy) {
  // d/dt ½uᵀ𝓜u = uᵀ𝓜u̇ + ½uᵀ𝓜̇u must vanish when only velocity-dependent forces act.
  Rng rng(12);
  const Surroundings weightless{.gravity = 0, .floor = {}};
  for (const Lagrangian& system :
       {double_pendulum_absolute({1.1, 2}, {0.8, 0.5}, weightless),
        double_pendulum_relative({1.1, 2}, {0.8, 0.5}, weightless), inclined_bar({1.5, 0.9}, weightless)}) {
    for (int i = 0; i < 50; ++i) {
      const VecX q = random_vector(rng, system.dof, 3), u = random_vector(rng, system.dof, 2);
      const double h = 1e-5;
      const MatX mass_rate = (system.mass(q + h * u) - system.mass(q - h * u)) / (2 * h);
      const VecX accelerated = acceleration(system, q, u).value();
      EXPECT_NEAR(u.dot(system.mass(q) * accelerated) + 0.5 * u.dot(mass_rate * u), 0, 1e-8) << system.name;
    }
  }
}

TEST(Systems, GravityDoesTheWorkOfTheWeights) {
  // The generalised force of weight is −∂/∂q of m g z summed over the rods' centres, here from the points' heights.
  Rng rng(13);
  const Rod upper{1.1, 2}, lower{0.8, 0.5};
  for (const Lagrangian& system : {double_pendulum_absolute(upper, lower), double_pendulum_relative(upper, lower)}) {
    const auto height = [&](const VecX& q) {
      const double elbow = system.points[0].position(q).z(), tip = system.points[1].position(q).z();
      return 9.80665 * (upper.mass * elbow / 2 + lower.mass * (elbow + tip) / 2);
    };
    for (int i = 0; i < 20; ++i) {
      const VecX q = random_vector(rng, 2, 3), dq = random_vector(rng, 2, 1);
      const double h = 1e-5;
      const double work = -(height(q + h * dq) - height(q - h * dq)) / (2 * h);
      EXPECT_NEAR(system.force(q, VecX::Zero(2)).dot(dq), work, 1e-8) << system.name;
    }
  }
}

TEST(Systems, BothDoublePendulumsAreOneMechanism) {
  Rng rng(14);
  const Rod upper{1.1, 2}, lower{0.8, 0.5};
  const Lagrangian absolute = double_pendulum_absolute(upper, lower), relative = double_pendulum_relative(upper, lower);
  for (int i = 0; i < 200; ++i) {
    const VecX q = random_vector(rng, 2, 3), u = random_vector(rng, 2, 2);
    const VecX q_r = relative_angles(q), u_r = relative_speeds(u);
    EXPECT_NEAR(kinetic_energy(absolute, q, u).value(), kinetic_energy(relative, q_r, u_r).value(), 1e-12);
    const VecX a = acceleration(absolute, q, u).value(), a_r = acceleration(relative, q_r, u_r).value();
    EXPECT_LT((relative_speeds(a) - a_r).norm(), 1e-10 * (1 + a.norm()));
    const ContactPoint at = contact_at(absolute, "floor", q).value(), at_r = contact_at(relative, "floor", q_r).value();
    EXPECT_LT((at.point - at_r.point).norm(), 1e-14);
    const auto one = respond(absolute, "floor", q, u), two = respond(relative, "floor", q_r, u_r);
    ASSERT_TRUE(one && two);
    EXPECT_LT((one->W - two->W).norm(), 1e-11 * one->W.norm());
    EXPECT_LT((one->V - two->V).norm(), 1e-13);
    if (!(one->contact.approach_speed() > 1e-3)) continue;
    const Routh law{0.6, 0.3, -1, Restitution::stronge};
    const Vec3 P = collide(law, one->contact).value().P, P_r = collide(law, two->contact).value().P;
    EXPECT_LT((relative_speeds(one->after(P)) - two->after(P_r)).norm(), 1e-9);
  }
}

TEST(Lagrangian, ProbingAccelerationsGivesTheSameMobility) {
  // CR98 appendix A.1: four accelerations of the contact point, whatever else acts on the mechanism.
  const Lagrangian system = double_pendulum_absolute({1.1, 2}, {0.8, 0.5});
  const VecX q = Eigen::Vector2d(0.3, 0.9), u = Eigen::Vector2d(-1, 2);
  const Response direct = respond(system, "floor", q, u).value();
  const MatX J = contact_at(system, "floor", q).value().J;
  const auto probed =
      probe_mobility([&](const Vec3& F) -> Vec3 { return J * acceleration(system, q, u, "floor", F).value(); });
  ASSERT_TRUE(probed) << probed.error().message();
  EXPECT_LT((*probed - direct.W).norm(), 1e-11 * direct.W.norm());
}

TEST(Lagrangian, AFreeSpatialBodyIsARigidBody) {
  Rng rng(15);
  for (int i = 0; i < 100; ++i) {
    RigidBody body;
    body.mass = uniform(rng, 0.5, 2);
    body.inertia = Vec3(1.0, 1.2, 1.5).asDiagonal();
    body.orientation = Quaternion(Eigen::Quaterniond(testing::random_rotation(rng)).normalized());
    body.position = random_vector(rng, 3, 2);
    body.velocity = random_vector(rng, 3, 2);
    body.angular_velocity = random_vector(rng, 3, 2);
    const Vec3 arm = random_vector(rng, 3, 1);
    const Lagrangian system = free_spatial_body(body.mass, body.inertia, {{"corner", arm}});
    VecX q(7), u(6);
    q << body.position, body.orientation.w(), body.orientation.vec();
    u << body.velocity, body.angular_velocity;
    const ContactPoint at = contact_at(system, "corner on floor", q).value();
    const Response response = respond(system, "corner on floor", q, u).value();
    EXPECT_LT((response.W - mobility(body, at.point).value()).norm(), 1e-13 * response.W.norm());
    EXPECT_LT((response.V - velocity_at(body, at.point)).norm(), 1e-13);
    const Vec3 P = random_vector(rng, 3, 1);
    const RigidBody after = apply_impulse(body, at.point, P).value();
    EXPECT_LT((response.after(P).head(3) - after.velocity).norm(), 1e-12);
    EXPECT_LT((response.after(P).tail(3) - after.angular_velocity).norm(), 1e-12);
    EXPECT_NEAR(kinetic_energy(system, q, u).value(), kinetic_energy(body), 1e-12);
    // Euler's equations: no torque changes the spin.
    const VecX a = acceleration(system, q, u).value();
    const Mat3 R = body.orientation.toRotationMatrix();
    const Mat3 J = R * body.inertia * R.transpose();
    const Vec3 omega = body.angular_velocity;
    EXPECT_LT((J * a.tail(3) + omega.cross(J * omega)).norm(), 1e-12);
  }
}

TEST(Lagrangian, TwoSystemsCollide_MomentumIsTheirs) {
  // A pendulum's tip strikes a free body: the free body gains the impulse, the pendulum its moment about the hinge.
  const double length = 1.4;
  Lagrangian both = join("pendulum", single_pendulum({length, 2}), "block",
                         free_planar_body(0.7, 0.05, {{"side", Vec3(-0.2, 0, 0.1)}}))
                        .value();
  EXPECT_EQ(both.dof, 4);
  both.contacts.push_back({"hit", "pendulum.tip", "block.side", [](const VecX&) { return Vec3(Vec3::UnitX()); }, {}});
  const VecX q = Eigen::Vector4d(0.2, 0.5, -1.4, 0.0), u = Eigen::Vector4d(3, 0, 0, 0);
  const Response response = respond(both, "hit", q, u).value();
  ASSERT_GT(response.contact.approach_speed(), 0);
  const auto out = collide(Routh{0.5, 0.4}, response.contact).value();
  const VecX du = response.after(out.P) - u;
  EXPECT_NEAR(0.7 * du(1), out.P.x(), 1e-14);
  EXPECT_NEAR(0.7 * du(2), out.P.z(), 1e-14);
  EXPECT_NEAR(0.05 * du(3), -0.2 * out.P.z() - 0.1 * out.P.x(), 1e-14);
  const double moment = -out.P.x() * length * std::cos(0.2) - out.P.z() * length * std::sin(0.2);
  EXPECT_NEAR(2 * length * length / 3 * du(0), moment, 1e-13);
  EXPECT_NEAR(kinetic_energy(both, q, u + du).value() - kinetic_energy(both, q, u).value(), out.energy_change, 1e-13);
}

TEST(Lagrangian, TwoBodiesOfOneSystem_OnlyTheirRelativeMotionCounts) {
  // Two blocks written as one system of six speeds; a common velocity changes nothing at their contact.
  Lagrangian pair = join("left", free_planar_body(1, 0.1, {{"a", Vec3(0.3, 0, 0.1)}}), "right",
                         free_planar_body(2, 0.2, {{"b", Vec3(-0.2, 0, -0.1)}}))
                        .value();
  pair.contacts.push_back({"meet", "left.a", "right.b", [](const VecX&) { return Vec3(Vec3::UnitX()); }, {}});
  VecX q = VecX::Zero(6), u(6), drift(6);
  q(3) = 0.5;
  q(4) = 0.2;
  u << 1, 0, 0.5, -1, 0.3, -0.2;
  drift << 3, -2, 0, 3, -2, 0;
  const auto one = respond(pair, "meet", q, u).value(), two = respond(pair, "meet", q, VecX(u + drift)).value();
  EXPECT_LT((one.V - two.V).norm(), 1e-14);
  EXPECT_NEAR(contact_at(pair, "meet", q).value().gap, 0, 1e-15);
  const Vec3 P = collide(Routh{0.5, 0.4}, one.contact).value().P;
  const VecX du = one.after(P) - u;
  EXPECT_NEAR(du(0) + 2 * du(3), 0, 1e-14);
  EXPECT_NEAR(du(1) + 2 * du(4), 0, 1e-14);
}

TEST(Lagrangian, GapIsTheHeightAboveTheFloor) {
  const Surroundings around{.gravity = 9.8, .floor = -1.5};
  const Lagrangian system = single_pendulum({2, 1}, around);
  EXPECT_NEAR(contact_at(system, "floor", VecX::Constant(1, std::numbers::pi / 3)).value().gap, 0.5, 1e-14);
}

TEST(Lagrangian, WrongSizesAndNamesAreNamedErrors) {
  Lagrangian system = double_pendulum_absolute({2, 3}, {2, 3});
  const VecX two = Eigen::Vector2d(0.3, 0.5), three = Vec3(0, 0, 1);
  EXPECT_EQ(respond(system, "floor", three, two).error().path, "q");
  EXPECT_EQ(respond(system, "floor", two, three).error().path, "u");
  EXPECT_EQ(respond(system, "wall", two, two).error().path, "contact");
  EXPECT_EQ(respond(system, "floor", Eigen::Vector2d(NAN, 0), two).error().path, "q");
  EXPECT_EQ(kinetic_energy(system, two, three).error().path, "u");
  EXPECT_EQ(acceleration(system, two, three).error().path, "u");
  EXPECT_EQ(join("a", system, "a", system).error().path, "name");

  Lagrangian heavy = system;
  heavy.mass = [](const VecX&) -> MatX { return -MatX::Identity(2, 2); };
  EXPECT_EQ(respond(heavy, "floor", two, two).error().path, "mass");
  heavy.mass = [](const VecX&) -> MatX { return MatX::Identity(3, 3); };
  EXPECT_EQ(respond(heavy, "floor", two, two).error().path, "mass");
  heavy.mass = [](const VecX&) -> MatX { return (Mat2() << 2, 1, 0, 2).finished(); };
  EXPECT_EQ(respond(heavy, "floor", two, two).error().path, "mass");
  system.points.back().jacobian = [](const VecX&) -> MatX { return MatX::Zero(2, 2); };
  EXPECT_EQ(respond(system, "floor", two, two).error().path, "jacobian");
  system.contacts.back().second = "toe";
  EXPECT_EQ(respond(system, "floor", two, two).error().path, "point");

  const Lagrangian body = free_spatial_body(1, Mat3::Identity(), {{"a", Vec3::UnitX()}});
  EXPECT_EQ(respond(body, "a on floor", VecX::Zero(7), VecX::Zero(6)).error().path, "q");
  VecX q = VecX::Zero(7);
  q(3) = 1;
  const Lagrangian impossible = free_spatial_body(1, Vec3(1, 1, 3).asDiagonal(), {{"a", Vec3::UnitX()}});
  EXPECT_EQ(respond(impossible, "a on floor", q, VecX::Zero(6)).error().path, "inertia");
}

}  // namespace
}  // namespace ricochet
