#pragma once
/// The distance of convex shapes by projections onto them: slow, and without support functions or simplices.

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "ricochet/geometry/convex_shape.hpp"

namespace ricochet::testing {

inline Vec3 onto_triangle(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c) {
  const auto onto_segment = [&](const Vec3& p, const Vec3& q) -> Vec3 {
    return p + std::clamp((x - p).dot(q - p) / (q - p).squaredNorm(), 0.0, 1.0) * (q - p);
  };
  const Vec3 n = (b - a).cross(c - a).normalized();
  const Vec3 flat = x - n.dot(x - a) * n;
  const auto inside = [&](const Vec3& p, const Vec3& q) { return n.dot((q - p).cross(flat - p)) >= 0; };
  if (inside(a, b) && inside(b, c) && inside(c, a)) return flat;
  Vec3 best = onto_segment(a, b);
  for (const Vec3& y : {onto_segment(b, c), onto_segment(c, a)})
    if ((y - x).norm() < (best - x).norm()) best = y;
  return best;
}

/// Nearest point of the core, in the shape's axes.
inline Vec3 onto_core(const ConvexShape& shape, const Vec3& x) {
  using Core = ConvexShape::Core;
  const Vec3& s = shape.size;
  switch (shape.core) {
    case Core::half_space: return {x.x(), x.y(), std::min(x.z(), 0.0)};
    case Core::point: return Vec3::Zero();
    case Core::segment: return {0, 0, std::clamp(x.z(), -s.z(), s.z())};
    case Core::box: return x.cwiseMax(-s).cwiseMin(s);
    case Core::cylinder: {
      const double r = std::hypot(x.x(), x.y());
      const double k = r > s.x() ? s.x() / r : 1;
      return {k * x.x(), k * x.y(), std::clamp(x.z(), -s.z(), s.z())};
    }
    case Core::ellipsoid: {
      if (x.cwiseQuotient(s).squaredNorm() <= 1) return x;
      // y = s² x/(s² + t), with t ≥ 0 so that y is on the surface: bisection, which cannot fail.
      const Vec3 s2 = s.cwiseProduct(s);
      const auto y = [&](double t) -> Vec3 { return s2.cwiseProduct(x).cwiseQuotient((s2.array() + t).matrix()); };
      double low = 0, high = s.maxCoeff() * x.norm();
      for (int i = 0; i < 200; ++i) {
        const double t = 0.5 * (low + high);
        (y(t).cwiseQuotient(s).squaredNorm() > 1 ? low : high) = t;
      }
      return y(high);
    }
    case Core::hull: {
      const auto vertex = [&](int i) { return shape.hull->vertices[static_cast<std::size_t>(i)]; };
      Vec3 middle = Vec3::Zero();
      for (const Vec3& v : shape.hull->vertices) middle += v / static_cast<double>(shape.hull->vertices.size());
      bool inside = true;
      Vec3 best = Vec3::Constant(1e100);
      for (const auto& f : shape.hull->faces) {
        const Vec3 a = vertex(f[0]), b = vertex(f[1]), c = vertex(f[2]);
        const Vec3 n = (b - a).cross(c - a);
        if (n.dot(x - a) * n.dot(middle - a) < 0) inside = false;
        const Vec3 y = onto_triangle(x, a, b, c);
        if ((y - x).norm() < (best - x).norm()) best = y;
      }
      return inside ? x : best;
    }
  }
  return Vec3::Zero();
}

inline Vec3 onto(const ConvexShape& shape, const Vec3& x) {
  const Vec3 core =
      shape.position + shape.rotation * onto_core(shape, shape.rotation.transpose() * (x - shape.position));
  const double d = (x - core).norm();
  return d <= shape.margin ? x : Vec3(core + shape.margin / d * (x - core));
}

/// An upper bound of the distance that tends to it: accelerated projected gradient with restarts.
inline double distance_by_projection(const ConvexShape& A, const ConvexShape& B, int iterations) {
  Vec3 b = B.position, last = b, ahead = b;
  double t = 1, best = 1e100;
  bool rested = false;
  for (int i = 0; i < iterations; ++i) {
    b = onto(B, onto(A, ahead));
    const double d = (b - onto(A, b)).norm();
    const double next = 0.5 * (1 + std::sqrt(1 + 4 * t * t));
    if (d > best) {  // overshot
      ahead = b;
      t = 1;
    } else {
      ahead = b + (t - 1) / next * (b - last);
      t = next;
    }
    if ((b - last).norm() < 1e-15) {  // at rest, or at a turning point
      if (rested) return std::min(d, best);
      ahead = b;
      t = 1;
    }
    rested = t == 1;
    best = std::min(d, best);
    last = b;
  }
  return best;
}

}  // namespace ricochet::testing
