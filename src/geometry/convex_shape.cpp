#include "ricochet/geometry/convex_shape.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace ricochet {
namespace {

using Core = ConvexShape::Core;
constexpr double infinity = std::numeric_limits<double>::infinity();

// A direction this close to a face's normal, or to the plane across an edge, is a candidate for it.
constexpr double near_kink = 1e-2;
// Within this tolerance the direction is equal to it up to rounding.
constexpr double on_kink = 1e-10;

double sign(double x) { return x < 0 ? -1 : 1; }

/// Farthest along a, both in the shape's axes.
Vec3 local_support(const ConvexShape& shape, const Vec3& a) {
  switch (shape.core) {
    case Core::half_space: return a.z() < 1 - 1e-12 ? Vec3(infinity * a) : Vec3(Vec3::Zero());
    case Core::point: return Vec3::Zero();
    case Core::segment: return {0, 0, sign(a.z()) * shape.size.z()};
    case Core::ellipsoid: {
      const Vec3 scaled = shape.size.cwiseProduct(a);
      const double length = scaled.norm();
      return length > 0 ? Vec3(shape.size.cwiseProduct(scaled) / length) : Vec3(Vec3::Zero());
    }
    case Core::cylinder: {
      const double across = std::hypot(a.x(), a.y());
      const double r = across > 0 ? shape.size.x() / across : 0;
      return {r * a.x(), r * a.y(), sign(a.z()) * shape.size.z()};
    }
    case Core::box: return {sign(a.x()) * shape.size.x(), sign(a.y()) * shape.size.y(), sign(a.z()) * shape.size.z()};
    case Core::hull: return farthest_vertex(*shape.hull, a);
  }
  return Vec3::Zero();
}

/// σ of core and margin along n.
double reach(const ConvexShape& shape, const Vec3& n) {
  if (shape.core == Core::half_space)
    return n.dot(shape.rotation.col(2)) < 1 - 1e-12 ? infinity : n.dot(shape.position);
  return n.dot(core_support(shape, n)) + shape.margin;
}

/// The support vertices of a hull along a, within `tolerance` of its size.
std::vector<Vec3> top_vertices(const Hull& hull, const Vec3& a, double tolerance) {
  const double most = a.dot(farthest_vertex(hull, a));
  std::vector<Vec3> out;
  for (const Vec3& v : hull.vertices)
    if (a.dot(v) >= most - tolerance) out.push_back(v);
  return out;
}

SupportFace hull_face(const ConvexShape& shape, const Vec3& a) {
  const std::vector<Vec3> top = top_vertices(*shape.hull, a, on_kink * core_radius(shape));
  Vec3 along = Vec3::Zero();
  for (const Vec3& v : top)
    if ((v - top[0]).norm() > along.norm()) along = v - top[0];
  if (along.norm() <= 1e-9 * core_radius(shape)) return {};
  along.normalize();
  for (const Vec3& v : top)
    if ((v - top[0]).cross(along).norm() > 1e-9 * core_radius(shape)) return {2, Vec3::Zero()};
  return {1, along};
}

SupportFace local_face(const ConvexShape& shape, const Vec3& a) {
  const auto flat = [&](int k) { return std::abs(a(k)) <= on_kink; };
  switch (shape.core) {
    case Core::half_space: return {2, Vec3::Zero()};
    case Core::point:
    case Core::ellipsoid: return {};
    case Core::segment: return flat(2) ? SupportFace{1, Vec3::UnitZ()} : SupportFace{};
    case Core::cylinder:
      if (std::hypot(a.x(), a.y()) <= on_kink) return {2, Vec3::Zero()};
      return flat(2) ? SupportFace{1, Vec3::UnitZ()} : SupportFace{};
    case Core::box: {
      SupportFace face;
      for (int k = 0; k < 3; ++k) {
        if (!flat(k)) continue;
        ++face.dimension;
        face.edge = Vec3::Unit(k);
      }
      return face;
    }
    case Core::hull: return hull_face(shape, a);
  }
  return {};
}

double hull_outside(const Hull& hull, const Vec3& x) {
  Vec3 middle = Vec3::Zero();
  for (const Vec3& v : hull.vertices) middle += v;
  middle /= static_cast<double>(hull.vertices.size());
  double worst = 0;
  for (const auto& face : hull.faces) {
    const Vec3& a = hull.vertices[static_cast<std::size_t>(face[0])];
    const Vec3 across = (hull.vertices[static_cast<std::size_t>(face[1])] - a)
                            .cross(hull.vertices[static_cast<std::size_t>(face[2])] - a);
    if (!(across.norm() > 0)) continue;
    const Vec3 n = sign(across.dot(a - middle)) * across.normalized();
    worst = std::max(worst, n.dot(x - a));
  }
  return worst;
}

}  // namespace

