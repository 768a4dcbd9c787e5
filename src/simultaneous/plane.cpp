#include "ricochet/simultaneous/plane.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace ricochet {

std::optional<Vec3> across_plane(const Problem& problem) {
  constexpr double tolerance = 1e-9;  // that of the laws
  const auto& contacts = problem.contacts();
  const auto wants = [](const ContactPlace& place) { return !place.hinge && laws()[place.law.index()].planar; };
  const auto asking = std::find_if(contacts.begin(), contacts.end(), wants);
  if (asking == contacts.end()) return std::nullopt;
  const double speed = problem.speed();

  // The plane of one normal and of what leads farthest off it: other normals, velocities, the way in which a normal
  // impulse drives its contact.
  const Vec3 first = asking->contact.n;
  Vec3 second = Vec3::Zero();
  const auto offer = [&](const Vec3& x) {
    const Vec3 off = x - first.dot(x) * first;
    if (off.norm() > second.norm()) second = off;
  };
  for (const ContactPlace& place : contacts) {
    if (place.hinge) continue;
    offer(place.contact.n);
    if (speed > 0) offer(place.contact.V / speed);
    offer(Vec3(place.contact.W * place.contact.n) / place.contact.W.norm());
  }
  Vec3 across;
  if (second.norm() > tolerance) {
    across = first.cross(second).normalized();
  } else {
    // All along one line. A principal direction of the mobility in the surface stays uncoupled from the other one.
    Eigen::Matrix<double, 3, 2> T;
    T.col(0) = first.unitOrthogonal();
    T.col(1) = first.cross(Vec3(T.col(0)));
    const Eigen::SelfAdjointEigenSolver<Mat2> eigen(Mat2(T.transpose() * asking->contact.W * T));
    across = T * eigen.eigenvectors().col(0);
  }
  for (const ContactPlace& place : contacts) {
    if (place.hinge) continue;
    if (std::abs(across.dot(place.contact.n)) > tolerance) return std::nullopt;
    if (std::abs(across.dot(place.contact.V)) > tolerance * speed) return std::nullopt;
    if (std::abs(across.dot(place.contact.W * place.contact.n)) > tolerance * place.contact.W.norm())
      return std::nullopt;
  }
  return across;
}

}  // namespace ricochet
