#pragma once
/// Random contact problems for property tests, the awkward ones included: ill-conditioned masses, grazing and normal
/// incidence, friction at its ends. Everything follows from the seed of the generator, on every platform: the standard
/// distributions are not used because their sequences are not specified.

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>

#include "ricochet/contact/contact.hpp"

namespace ricochet::testing {

using Rng = std::mt19937_64;

/// Uniform on [low, high).
inline double uniform(Rng& rng, double low, double high) {
  return low + (high - low) * (static_cast<double>(rng() >> 11) * 0x1p-53);
}

/// True with the given probability.
inline bool chance(Rng& rng, double probability) { return uniform(rng, 0, 1) < probability; }

/// 10^x, x uniform on [low, high).
inline double log_uniform(Rng& rng, double low, double high) { return std::pow(10.0, uniform(rng, low, high)); }

/// Uniform on the unit sphere (rejection from the ball).
inline Vec3 random_unit(Rng& rng) {
  for (;;) {
    const Vec3 v(uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1));
    const double length = v.norm();
    if (length > 1e-3 && length <= 1) return v / length;
  }
}

/// Proper rotation, uniform: a unit quaternion drawn from the ball in four dimensions.
inline Mat3 random_rotation(Rng& rng) {
  std::array<double, 4> q{};
  double length = 0;
  do {
    length = 0;
    for (double& x : q) {
      x = uniform(rng, -1, 1);
      length += x * x;
    }
    length = std::sqrt(length);
  } while (!(length > 1e-3 && length <= 1));
  for (double& x : q) x /= length;
  const auto [w, x, y, z] = q;
  Mat3 R;
  R << 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),  //
      2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),   //
      2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y);
  return R;
}

/// Symmetric positive definite with random axes; eigenvalues log-uniform, their ratio at most 10^log10_cond_max.
inline Mat3 random_mass(Rng& rng, double log10_cond_max) {
  const Mat3 Q = random_rotation(rng);
  const double scale = log_uniform(rng, -1, 1);
  const Vec3 lambda(scale * log_uniform(rng, -log10_cond_max / 2, log10_cond_max / 2),
                    scale * log_uniform(rng, -log10_cond_max / 2, log10_cond_max / 2),
                    scale * log_uniform(rng, -log10_cond_max / 2, log10_cond_max / 2));
  const Mat3 A = Q * lambda.asDiagonal() * Q.transpose();
  return 0.5 * (A + A.transpose());
}

/// Approaching velocity: mostly general, one time in eight grazing (angle to the surface 1e-10 to 1e-2), one time in
/// eight straight along the normal.
inline Vec3 random_approach(Rng& rng, const Vec3& n) {
  const double speed = log_uniform(rng, -1, 1);
  const double kind = uniform(rng, 0, 1);
  if (kind < 0.125) return -speed * n;
  Vec3 t = n.cross(random_unit(rng));
  while (t.norm() < 1e-3) t = n.cross(random_unit(rng));
  t.normalize();
  const double angle = kind < 0.25 ? log_uniform(rng, -10, -2) : uniform(rng, 0.01, 1.55);
  return speed * (std::cos(angle) * t - std::sin(angle) * n);
}

/// A checked contact that approaches. Half of them are given by M, half by W.
inline Contact random_contact(Rng& rng, double log10_cond_max) {
  const Mat3 A = random_mass(rng, log10_cond_max);
  const Vec3 n = random_unit(rng);
  const Vec3 V = random_approach(rng, n);
  const auto contact = chance(rng, 0.5) ? contact_from_mass(A, V, n) : contact_from_mobility(A, V, n);
  if (!contact) throw std::logic_error("random_contact made a contact that is refused: " + contact.error().message());
  return *contact;
}

/// As random_contact, but planar: local axis 3 uncoupled, in axes of the caller's choice being random.
inline Contact random_planar_contact(Rng& rng, double log10_cond_max) {
  const double angle = uniform(rng, 0, 3.14159265358979323846);
  const double scale = log_uniform(rng, -1, 1);
  const double a = scale * log_uniform(rng, -log10_cond_max / 2, log10_cond_max / 2);
  const double b = scale * log_uniform(rng, -log10_cond_max / 2, log10_cond_max / 2);
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  Mat3 A = Mat3::Zero();
  A(0, 0) = a * c * c + b * s * s;
  A(1, 1) = a * s * s + b * c * c;
  A(0, 1) = A(1, 0) = (a - b) * c * s;
  A(2, 2) = scale;
  const Vec3 plane = random_approach(rng, Vec3::UnitX());
  const double slip = std::hypot(plane.y(), plane.z()) * (chance(rng, 0.5) ? 1 : -1);
  const Vec3 V(plane.x(), slip, 0);
  const auto contact = contact_from_mass(A, V, Vec3::UnitX());
  if (!contact)
    throw std::logic_error("random_planar_contact made a contact that is refused: " + contact.error().message());
  return *contact;
}

/// 0, tiny, ordinary, large or infinite.
inline double random_mu(Rng& rng) {
  const double kind = uniform(rng, 0, 1);
  if (kind < 0.08) return 0;
  if (kind < 0.16) return log_uniform(rng, -12, -4);
  if (kind < 0.24) return log_uniform(rng, 2, 12);
  if (kind < 0.32) return std::numeric_limits<double>::infinity();
  return uniform(rng, 0, 3);
}

/// In [0, 1], both ends often.
inline double random_e(Rng& rng) {
  const double kind = uniform(rng, 0, 1);
  if (kind < 0.15) return 0;
  if (kind < 0.3) return 1;
  return uniform(rng, 0, 1);
}

/// In [−1, 1], ends and middle often.
inline double random_e_t(Rng& rng) {
  const double kind = uniform(rng, 0, 1);
  if (kind < 0.1) return -1;
  if (kind < 0.2) return 0;
  if (kind < 0.3) return 1;
  return uniform(rng, -1, 1);
}

}  // namespace ricochet::testing