ConvexShape place(const Shape& shape, const Vec3& position, const Mat3& rotation) {
  using Core = ConvexShape::Core;
  ConvexShape out;
  out.position = position;
  out.rotation = rotation;
  switch (shape.kind) {
    case Shape::Kind::none:
    case Shape::Kind::sphere: out.margin = shape.radius; break;
    case Shape::Kind::box:
      out.core = Core::box;
      out.size = 0.5 * shape.size;
      break;
    case Shape::Kind::plane: out.core = Core::half_space; break;
    case Shape::Kind::ellipsoid:
      out.core = Core::ellipsoid;
      out.size = 0.5 * shape.size;
      break;
    case Shape::Kind::height_field:
    case Shape::Kind::mesh:
      out.core = Core::hull;
      out.hull = shape.hull;
      break;
    case Shape::Kind::rod:
    case Shape::Kind::cylinder:
    case Shape::Kind::disc:
    case Shape::Kind::wheel:
    case Shape::Kind::capsule: {
      // The core lies along z, the body along x.
      Mat3 x_to_z;
      x_to_z << 0, 0, 1, 0, 1, 0, -1, 0, 0;
      out.rotation = rotation * x_to_z;
      const bool capsule = shape.kind == Shape::Kind::capsule;
      if (shape.kind == Shape::Kind::disc || shape.kind == Shape::Kind::wheel) {
        // A cylinder without length, and the tyre as its margin.
        out.core = Core::cylinder;
        out.margin = shape.kind == Shape::Kind::wheel ? 0.5 * shape.length : 0;
        out.size = {shape.radius - out.margin, shape.radius - out.margin, 0};
        break;
      }
      out.core = shape.radius > 0 && !capsule ? Core::cylinder : Core::segment;
      const double r = capsule ? 0 : shape.radius;
      out.size = {r, r, 0.5 * shape.length};
      if (capsule) out.margin = shape.radius;
      break;
    }
  }
  return out;
}

Vec3 core_support(const ConvexShape& shape, const Vec3& n) {
  return shape.position + shape.rotation * local_support(shape, shape.rotation.transpose() * n);
}

double core_radius(const ConvexShape& shape) {
  switch (shape.core) {
    case Core::half_space: return infinity;
    case Core::point: return 0;
    case Core::segment: return shape.size.z();
    case Core::ellipsoid: return shape.size.maxCoeff();
    case Core::cylinder: return std::hypot(shape.size.x(), shape.size.z());
    case Core::box: return shape.size.norm();
    case Core::hull: return radius_of(*shape.hull);
  }
  return 0;
}

double slab(const ConvexShape& A, const ConvexShape& B, const Vec3& n) { return -reach(B, -n) - reach(A, n); }

Slab best_own_slab(const ConvexShape& A, const ConvexShape& B) {
  Slab best{-infinity, Vec3::UnitZ()};
  const auto offer = [&](const Vec3& n) {
    for (const Vec3& m : {n, Vec3(-n)}) {
      const double width = slab(A, B, m);
      if (width > best.width) best = {width, m};
    }
  };
  for (const ConvexShape* shape : {&A, &B})
    for (int k = 0; k < 3; ++k) offer(shape->rotation.col(k));
  const Vec3 between = B.position - A.position;
  if (between.norm() > 0) offer(between.normalized());
  return best;
}

Kinks kinks_near(const ConvexShape& shape, const Vec3& n) {
  Kinks out;
  const Vec3 a = shape.rotation.transpose() * n;
  const auto normal = [&](const Vec3& m) {
    if ((m - a).norm() < near_kink) out.normals.emplace_back(shape.rotation * m);
  };
  const auto edge = [&](const Vec3& e) {
    if (std::abs(e.dot(a)) < near_kink) out.edges.emplace_back(shape.rotation * e);
  };
  if (shape.core == Core::segment || shape.core == Core::cylinder) edge(Vec3::UnitZ());
  if (shape.core == Core::cylinder) normal({0, 0, sign(a.z())});
  if (shape.core == Core::box) {
    for (int k = 0; k < 3; ++k) {
      normal(sign(a(k)) * Vec3::Unit(k));
      edge(Vec3::Unit(k));
    }
  }
  if (shape.core != Core::hull) return out;
  const Hull& hull = *shape.hull;
  // Some direction near n has v at least as far as the top only if v lies this little below it.
  const Vec3 top = farthest_vertex(hull, a);
  const auto near_top = [&](const Vec3& v) { return a.dot(top - v) <= near_kink * (top - v).norm(); };
  for (const auto& face : hull.faces) {
    const std::array<Vec3, 3> v{hull.vertices[static_cast<std::size_t>(face[0])],
                                hull.vertices[static_cast<std::size_t>(face[1])],
                                hull.vertices[static_cast<std::size_t>(face[2])]};
    const Vec3 across = (v[1] - v[0]).cross(v[2] - v[0]);
    if (across.norm() > 0) normal(sign(across.dot(a)) * across.normalized());
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3& p = v[k];
      const Vec3& q = v[(k + 1) % 3];
      if (near_top(p) && near_top(q) && (q - p).norm() > 0) edge((q - p).normalized());
    }
  }
  return out;
}

