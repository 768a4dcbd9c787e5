#include "ricochet/geometry/face_contact.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

namespace ricochet {
namespace {

using Vec2 = Eigen::Vector2d;
using Polygon = std::vector<Vec2>;  ///< corners in order, against the clock; two of a segment, one of a point

/// Axes of the plane across n through a point.
struct PlaneAxes {
  Vec3 origin, s, t;

  [[nodiscard]] Vec2 flat(const Vec3& x) const { return {s.dot(x - origin), t.dot(x - origin)}; }
};

/// The face of the shape that is farthest along n, seen in the plane. half_space_contacts has its corners: those on
/// which the shape would stand.
Polygon face_of(const ConvexShape& shape, const Vec3& n, const PlaneAxes& plane) {
  ConvexShape below;
  below.core = ConvexShape::Core::half_space;
  below.position = core_support(shape, n) + shape.margin * n;
  below.rotation.col(2) = -n;
  below.rotation.col(0) = n.unitOrthogonal();
  below.rotation.col(1) = below.rotation.col(2).cross(below.rotation.col(0));
  Polygon out;
  for (const Touch& touch : half_space_contacts(below, shape, 1e-6 * (core_radius(shape) + shape.margin)))
    out.push_back(plane.flat(touch.on_B));
  // Against the clock about their middle.
  Vec2 middle = Vec2::Zero();
  for (const Vec2& p : out) middle += p / static_cast<double>(out.size());
  std::sort(out.begin(), out.end(), [&](const Vec2& a, const Vec2& b) {
    return std::atan2((a - middle).y(), (a - middle).x()) < std::atan2((b - middle).y(), (b - middle).x());
  });
  return out;
}

/// The part of the polygon to the left of the line from a to b.
Polygon cut(const Polygon& polygon, const Vec2& a, const Vec2& b, double slack) {
  const Vec2 along = (b - a).normalized();
  const auto left = [&](const Vec2& p) { return along.x() * (p - a).y() - along.y() * (p - a).x() + slack; };
  Polygon out;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec2& p = polygon[i];
    const Vec2& q = polygon[(i + 1) % polygon.size()];
    const double at_p = left(p);
    const double at_q = left(q);
    if (at_p >= 0) out.push_back(p);
    if ((at_p > 0 && at_q < 0) || (at_p < 0 && at_q > 0)) out.emplace_back(p + at_p / (at_p - at_q) * (q - p));
  }
  return out;
}

/// What two convex polygons have in common.
Polygon common(Polygon a, Polygon b, double size) {
  if (a.size() < b.size()) std::swap(a, b);
  if (a.size() < 2) return b;
  const double slack = 1e-9 * size;
  if (a.size() == 2) {  // two segments in line: between the inner ends
    const Vec2 along = (a[1] - a[0]).normalized();
    const auto ends = [&](const Polygon& p) {
      double low = along.dot(p[0] - a[0]);
      double high = low;
      for (const Vec2& x : p) {
        low = std::min(low, along.dot(x - a[0]));
        high = std::max(high, along.dot(x - a[0]));
      }
      return std::pair(low, high);
    };
    const auto [low_a, high_a] = ends(a);
    const auto [low_b, high_b] = ends(b);
    const double low = std::max(low_a, low_b);
    const double high = std::min(high_a, high_b);
    if (high < low - slack) return {};
    return {a[0] + low * along, a[0] + high * along};
  }
  for (std::size_t i = 0; i < a.size() && !b.empty(); ++i) b = cut(b, a[i], a[(i + 1) % a.size()], slack);
  return b;
}

}  // namespace

std::vector<Touch> patch_corners(const ConvexShape& A, const ConvexShape& B, const Touch& touch) {
  const Vec3& n = touch.n;
  PlaneAxes plane{.origin = 0.5 * (touch.on_A + touch.on_B), .s = n.unitOrthogonal(), .t = Vec3::Zero()};
  plane.t = n.cross(plane.s);
  const double size = std::min(core_radius(A) + A.margin, core_radius(B) + B.margin);
  const Polygon corners = common(face_of(A, n, plane), face_of(B, -n, plane), size);
  std::vector<Touch> out;
  for (const Vec2& corner : corners) {
    Touch one = touch;
    one.patch = false;
    const Vec3 point = plane.origin + corner.x() * plane.s + corner.y() * plane.t;
    one.on_A = point - 0.5 * touch.gap * n;
    one.on_B = point + 0.5 * touch.gap * n;
    const auto same = [&](const Touch& other) { return (other.on_A - one.on_A).norm() <= 1e-6 * size; };
    if (std::none_of(out.begin(), out.end(), same)) out.push_back(one);
  }
  if (out.empty()) return {touch};
  return out;
}

}  // namespace ricochet
