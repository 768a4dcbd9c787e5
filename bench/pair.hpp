#pragma once
/// A problem as two rigid bodies, for engines that know no contact space: body/realize.hpp makes a pair with just this
/// mass matrix. B carries the relative velocity, A is at rest. A small ball on each body makes them touch at one point.

#include <stdexcept>

#include "problems.hpp"
#include "ricochet/body/realize.hpp"

namespace ricochet::bench {

struct Pair {
  RigidBody A, B;
  Vec3 point, n;
  double mu, e;
  double radius = 0.05;
  double overlap = 1e-6;
  Vec3 ball_A = Vec3::Zero(), ball_B = Vec3::Zero();  ///< centres of the balls, in body axes
};

inline Pair as_pair(const Problem& problem) {
  const auto made = realize(problem.contact.M);
  if (!made) throw std::logic_error("a benchmark contact has no bodies: " + made.error().message());
  Pair pair{.A = made->A, .B = made->B, .point = made->point, .n = problem.contact.n, .mu = problem.mu, .e = problem.e};
  pair.B.velocity = problem.contact.V;
  const Vec3 reach = (pair.radius - pair.overlap / 2) * pair.n;
  pair.ball_A = pair.A.orientation.inverse() * Vec3(pair.point - reach - pair.A.position);
  pair.ball_B = pair.B.orientation.inverse() * Vec3(pair.point + reach - pair.B.position);
  return pair;
}

/// Relative normal velocity after an engine's step.
inline double normal_velocity(const Pair& pair, const Vec3& v_A, const Vec3& omega_A, const Vec3& v_B,
                              const Vec3& omega_B) {
  const Vec3 at_A = v_A + omega_A.cross(pair.point - pair.A.position);
  const Vec3 at_B = v_B + omega_B.cross(pair.point - pair.B.position);
  return pair.n.dot(at_B - at_A);
}

}  // namespace ricochet::bench
