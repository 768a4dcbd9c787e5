#pragma once
/// Arrangements for methods that take all contacts at once, and what must hold for their answers.

#include <gtest/gtest.h>

#include "ricochet/complementarity/joint_outcome.hpp"
#include "simultaneous/arrangements.hpp"

namespace ricochet::testing {

/// A random graph that moves in the plane of x and z only.
inline BodyScene random_planar_graph(Rng& rng, std::size_t bodies, std::size_t contacts, std::size_t walls) {
  BodyScene a;
  for (std::size_t i = 0; i < bodies; ++i) {
    RigidBody body;
    body.fixed = i < walls;
    body.mass = log_uniform(rng, -0.5, 0.5);
    body.inertia = body.mass * Vec3(0.1, uniform(rng, 0.05, 0.15), 0.1).asDiagonal().toDenseMatrix();
    body.position = Vec3(uniform(rng, -2, 2), 0, uniform(rng, -2, 2));
    if (!body.fixed) {
      body.velocity = Vec3(uniform(rng, -2, 2), 0, uniform(rng, -2, 2));
      body.angular_velocity = Vec3(0, uniform(rng, -3, 3), 0);
    }
    a.bodies.push_back(body);
  }
  while (a.contacts.size() < contacts) {
    const std::size_t i = rng() % bodies;
    const std::size_t j = rng() % bodies;
    if (i == j || (i < walls && j < walls)) continue;
    const double angle = uniform(rng, 0, 6.3);
    ContactSpec t{
        i, j, 0.5 * (a.bodies[i].position + a.bodies[j].position), Vec3(std::cos(angle), 0, std::sin(angle)), {}};
    t.point += Vec3(uniform(rng, -0.4, 0.4), 0, uniform(rng, -0.4, 0.4));
    t.law = PfeifferGlocker{.e_k = chance(rng, 0.2) ? 0 : uniform(rng, 0, 1),
                            .nu = chance(rng, 0.3) ? 0 : uniform(rng, 0, 1),
                            .e_t = uniform(rng, 0, 1),
                            .mu = chance(rng, 0.2) ? 0 : uniform(rng, 0, 1.2)};
    a.contacts.push_back(t);
  }
  return a;
}

/// A box that falls flat on its four lower corners, moving sideways.
inline BodyScene box_on_corners(const Law& law, const Vec3& velocity) {
  BodyScene a;
  a.bodies.push_back({.fixed = true});
  a.bodies.push_back(
      {.mass = 2, .inertia = Vec3(0.03, 0.03, 0.04).asDiagonal(), .position = {0, 0, 0.1}, .velocity = velocity});
  for (const double x : {-0.2, 0.2})
    for (const double y : {-0.2, 0.2}) a.contacts.push_back({0, 1, {x, y, 0}, Vec3::UnitZ(), law});
  return a;
}

/// Momentum of bodies that no wall touches, impulses in their cones, no approach, and ΔE as it is reported.
inline void expect_consistent(const BodyScene& a, const Assembled& assembled, const JointOutcome& out,
                              double tolerance) {
  const double speed = assembled.problem.speed();
  const auto after = moved(a, assembled, out.u);
  const double E = energy(a.bodies);
  EXPECT_NEAR(energy(after) - E, out.energy_change, tolerance * (1 + E));
  EXPECT_LE(out.remaining, tolerance * speed);
  for (std::size_t i = 0; i < a.contacts.size(); ++i) {
    const Vec3 n = a.contacts[i].n.normalized();
    EXPECT_GE(n.dot(out.G[i]), -tolerance * (1 + out.G[i].norm())) << i;
    EXPECT_LT((out.V[i] - assembled.problem.velocity(i, out.u)).norm(), 1e-12 * (1 + speed));
  }
}

inline void expect_in_cones(const BodyScene& a, const JointOutcome& out, const std::vector<ContactParameters>& given,
                            double tolerance) {
  for (std::size_t i = 0; i < a.contacts.size(); ++i) {
    const Vec3 n = a.contacts[i].n.normalized();
    const double P_n = n.dot(out.G[i]);
    if (!std::isfinite(given[i].mu)) continue;
    EXPECT_LE((out.G[i] - P_n * n).norm(), given[i].mu * P_n + tolerance * (1 + out.G[i].norm())) << i;
  }
}

}  // namespace ricochet::testing
