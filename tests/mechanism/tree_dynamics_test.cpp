/// Motion of trees: what differences of velocities, the mass matrix and one free body say of it.

#include "ricochet/mechanism/tree_dynamics.hpp"

#include <gtest/gtest.h>

#include "random_tree.hpp"

namespace ricochet {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

struct Drawn {
  Tree tree;
  VecX q, u;
  Kinematics posture;
};

Drawn draw(Rng& rng, int links) {
  Drawn out;
  out.tree = random_tree(rng, links);
  out.q = random_position(rng, out.tree);
  out.u = random_speeds(rng, out.tree.speed_count());
  out.posture = *forward_kinematics(out.tree, out.q);
  return out;
}

TEST(TreeDynamics, VelocitiesAreThoseOfTheJacobian) {
  Rng rng(1);
  for (int round = 0; round < 100; ++round) {
    const Drawn d = draw(rng, 1 + round % 8);
    const auto motions = link_motions(d.tree, d.posture, d.u);
    for (std::size_t i = 0; i < d.tree.links.size(); ++i) {
      const MatX J = link_jacobian(d.tree, d.posture, static_cast<int>(i));
      const MatX at_centre = point_jacobian(d.tree, d.posture, static_cast<int>(i), d.posture.places[i].centre);
      EXPECT_LT((J.topRows<3>() - at_centre).norm(), 1e-12 * (1 + at_centre.norm()));
      EXPECT_LT((motions[i].velocity - at_centre * d.u).norm(), 1e-12 * (1 + d.u.norm()) * (1 + at_centre.norm()));
      EXPECT_LT((motions[i].angular_velocity - J.bottomRows<3>() * d.u).norm(), 1e-12 * (1 + d.u.norm()));
    }
  }
}

// At constant speeds a link's acceleration is the rate of its velocity: a central difference in two steps.
TEST(TreeDynamics, AccelerationsAreRatesOfVelocities) {
  Rng rng(2);
  for (int round = 0; round < 60; ++round) {
    const Drawn d = draw(rng, 1 + round % 6);
    const auto motions = link_motions(d.tree, d.posture, d.u);
    const auto difference = [&](double h) {
      std::vector<LinkMotion> out;
      const VecX after = *advance(d.tree, d.q, d.u, h), before = *advance(d.tree, d.q, d.u, -h);
      const auto a = link_motions(d.tree, *forward_kinematics(d.tree, after), d.u);
      const auto b = link_motions(d.tree, *forward_kinematics(d.tree, before), d.u);
      for (std::size_t i = 0; i < a.size(); ++i)
        out.push_back({Vec3::Zero(), Vec3::Zero(), (a[i].velocity - b[i].velocity) / (2 * h),
                       (a[i].angular_velocity - b[i].angular_velocity) / (2 * h)});
      return out;
    };
    const auto coarse = difference(2e-4), fine = difference(1e-4);
    for (std::size_t i = 0; i < motions.size(); ++i) {
      const Vec3 a = (4 * fine[i].acceleration - coarse[i].acceleration) / 3;
      const Vec3 alpha = (4 * fine[i].angular_acceleration - coarse[i].angular_acceleration) / 3;
      EXPECT_LT((motions[i].acceleration - a).norm(), 1e-8 * (1 + a.norm()));
      EXPECT_LT((motions[i].angular_acceleration - alpha).norm(), 1e-8 * (1 + alpha.norm()));
    }
  }
}

// Forces do as much work at the links as their generalised force does at the joints.
TEST(TreeDynamics, GeneralisedForceHasThePowerOfTheForces) {
  Rng rng(3);
  for (int round = 0; round < 100; ++round) {
    const Drawn d = draw(rng, 1 + round % 8);
    std::vector<LinkForce> forces(d.tree.links.size());
    for (LinkForce& f : forces) f = {testing::random_vector(rng, 3), testing::random_vector(rng, 3)};
    const auto motions = link_motions(d.tree, d.posture, d.u);
    double power = 0, size = 0;
    for (std::size_t i = 0; i < forces.size(); ++i) {
      const double own = forces[i].force.dot(motions[i].velocity) + forces[i].torque.dot(motions[i].angular_velocity);
      power += own;
      size += std::abs(own);
    }
    EXPECT_NEAR(generalised_force(d.tree, d.posture, forces).dot(d.u), power, 1e-12 * (1 + size));
  }
}

// d/dt ½ uᵀ𝓜u = u·(𝓜 u̇ + b): without forces the kinetic energy of every tree stays, which (G15) has to bring about.
TEST(TreeDynamics, BiasForceKeepsTheEnergy) {
  Rng rng(4);
  for (int round = 0; round < 60; ++round) {
    const Drawn d = draw(rng, 1 + round % 6);
    const auto energy = [&](double h) {
      const Kinematics there = *forward_kinematics(d.tree, *advance(d.tree, d.q, d.u, h));
      return 0.5 * d.u.dot(mass_matrix(d.tree, there) * d.u);
    };
    // At u̇ = 0 the energy changes at the rate u·b.
    const double h = 1e-4;
    const double rate = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h), whole = energy(0);
    const VecX b = bias_force(d.tree, d.posture, link_motions(d.tree, d.posture, d.u));
    EXPECT_NEAR(d.u.dot(b), rate, 1e-8 * (1 + whole + b.norm() * d.u.norm()));
  }
}

TEST(TreeDynamics, PositionRatesAreThoseOfAdvance) {
  Rng rng(5);
  for (int round = 0; round < 60; ++round) {
    const Drawn d = draw(rng, 1 + round % 6);
    const double h = 1e-5;
    const VecX numeric = (*advance(d.tree, d.q, d.u, h) - *advance(d.tree, d.q, d.u, -h)) / (2 * h);
    EXPECT_LT((position_rates(d.tree, d.q, d.u) - numeric).norm(), 1e-8 * (1 + d.u.norm()));
  }
}

}  // namespace
}  // namespace ricochet
