#pragma once
/// The numbers of a random or extreme collision by index (docs/batch.md), as a kernel: a thread of a device draws what
/// the processor draws, to rounding of sin, cos and pow.

#include <Eigen/Geometry>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ricochet/base/linear.hpp"
#include "ricochet/batch/indexed_random.hpp"

namespace ricochet {

/// Collisions whose indices have the same quotient by this are given by M, or all by W.
inline constexpr std::uint64_t drawn_alike = 4096;

/// What contacts a law is made for.
enum class DrawKind : std::uint8_t { general, sphere, planar };

struct DrawnNumbers {
  Mat3 A;  ///< M where `mass_given`, else W
  bool mass_given = true;
  Vec3 V, n;
  double e, e_t, mu, mu_s, nu, mu_2, mu_3, psi_1, psi_2, rho, sigma, kappa;
  double smooth;              ///< 0 for most
  bool mu_s_given;            ///< else mu_s = mu
  std::uint64_t restitution;  ///< 0 to 2: Poisson's, Stronge's, Newton's
  Vec3 target;
  double e_v, e_i, mu_v, mu_i;  ///< zero for some
};

namespace draw_detail {

RICOCHET_HD inline Vec3 unit(IndexedRandom& random) {
  const double z = random.uniform(-1, 1), angle = random.uniform(0, 6.283185307179586);
  const double r = std::sqrt((1 - z) * (1 + z));
  return {r * std::cos(angle), r * std::sin(angle), z};
}

/// Uniform: a unit quaternion of three uniform numbers (Shoemake 1992).
RICOCHET_HD inline Mat3 rotation(IndexedRandom& random) {
  const double u = random.uniform(0, 1), a = random.uniform(0, 6.283185307179586),
               b = random.uniform(0, 6.283185307179586);
  const double r = std::sqrt(1 - u), s = std::sqrt(u);
  return Eigen::Quaterniond(s * std::cos(b), r * std::sin(a), r * std::cos(a), s * std::sin(b)).toRotationMatrix();
}

RICOCHET_HD inline Mat3 symmetric(const Mat3& A) { return 0.5 * (A + A.transpose()); }

/// Eigenvalues over up to ten decades, at times two or three of them equal.
RICOCHET_HD inline Vec3 eigenvalues(IndexedRandom& random) {
  const double decades = random.chance(0.5) ? 1 : random.uniform(0, 10);
  const double scale = random.log_uniform(-1, 1);
  Vec3 lambda;
  for (int i = 0; i < 3; ++i) lambda(i) = scale * random.log_uniform(-decades / 2, decades / 2);
  const double kind = random.uniform(0, 1);
  if (kind < 0.1) lambda(1) = lambda(0);
  if (kind < 0.02) lambda(2) = lambda(0);
  return lambda;
}

/// Mostly general; one time in eight grazing (angle to the surface 1e-10 to 1e-2), one time in eight along the normal.
/// `t` is a unit tangent.
RICOCHET_HD inline Vec3 approach(IndexedRandom& random, const Vec3& n, const Vec3& t) {
  const double speed = random.log_uniform(-1, 1);
  const double kind = random.uniform(0, 1);
  if (kind < 0.125) return -speed * n;
  const double angle = kind < 0.25 ? random.log_uniform(-10, -2) : random.uniform(0.01, 1.55);
  return speed * (std::cos(angle) * t - std::sin(angle) * n);
}

RICOCHET_HD inline Vec3 tangent(IndexedRandom& random, const Vec3& n) {
  const Vec3 other = unit(random);
  const Vec3 t = other - n.dot(other) * n;
  const double length = t.norm();
  return length > 1e-3 ? Vec3(t / length) : Vec3(n.unitOrthogonal());
}

RICOCHET_HD inline void general(IndexedRandom& random, DrawnNumbers& c) {
  const Vec3 lambda = eigenvalues(random);
  const bool aligned = random.chance(0.1);
  const Mat3 Q = aligned ? Mat3(Mat3::Identity()) : rotation(random);
  c.A = symmetric(Q * lambda.asDiagonal() * Q.transpose());
  c.n = unit(random);
  if (random.chance(0.1)) c.n = Q.col(static_cast<int>(random.below(3)));  // no coupling with the tangents
  c.V = approach(random, c.n, tangent(random, c.n));
}

/// Diagonal in n and the tangents, as for spheres.
RICOCHET_HD inline void sphere(IndexedRandom& random, DrawnNumbers& c) {
  c.n = random.chance(0.1) ? Vec3(Vec3::Unit(static_cast<int>(random.below(3)))) : unit(random);
  const double m_n = random.log_uniform(-2, 2), m_t = random.log_uniform(-2, 2);
  c.A = symmetric(m_n * c.n * c.n.transpose() + m_t * (Mat3::Identity() - c.n * c.n.transpose()));
  c.V = approach(random, c.n, tangent(random, c.n));
}

/// Axis 3 of the input uncoupled, n and V in the plane of the others.
RICOCHET_HD inline void planar(IndexedRandom& random, DrawnNumbers& c) {
  const Vec3 lambda = eigenvalues(random);
  const double angle = random.uniform(0, 3.141592653589793), turn = random.uniform(0, 6.283185307179586);
  const double cs = std::cos(angle), sn = std::sin(angle);
  c.A.setZero();
  c.A(0, 0) = lambda(0) * cs * cs + lambda(1) * sn * sn;
  c.A(1, 1) = lambda(0) * sn * sn + lambda(1) * cs * cs;
  c.A(0, 1) = c.A(1, 0) = (lambda(0) - lambda(1)) * cs * sn;
  c.A(2, 2) = lambda(2);
  const bool aligned = random.chance(0.2);
  const Vec3 n = aligned ? Vec3(1, 0, 0) : Vec3(std::cos(turn), std::sin(turn), 0);
  const double side = random.chance(0.5) ? 1 : -1;
  c.n = n;
  c.V = approach(random, n, Vec3(-side * n.y(), side * n.x(), 0));
}

/// In [0, 1], both ends often.
RICOCHET_HD inline double restitution(IndexedRandom& random) {
  const double kind = random.uniform(0, 1);
  if (kind < 0.15) return 0;
  if (kind < 0.3) return 1;
  return random.uniform(0, 1);
}

/// 0, tiny, ordinary, large or infinite.
RICOCHET_HD inline double friction(IndexedRandom& random) {
  const double kind = random.uniform(0, 1);
  if (kind < 0.08) return 0;
  if (kind < 0.16) return random.log_uniform(-12, -4);
  if (kind < 0.24) return random.log_uniform(2, 12);
  if (kind < 0.32) return std::numeric_limits<double>::infinity();
  return random.uniform(0, 3);
}

/// In [−1, 1], ends and middle often.
RICOCHET_HD inline double tangential(IndexedRandom& random) {
  const double kind = random.uniform(0, 1);
  if (kind < 0.1) return -1;
  if (kind < 0.2) return 0;
  if (kind < 0.3) return 1;
  return random.uniform(-1, 1);
}

/// How much a coefficient varies: not at all, ordinarily, or so much that its limits decide.
RICOCHET_HD inline double grade(IndexedRandom& random) {
  const double kind = random.uniform(0, 1);
  if (kind < 0.15) return 0;
  if (kind < 0.25) return random.uniform(-1, 1) * random.log_uniform(0, 6);
  return random.uniform(-1, 1);
}

RICOCHET_HD inline void parameters(IndexedRandom& random, DrawnNumbers& c) {
  c.e = restitution(random);
  c.e_t = tangential(random);
  c.mu = friction(random);
  c.mu_s_given = random.chance(0.5);
  c.mu_s = c.mu_s_given ? c.mu * random.uniform(1, 2) : c.mu;
  c.restitution = random.below(3);
  c.nu = random.uniform(0, 1);
  c.mu_2 = random.uniform(0, 0.5);
  c.mu_3 = random.uniform(-0.3, 0.3);
  c.psi_1 = random.uniform(0, 3.14);
  c.psi_2 = random.uniform(0, 6.28);
  c.rho = random.uniform(0, 1);
  c.sigma = random.uniform(0, 1);
  c.kappa = random.log_uniform(-2, 2);
  c.smooth = random.chance(0.1) ? random.uniform(0.01, 1) : 0;
  c.target = Vec3(3 * c.V.norm() * (c.mass_given ? c.A.norm() : 1 / c.A.norm()) * unit(random));
  c.e_v = grade(random);
  c.e_i = grade(random);
  c.mu_v = grade(random);
  c.mu_i = grade(random);
}

}  // namespace draw_detail

[[nodiscard]] RICOCHET_HD inline DrawnNumbers draw_numbers(DrawKind kind, std::uint64_t seed, std::uint64_t index) {
  IndexedRandom random(seed, index);
  DrawnNumbers c;
  c.mass_given = index / drawn_alike % 2 == 0;
  switch (kind) {
    case DrawKind::general: draw_detail::general(random, c); break;
    case DrawKind::sphere: draw_detail::sphere(random, c); break;
    case DrawKind::planar: draw_detail::planar(random, c); break;
  }
  draw_detail::parameters(random, c);
  // A reversible share is not negative.
  if (kind == DrawKind::planar) c.e_t = std::abs(c.e_t);
  return c;
}

}  // namespace ricochet
