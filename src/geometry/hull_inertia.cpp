#include "ricochet/geometry/hull_inertia.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <utility>

namespace ricochet {

HullMass mass_of(const Hull& hull) {
  HullMass out;
  if (hull.vertices.empty()) return out;
  // About the first vertex, so that a hull far from its origin loses no digits. All tetrahedra count as positive, since
  // the hull is convex.
  const Vec3 from = hull.vertices[0];
  Vec3 first = Vec3::Zero();   // ∫ x dV
  Mat3 second = Mat3::Zero();  // ∫ x xᵀ dV
  for (const auto& face : hull.faces) {
    const auto corner = [&](std::size_t k) -> Vec3 { return hull.vertices[static_cast<std::size_t>(face[k])] - from; };
    const Vec3 a = corner(0), b = corner(1), c = corner(2);
    const double volume = std::abs(a.dot(b.cross(c))) / 6;
    const Vec3 sum = a + b + c;
    out.volume += volume;
    first += volume / 4 * sum;
    second += volume / 20 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
  }
  if (!(out.volume > 0)) return out;
  const Vec3 centre = first / out.volume;
  out.centroid = from + centre;
  const Mat3 spread = second / out.volume - centre * centre.transpose();
  out.inertia = spread.trace() * Mat3::Identity() - spread;
  return out;
}

namespace {

/// What was made of the vertices, again.
Hull indexed_again(Hull hull) {
  hull.radius = -1;
  if (!hull.boxes.empty()) index_vertices(hull);
  return hull;
}

}  // namespace

Hull moved(Hull hull, const Vec3& by) {
  for (Vec3& v : hull.vertices) v += by;
  return indexed_again(std::move(hull));
}

Hull scaled(Hull hull, double by) {
  for (Vec3& v : hull.vertices) v *= by;
  return indexed_again(std::move(hull));
}

}  // namespace ricochet
