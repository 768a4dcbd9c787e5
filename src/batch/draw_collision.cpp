#include "ricochet/batch/draw_collision.hpp"

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <limits>

#include "ricochet/batch/indexed_random.hpp"

namespace ricochet {
namespace {

Vec3 unit(IndexedRandom& random) {
  const double z = random.uniform(-1, 1), angle = random.uniform(0, 6.283185307179586);
  const double r = std::sqrt((1 - z) * (1 + z));
  return {r * std::cos(angle), r * std::sin(angle), z};
}

/// Uniform: a unit quaternion of three uniform numbers (Shoemake 1992).
Mat3 rotation(IndexedRandom& random) {
  const double u = random.uniform(0, 1), a = random.uniform(0, 6.283185307179586),
               b = random.uniform(0, 6.283185307179586);
  const double r = std::sqrt(1 - u), s = std::sqrt(u);
  return Eigen::Quaterniond(s * std::cos(b), r * std::sin(a), r * std::cos(a), s * std::sin(b)).toRotationMatrix();
}

Mat3 symmetric(const Mat3& A) { return 0.5 * (A + A.transpose()); }

/// Eigenvalues over up to ten decades, at times two or three of them equal.
Vec3 eigenvalues(IndexedRandom& random) {
  const double decades = random.chance(0.5) ? 1 : random.uniform(0, 10);
  const double scale = random.log_uniform(-1, 1);
  Vec3 lambda;
  for (double& x : lambda) x = scale * random.log_uniform(-decades / 2, decades / 2);
  const double kind = random.uniform(0, 1);
  if (kind < 0.1) lambda(1) = lambda(0);
  if (kind < 0.02) lambda(2) = lambda(0);
  return lambda;
}

/// Mostly general; one time in eight grazing (angle to the surface 1e-10 to 1e-2), one time in eight along the normal.
/// `t` is a unit tangent.
Vec3 approach(IndexedRandom& random, const Vec3& n, const Vec3& t) {
  const double speed = random.log_uniform(-1, 1);
  const double kind = random.uniform(0, 1);
  if (kind < 0.125) return -speed * n;
  const double angle = kind < 0.25 ? random.log_uniform(-10, -2) : random.uniform(0.01, 1.55);
  return speed * (std::cos(angle) * t - std::sin(angle) * n);
}

Vec3 tangent(IndexedRandom& random, const Vec3& n) {
  const Vec3 other = unit(random);
  const Vec3 t = other - n.dot(other) * n;
  const double length = t.norm();
  return length > 1e-3 ? Vec3(t / length) : Vec3(n.unitOrthogonal());
}

void general(IndexedRandom& random, DrawnCollision& c) {
  const Vec3 lambda = eigenvalues(random);
  const bool aligned = random.chance(0.1);
  const Mat3 Q = aligned ? Mat3(Mat3::Identity()) : rotation(random);
  c.A = symmetric(Q * lambda.asDiagonal() * Q.transpose());
  c.n = unit(random);
  if (random.chance(0.1)) c.n = Q.col(static_cast<int>(random.below(3)));  // no coupling with the tangents
  c.V = approach(random, c.n, tangent(random, c.n));
}

/// Diagonal in n and the tangents, as for spheres.
void sphere(IndexedRandom& random, DrawnCollision& c) {
  c.n = random.chance(0.1) ? Vec3(Vec3::Unit(static_cast<int>(random.below(3)))) : unit(random);
  const double m_n = random.log_uniform(-2, 2), m_t = random.log_uniform(-2, 2);
  c.A = symmetric(m_n * c.n * c.n.transpose() + m_t * (Mat3::Identity() - c.n * c.n.transpose()));
  c.V = approach(random, c.n, tangent(random, c.n));
}

/// Axis 3 of the input uncoupled, n and V in the plane of the others.
void planar(IndexedRandom& random, DrawnCollision& c) {
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
double restitution(IndexedRandom& random) {
  const double kind = random.uniform(0, 1);
  if (kind < 0.15) return 0;
  if (kind < 0.3) return 1;
  return random.uniform(0, 1);
}

/// 0, tiny, ordinary, large or infinite.
double friction(IndexedRandom& random) {
  const double kind = random.uniform(0, 1);
  if (kind < 0.08) return 0;
  if (kind < 0.16) return random.log_uniform(-12, -4);
  if (kind < 0.24) return random.log_uniform(2, 12);
  if (kind < 0.32) return std::numeric_limits<double>::infinity();
  return random.uniform(0, 3);
}

/// In [−1, 1], ends and middle often.
double tangential(IndexedRandom& random) {
  const double kind = random.uniform(0, 1);
  if (kind < 0.1) return -1;
  if (kind < 0.2) return 0;
  if (kind < 0.3) return 1;
  return random.uniform(-1, 1);
}

void draw_parameters(IndexedRandom& random, const LawInfo& law, DrawnCollision& c) {
  static constexpr std::array<const char*, 3> restitutions{"poisson", "stronge", "newton"};
  LawParameters& p = c.parameters;
  p.e = restitution(random);
  p.e_t = tangential(random);
  p.mu = friction(random);
  if (random.chance(0.5)) p.mu_s = *p.mu * random.uniform(1, 2);
  p.restitution = restitutions[random.below(3)];
  p.nu = random.uniform(0, 1);
  p.mu_2 = random.uniform(0, 0.5);
  p.mu_3 = random.uniform(-0.3, 0.3);
  p.psi_1 = random.uniform(0, 3.14);
  p.psi_2 = random.uniform(0, 6.28);
  p.rho = random.uniform(0, 1);
  p.sigma = random.uniform(0, 1);
  p.kappa = random.log_uniform(-2, 2);
  if (random.chance(0.1)) p.smooth = random.uniform(0.01, 1);
  p.target = Vec3(3 * c.V.norm() * (c.mass_given ? c.A.norm() : 1 / c.A.norm()) * unit(random));
  // A reversible share is not negative; parts of a composite must be permissible, which Newton's rule need not be.
  if (law.planar) p.e_t = std::abs(*p.e_t);
  if (law.name == "composite") p.restitution = restitutions[0];
}

}  // namespace

DrawnCollision draw_collision(const LawInfo& law, std::uint64_t seed, std::uint64_t index) {
  IndexedRandom random(seed, index);
  DrawnCollision c;
  c.mass_given = index / drawn_alike % 2 == 0;
  if (law.planar) {
    planar(random, c);
  } else if (law.name == "bilinear") {
    sphere(random, c);
  } else {
    general(random, c);
  }
  draw_parameters(random, law, c);
  return c;
}

}  // namespace ricochet
