#pragma once
/// A rigid body as a set of point masses, moved by the balance of momentum about a fixed origin. It uses neither a
/// centre of mass nor an inertia tensor, and is therefore an independent check.

#include <Eigen/Dense>
#include <vector>

#include "random_contact.hpp"
#include "ricochet/body/rigid_body.hpp"

namespace ricochet::testing {

struct PointCloud {
  struct Grain {
    double mass;
    Vec3 at;
  };
  std::vector<Grain> grains;
  Vec3 v0 = Vec3::Zero();     ///< velocity of the body's extension at the origin
  Vec3 omega = Vec3::Zero();  ///< every point mass moves with v0 + ω × x

  [[nodiscard]] Vec3 velocity_at(const Vec3& x) const { return v0 + omega.cross(x); }

  [[nodiscard]] double kinetic_energy() const {
    double E = 0;
    for (const Grain& g : grains) E += 0.5 * g.mass * velocity_at(g.at).squaredNorm();
    return E;
  }

  /// Σ m Δvᵢ = P and Σ xᵢ × m Δvᵢ = x × P, solved for the six changes of (v0, ω).
  [[nodiscard]] PointCloud after(const Vec3& x, const Vec3& P) const {
    using Mat6 = Eigen::Matrix<double, 6, 6>;
    using Vec6 = Eigen::Matrix<double, 6, 1>;
    Mat6 K = Mat6::Zero();
    for (const Grain& g : grains) {
      const Mat3 S = cross_matrix(g.at);
      K.topLeftCorner<3, 3>() += g.mass * Mat3::Identity();
      K.topRightCorner<3, 3>() -= g.mass * S;
      K.bottomLeftCorner<3, 3>() += g.mass * S;
      K.bottomRightCorner<3, 3>() -= g.mass * S * S;
    }
    Vec6 rhs;
    rhs << P, x.cross(P);
    const Vec6 change = K.fullPivLu().solve(rhs);
    PointCloud moved = *this;
    moved.v0 += change.head<3>();
    moved.omega += change.tail<3>();
    return moved;
  }

  /// The same body by mass, centre and inertia in arbitrarily rotated body axes.
  [[nodiscard]] RigidBody body(const Mat3& R) const {
    RigidBody b;
    b.mass = 0;
    for (const Grain& g : grains) {
      b.mass += g.mass;
      b.position += g.mass * g.at;
    }
    b.position /= b.mass;
    Mat3 J = Mat3::Zero();
    for (const Grain& g : grains) {
      const Vec3 d = g.at - b.position;
      J += g.mass * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
    }
    b.orientation = Quaternion(R).normalized();
    const Mat3 turn = b.orientation.toRotationMatrix();
    b.inertia = turn.transpose() * J * turn;
    b.inertia = (0.5 * (b.inertia + b.inertia.transpose())).eval();
    b.velocity = velocity_at(b.position);
    b.angular_velocity = omega;
    return b;
  }
};

/// Six point masses within about a metre of a random point.
inline PointCloud random_cloud(Rng& rng) {
  PointCloud cloud;
  const Vec3 place = uniform(rng, 0, 2) * random_unit(rng);
  for (int i = 0; i < 6; ++i)
    cloud.grains.push_back({log_uniform(rng, -1, 1), place + uniform(rng, 0.2, 1.5) * random_unit(rng)});
  cloud.v0 = uniform(rng, 0, 3) * random_unit(rng);
  cloud.omega = uniform(rng, 0, 3) * random_unit(rng);
  return cloud;
}

}  // namespace ricochet::testing