SupportFace support_face(const ConvexShape& shape, const Vec3& n) {
  SupportFace face = local_face(shape, shape.rotation.transpose() * n);
  face.edge = Vec3(shape.rotation * face.edge);
  return face;
}

Mat3 support_curvature(const ConvexShape& shape, const Vec3& n) {
  const Vec3 a = shape.rotation.transpose() * n;
  Mat3 local = Mat3::Zero();
  if (shape.core == Core::ellipsoid) {  // σ = ‖S a‖
    const Vec3 s2 = shape.size.cwiseProduct(shape.size);
    const Vec3 s2_a = s2.cwiseProduct(a);
    const double reach_a = std::sqrt(a.dot(s2_a));
    local = (Mat3(s2.asDiagonal()) - s2_a * s2_a.transpose() / (reach_a * reach_a)) / reach_a;
  } else if (shape.core == Core::cylinder) {  // σ = r ‖a across the axis‖ + h |a_z|
    const double across = std::hypot(a.x(), a.y());
    if (across > 0) {
      const Vec3 t(-a.y() / across, a.x() / across, 0);
      local = shape.size.x() / across * t * t.transpose();
    }
  }
  return shape.rotation * local * shape.rotation.transpose();
}

std::vector<Vec3> outline(const ConvexShape& shape) {
  constexpr int around = 32;
  std::vector<Vec3> out;
  const auto add = [&](const Vec3& x) { out.emplace_back(shape.position + shape.rotation * x); };
  const auto ring = [&](double radius, double z, const Vec3& scale) {
    for (int k = 0; k < around; ++k) {
      const double a = 2 * std::numbers::pi * k / around;
      add(scale.cwiseProduct(Vec3(radius * std::cos(a), radius * std::sin(a), z)));
    }
  };
  switch (shape.core) {
    case Core::half_space: break;
    case Core::point: add(Vec3::Zero()); break;
    case Core::segment:
      add(-shape.size);
      add(shape.size);
      break;
    case Core::ellipsoid:
      for (int k = 1; k < around / 2; ++k) {
        const double b = 2 * std::numbers::pi * k / around;
        ring(std::sin(b), std::cos(b), shape.size);
      }
      add({0, 0, -shape.size.z()});
      add({0, 0, shape.size.z()});
      break;
    case Core::cylinder:
      ring(shape.size.x(), -shape.size.z(), Vec3::Ones());
      ring(shape.size.x(), shape.size.z(), Vec3::Ones());
      break;
    case Core::box:
      for (const double x : {-1.0, 1.0})
        for (const double y : {-1.0, 1.0})
          for (const double z : {-1.0, 1.0}) add(shape.size.cwiseProduct(Vec3(x, y, z)));
      break;
    case Core::hull:
      for (const Vec3& vertex : shape.hull->vertices) add(vertex);
      break;
  }
  return out;
}

double outside(const ConvexShape& shape, const Vec3& x) {
  const Vec3 a = shape.rotation.transpose() * (x - shape.position);
  const Vec3& s = shape.size;
  switch (shape.core) {
    case Core::half_space: return std::max(0.0, a.z());
    case Core::point: return a.norm();
    case Core::segment: return std::max({std::hypot(a.x(), a.y()), std::abs(a.z()) - s.z(), 0.0});
    case Core::ellipsoid: return std::max(0.0, a.norm() * (1 - 1 / a.cwiseQuotient(s).norm()));
    case Core::cylinder: return std::max({std::hypot(a.x(), a.y()) - s.x(), std::abs(a.z()) - s.z(), 0.0});
    case Core::box: return std::max(0.0, (a.cwiseAbs() - s).maxCoeff());
    case Core::hull: return hull_outside(*shape.hull, a);
  }
  return infinity;
}

}  // namespace ricochet
