#include "ricochet/simultaneous/plane.hpp"

#include <Eigen/Jacobi>
#include <algorithm>
#include <cmath>

namespace ricochet {

std::optional<Vec3> across_plane(const Problem& problem) {
  constexpr double tolerance = 1e-9;  // that of the laws
  const auto& contacts = problem.contacts();
  const auto wants = [](const ProblemContact& place) { return !place.hinge && laws()[place.law.index()].planar; };
  const auto asking = std::find_if(contacts.begin(), contacts.end(), wants);
  if (asking == contacts.end()) return std::nullopt;
  const double speed = problem.speed();

  // The plane of one normal and of the vector farthest from it: other normals, velocities, responses to normal
  // impulses.
  const Vec3 first = asking->contact.n;
  Vec3 second = Vec3::Zero();
  const auto offer = [&](const Vec3& x) {
    const Vec3 off = x - first.dot(x) * first;
    if (off.norm() > second.norm()) second = off;
  };
  for (const ProblemContact& place : contacts) {
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
    const Vec3 t = first.unitOrthogonal();
    const Vec3 s = first.cross(t);
    const Vec3 Wt = asking->contact.W * t, Ws = asking->contact.W * s;
    Eigen::JacobiRotation<double> principal;
    principal.makeJacobi(t.dot(Wt), s.dot(Wt), s.dot(Ws));
    const Vec3 one = principal.c() * t - principal.s() * s, other = principal.s() * t + principal.c() * s;
    across = one.dot(asking->contact.W * one) <= other.dot(asking->contact.W * other) ? one : other;
  }
  for (const ProblemContact& place : contacts) {
    if (place.hinge) continue;
    if (std::abs(across.dot(place.contact.n)) > tolerance) return std::nullopt;
    if (std::abs(across.dot(place.contact.V)) > tolerance * speed) return std::nullopt;
    if (std::abs(across.dot(place.contact.W * place.contact.n)) > tolerance * place.contact.W.norm())
      return std::nullopt;
  }
  return across;
}

}  // namespace ricochet
