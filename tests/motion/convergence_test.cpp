/// The order of the integrator of bodies in contact and of mechanisms: a pendulum in steps of equal length.

#include <gtest/gtest.h>

#include <array>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <limits>

#include "motion/island.hpp"
#include "motion/worlds.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr double rod_length = 1.2, rod_weight = 0.7;

/// θ̈ = −(3/2)(g/L) sin θ of a uniform rod about its end, in long double.
std::array<long double, 2> swung(std::array<long double, 2> x, long double duration) {
  const auto rate = [](const std::array<long double, 2>& s, std::array<long double, 2>& d, long double) {
    d = {s[1], -1.5L * static_cast<long double>(gravity) / static_cast<long double>(rod_length) * std::sin(s[0])};
  };
  namespace ode = boost::numeric::odeint;
  using Stepper = ode::runge_kutta_fehlberg78<std::array<long double, 2>, long double>;
  ode::integrate_adaptive(ode::make_controlled(1e-18L, 1e-18L, Stepper()), rate, x, 0.0L, duration, 1e-3L);
  return x;
}

Mechanism swinging_rod() {
  Mechanism out;
  Link link;
  link.name = "rod";
  link.joint = JointType::revolute;
  link.axis = -Vec3::UnitY();
  link.mass = rod_weight;
  link.centre = {0, 0, -rod_length / 2};
  link.inertia = rod_weight * rod_length * rod_length / 12 * Vec3(1, 1, 0.01).asDiagonal();
  out.tree.links.push_back(link);
  out.q = VecX::Constant(1, 2.1);
  out.u = VecX::Zero(1);
  out.bodies = {0};
  out.links = {0};
  return out;
}

TEST(Convergence, MechanismsAreIntegratedWithOrderEight) {
  const Mechanism mechanism = swinging_rod();
  RigidBody inertia;
  inertia.mass = rod_weight;
  inertia.inertia = mechanism.tree.links[0].inertia;
  const double T = 2;
  const auto end = swung({2.1L, 0}, T);
  std::vector<double> errors;
  for (const int steps : {16, 32, 64}) {
    Island island;
    island.gravity = {0, 0, -gravity};
    island.tolerance = std::numeric_limits<double>::infinity();
    IslandBody body;
    body.inertia = &inertia;
    const std::array<IslandBody, 1> own{body};
    island.add(mechanism, own, mechanism.q, mechanism.u);
    const double h = T / steps;
    for (int k = 0; k < steps; ++k) {
      island.start = k * h;
      island.next_step = h;
      ASSERT_TRUE(island.take_step(h));
      ASSERT_EQ(island.step, h);
      island.y = island.y_end;
    }
    errors.push_back(std::abs(island.y(0) - static_cast<double>(end[0])));
  }
  Deviation coarse("error_at_T_16"), middle("error_at_T_32"), fine("error_at_T_64");
  coarse.add(errors[0], 0, 1);
  middle.add(errors[1], 0, 1);
  fine.add(errors[2], 0, 1);
  // Four times the steps, 4⁸ times the accuracy; one halving alone may have more or less, as terms of the error cancel.
  EXPECT_GT(std::log2(errors[0] / errors[2]) / 2, 7.5);
  EXPECT_LT(errors[1], errors[0] / 100);
}

}  // namespace
}  // namespace ricochet::motion
