#pragma once
/// Arrangements whose outcome is known, and random ones.

#include <cmath>
#include <vector>

#include "random_contact.hpp"
#include "ricochet/simultaneous/assemble.hpp"
#include "ricochet/simultaneous/sequence.hpp"

namespace ricochet::testing {

inline RigidBody ball(double mass, double radius, const Vec3& position, const Vec3& velocity = Vec3::Zero()) {
  return {.mass = mass,
          .inertia = 0.4 * mass * radius * radius * Mat3::Identity(),
          .position = position,
          .velocity = velocity};
}

/// Touching balls of radius ½ along x, the first one moving at `speed`.
inline BodyScene row_of_balls(const std::vector<double>& masses, const std::vector<double>& speeds, const Law& law) {
  BodyScene a;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const auto x = static_cast<double>(i);
    a.bodies.push_back(ball(masses[i], 0.5, {x, 0, 0}, {speeds[i], 0, 0}));
    if (i > 0) a.contacts.push_back({i - 1, i, {x - 0.5, 0, 0}, Vec3::UnitX(), law});
  }
  return a;
}

/// A uniform rod of length 2 m and mass 1 kg along x, both ends on a floor, falling flat at 1 m/s.
inline BodyScene flat_rod(const Law& law) {
  BodyScene a;
  a.bodies.push_back({.fixed = true});
  a.bodies.push_back({.mass = 1, .inertia = Vec3(0, 1.0 / 3, 1.0 / 3).asDiagonal(), .velocity = {0, 0, -1}});
  a.contacts.push_back({0, 1, {-1, 0, 0}, Vec3::UnitZ(), law});
  a.contacts.push_back({0, 1, {1, 0, 0}, Vec3::UnitZ(), law});
  return a;
}

/// A ball that touches two walls and moves from one to the other.
inline BodyScene between_walls(double e) {
  BodyScene a;
  a.bodies.push_back({.fixed = true});
  a.bodies.push_back(ball(2, 0.5, Vec3::Zero(), {3, 0, 0}));
  a.contacts.push_back({0, 1, {0.5, 0, 0}, -Vec3::UnitX(), Frictionless{e}});
  a.contacts.push_back({0, 1, {-0.5, 0, 0}, Vec3::UnitX(), Frictionless{e}});
  return a;
}

/// Approach speeds of the collisions of two coupled contacts with W₁₂ = −½ W₁₁, and how they end (Q5). Both ways of
/// writing a_k are closed forms; this is the one with the angle.
struct TwoContacts {
  int collisions = 0;
  double last = 0;   ///< separation speed of the contact that was struck last
  double other = 0;  ///< of the other
};
inline TwoContacts two_contacts(double e, double a_1, double a_2) {
  const double phi = std::acos((1 + e) / (4 * std::sqrt(e)));
  const double C = (a_2 / std::sqrt(e) - a_1 * std::cos(phi)) / std::sin(phi);
  const auto a = [&](int k) {
    return std::pow(e, 0.5 * (k - 1)) * (a_1 * std::cos((k - 1) * phi) + C * std::sin((k - 1) * phi));
  };
  int k = 1;
  while (a(k) > 1e-13) ++k;
  return {k - 1, e * a(k - 1), -a(k)};
}

inline Vec3 momentum(const std::vector<RigidBody>& bodies) {
  Vec3 p = Vec3::Zero();
  for (const RigidBody& b : bodies)
    if (!b.fixed) p += b.mass * b.velocity;
  return p;
}

inline Vec3 angular_momentum(const std::vector<RigidBody>& bodies) {
  Vec3 l = Vec3::Zero();
  for (const RigidBody& b : bodies) {
    if (b.fixed) continue;
    const Mat3 R = b.orientation.toRotationMatrix();
    l += b.position.cross(b.mass * b.velocity) + R * (b.inertia * (R.transpose() * b.angular_velocity));
  }
  return l;
}

inline double energy(const std::vector<RigidBody>& bodies) {
  double E = 0;
  for (const RigidBody& b : bodies) E += kinetic_energy(b);
  return E;
}

inline RigidBody random_body(Rng& rng) {
  RigidBody body;
  body.mass = log_uniform(rng, -1, 1);
  const Vec3 side(uniform(rng, 0.3, 1), uniform(rng, 0.3, 1), uniform(rng, 0.3, 1));
  const Vec3 s2 = side.cwiseProduct(side);
  body.inertia = Vec3(body.mass / 12 * Vec3(s2.y() + s2.z(), s2.z() + s2.x(), s2.x() + s2.y())).asDiagonal();
  body.orientation = Quaternion(random_rotation(rng));
  body.position = Vec3(uniform(rng, -2, 2), uniform(rng, -2, 2), uniform(rng, -2, 2));
  body.velocity = uniform(rng, 0, 3) * random_unit(rng);
  body.angular_velocity = uniform(rng, 0, 3) * random_unit(rng);
  return body;
}

/// Bodies anywhere, contacts between any two of them: a graph, not a geometry. `walls` of them are fixed.
inline BodyScene random_graph(Rng& rng, std::size_t bodies, std::size_t contacts, std::size_t walls) {
  BodyScene a;
  for (std::size_t i = 0; i < bodies; ++i) {
    a.bodies.push_back(random_body(rng));
    a.bodies[i].fixed = i < walls;
    if (i < walls) a.bodies[i].velocity = a.bodies[i].angular_velocity = Vec3::Zero();
  }
  while (a.contacts.size() < contacts) {
    const std::size_t i = rng() % bodies;
    const std::size_t j = rng() % bodies;
    if (i == j || (i < walls && j < walls)) continue;
    ContactSpec t{i, j, 0.5 * (a.bodies[i].position + a.bodies[j].position), random_unit(rng), Frictionless{}};
    t.point += uniform(rng, 0, 0.5) * random_unit(rng);
    const double e = uniform(rng, 0, 0.9);
    const double mu = chance(rng, 0.2) ? 0 : uniform(rng, 0, 1.5);
    switch (rng() % 4) {
      case 0: t.law = Frictionless{e}; break;
      case 1: t.law = ChatterjeeRuina{.e = e, .e_t = uniform(rng, -1, 1), .mu = mu}; break;
      case 2: t.law = Smith{.e = e, .mu = mu}; break;
      default: t.law = AnitescuPotra{.e_k = e, .mu = mu}; break;
    }
    a.contacts.push_back(t);
  }
  return a;
}

}  // namespace ricochet::testing
