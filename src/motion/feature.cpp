#include "motion/feature.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "motion/contact_frame_kernel.hpp"
#include "motion/separating_plane.hpp"
#include "motion/surface_contact.hpp"
#include "ricochet/geometry/shape_contact.hpp"

namespace ricochet::motion {
namespace {

using Core = ConvexShape::Core;

std::vector<Vec3> core_corners(const ConvexShape& shape) {
  std::vector<Vec3> local;
  switch (shape.core) {
    case Core::point: local = {Vec3::Zero()}; break;
    case Core::segment: local = {{0, 0, -shape.size.z()}, {0, 0, shape.size.z()}}; break;
    case Core::box:
      for (int k = 0; k < 8; ++k)
        local.emplace_back((k & 1) != 0 ? shape.size.x() : -shape.size.x(),
                           (k & 2) != 0 ? shape.size.y() : -shape.size.y(),
                           (k & 4) != 0 ? shape.size.z() : -shape.size.z());
      break;
    case Core::hull: local = shape.hull->vertices; break;
    case Core::half_space:
    case Core::ellipsoid:
    case Core::cylinder: break;
  }
  for (Vec3& v : local) v = shape.position + shape.rotation * v;
  return local;
}

/// A ball and a box, sharp or rounded.
Touch ball_and_box(const ConvexShape& ball, const ConvexShape& box) {
  const Vec3 p = box.rotation.transpose() * (ball.position - box.position);
  const Vec3 inside = p.cwiseMax(-box.size).cwiseMin(box.size);
  const Vec3 out = p - inside;
  const double far = out.norm();
  Vec3 n, foot = inside;
  double gap = far;
  if (far > 0) {
    n = -out / far;  // from the ball to the box
  } else {
    int k = 0;
    (box.size - p.cwiseAbs()).minCoeff(&k);
    const double sign = p(k) < 0 ? -1 : 1;
    n = -sign * Vec3::Unit(k);
    foot(k) = sign * box.size(k);
    gap = std::abs(p(k)) - box.size(k);
  }
  Touch out_touch;
  out_touch.n = box.rotation * n;
  out_touch.on_A = ball.position + ball.margin * out_touch.n;
  out_touch.on_B = box.position + box.rotation * foot - box.margin * out_touch.n;
  out_touch.gap = gap - ball.margin - box.margin;
  return out_touch;
}

Touch balls(const ConvexShape& A, const ConvexShape& B) {
  Touch out;
  const Vec3 d = B.position - A.position;
  const double far = d.norm();
  out.n = far > 0 ? Vec3(d / far) : Vec3::UnitZ();
  out.on_A = A.position + A.margin * out.n;
  out.on_B = B.position - B.margin * out.n;
  out.gap = far - A.margin - B.margin;
  return out;
}

Touch flipped(Touch t) {
  std::swap(t.on_A, t.on_B);
  t.n = -t.n;
  return t;
}

Vec3 in_axes(const Pose& pose, const Vec3& point) { return pose.orientation.conjugate() * (point - pose.position); }

/// The plane of `a` through the touch, and the point of `b`.
Feature on_plane(const BodyShape& a, const BodyShape& b, const Vec3& on_a, const Vec3& n, const Vec3& point) {
  Feature f;
  f.kind = Feature::Kind::plane_point;
  f.a = a.body;
  f.b = b.body;
  f.shape_a = a.index;
  f.shape_b = b.index;
  f.n = a.pose.orientation.conjugate() * n;
  f.p = in_axes(a.pose, on_a);
  f.c = in_axes(b.pose, point);
  f.margin_b = b.part->shape.margin;
  return f;
}

/// The lowest points of both rims; of a rim that lies flat, four points.
template <class Add>
void add_cylinder(const BodyShape& a, const BodyShape& b, const Vec3& n, const Add& add,
                  std::vector<FoundFeature>& out) {
  const ConvexShape& own = b.part->shape;
  const ConvexShape shape = placed(*b.part, b.pose);
  const Vec3 axis = shape.rotation.col(2), down = axis.cross(axis.cross(n));
  const int ends = own.size.z() > 0 ? 2 : 1;  // a disc has one rim
  for (int end = 0; end < ends; ++end) {
    const double sign = end == 0 ? -1 : 1;
    const Vec3 centre = shape.position + sign * own.size.z() * axis;
    if (down.norm() <= 1e-6) {
      const auto axes = flat_axes(shape.rotation, own.size.x(), n, a.pose, b.pose);
      for (int k = 0; k < 4; ++k) {
        add(centre + own.size.x() * (k < 2 ? 1 : -1) * axes[static_cast<std::size_t>(k % 2)], 4 * end + k,
            Feature::Kind::plane_point);
      }
      continue;
    }
    const std::size_t before = out.size();
    add(centre + own.size.x() * down.normalized(), 8 + end, Feature::Kind::plane_rim);
    if (out.size() == before) continue;
    Feature& f = out.back().feature;
    f.c = own.position + sign * own.size.z() * own.rotation.col(2);
    f.axis = own.rotation.col(2);
    f.rim = own.size.x();
  }
}

std::vector<FoundFeature> on_half_space(const BodyShape& a, const BodyShape& b, double reach) {
  const ConvexShape plane = placed(*a.part, a.pose);
  const Vec3 n = plane.rotation.col(2);
  std::vector<FoundFeature> out;
  const auto add = [&](const Vec3& core_point, int corner, Feature::Kind kind) {
    const double gap = n.dot(core_point - plane.position) - b.part->shape.margin;
    if (gap > reach) return;
    FoundFeature found;
    found.feature = on_plane(a, b, plane.position, n, core_point);
    found.feature.kind = kind;
    found.feature.corner = corner;
    found.touch.n = n;
    found.touch.gap = gap;
    found.touch.on_B = core_point - b.part->shape.margin * n;
    found.touch.on_A = found.touch.on_B - gap * n;
    out.push_back(found);
  };
  if (b.part->shape.core == Core::cylinder) {
    add_cylinder(a, b, n, add, out);
    return out;
  }
  if (b.part->round()) {
    add(core_support(placed(*b.part, b.pose), -n), 0, Feature::Kind::plane_round);
    return out;
  }
  for (std::size_t k = 0; k < b.part->corners.size(); ++k)
    add(b.pose.position + b.pose.orientation * b.part->corners[k], static_cast<int>(k), Feature::Kind::plane_point);
  return out;
}

/// They touch, and their contact has no motion here.
FoundFeature no_feature(const BodyShape& a, const BodyShape& b, const Touch& touch) {
  FoundFeature out;
  out.touch = touch;
  out.lasting = false;
  out.feature.a = a.body;
  out.feature.b = b.body;
  out.feature.shape_a = a.index;
  out.feature.shape_b = b.index;
  return out;
}

}  // namespace

std::array<Vec3, 2> flat_axes(const Mat3& rotation, double r, const Vec3& n, const Pose& a, const Pose& b) {
  const Vec3 w = b.angular_velocity - a.angular_velocity, axis = rotation.col(2);
  const Vec3 along = n.cross(w), first = along - along.dot(axis) * axis;
  const double speed = (b.velocity - a.velocity).norm() + w.norm() * r;
  if (!(first.norm() * r > 1e-9 * (speed + r))) return {rotation.col(0), rotation.col(1)};
  return {first.normalized(), axis.cross(first).normalized()};
}

ShapePart make_part(const ConvexShape& shape) {
  ShapePart out;
  out.shape = shape;
  out.corners = core_corners(shape);
  out.radius = out.half_space() ? std::numeric_limits<double>::infinity() : 0;
  for (const Vec3& c : out.corners) out.radius = std::max(out.radius, c.norm() + shape.margin);
  if (out.round()) {
    out.radius = shape.position.norm() + core_radius(shape) + shape.margin;
    // Ellipsoid: at most (largest axis)² / smallest. A cylinder's rim has no bound.
    out.curvature = shape.core == Core::ellipsoid
                        ? shape.size.maxCoeff() * shape.size.maxCoeff() / shape.size.minCoeff()
                        : std::numeric_limits<double>::infinity();
  }
  out.centred = out.point() && shape.position.isZero(0);
  out.polytope = make_polytope(shape);
  return out;
}

ConvexShape placed(const ShapePart& part, const Pose& at) {
  ConvexShape out = part.shape;
  out.position = at.position + at.orientation * part.shape.position;
  out.rotation = at.orientation.toRotationMatrix() * part.shape.rotation;
  return out;
}

ContactFrame frame(const Feature& f, const ShapePart& part_a, const ShapePart& part_b, const Pose& a, const Pose& b) {
  if (f.kind == Feature::Kind::chord) return chord_frame(f, a, b);
  if (f.kind == Feature::Kind::lens) return lens_frame(f, part_b, a, b);
  if (f.kind == Feature::Kind::surfaces) {
    if (const auto found = surface_frame(f, part_a, part_b, a, b)) return *found;
    // A step that went too far: nothing of it is a number, and a shorter one is tried.
    const Vec3 none = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
    return {none, none, none, none, none.x(), none};
  }
  const auto whole = [](const Pose& p) {
    return PoseOf<double>{p.position, p.orientation, p.velocity, p.angular_velocity};
  };
  const FrameOf<double> out = frame_of<double>(f, part_b, whole(a), whole(b));
  return {out.point, out.n, out.point_rate, out.n_rate, out.gap, out.V};
}

Expected<Touch> nearest(const ConvexShape& A, const ConvexShape& B) {
  if (A.core == Core::point && B.core == Core::point) return balls(A, B);
  if (A.core == Core::point && B.core == Core::box) return ball_and_box(A, B);
  if (A.core == Core::box && B.core == Core::point) return flipped(ball_and_box(B, A));
  const auto found = shape_contacts(A, B, std::numeric_limits<double>::infinity());
  if (!found) return tl::unexpected(found.error());
  if (found->empty()) return fail(ErrorCode::no_solution, "", "", "two shapes have no nearest points");
  return *std::min_element(found->begin(), found->end(), [](const Touch& x, const Touch& y) { return x.gap < y.gap; });
}

RelativePose relative_pose(const Pose& at_A, const Pose& at_B) {
  const Quaternion back = at_A.orientation.conjugate();
  return {(back * at_B.orientation).toRotationMatrix(), back * (at_B.position - at_A.position)};
}

Expected<Touch> nearest(const ShapePart& A, const Pose& at_A, const ShapePart& B, const Pose& at_B) {
  if (!A.polytope || !B.polytope) {
    const double size = std::min(A.radius, B.radius), near = 1e-2 * size;
    const BodyShape first{0, 0, &A, at_A}, second{1, 0, &B, at_B};
    std::vector<FoundFeature> exact = flat_features(first, second, near);
    Expected<Touch> found = Touch{};
    if (exact.empty()) {
      found = nearest(placed(A, at_A), placed(B, at_B));
      if (!found || !(found->gap < near)) return found;
      // Where both are known by their parts, to rounding.
      exact = curved_features(first, second, *found, 2 * near);
    }
    for (const FoundFeature& f : exact) {
      if (&f != exact.data() && !(f.touch.gap < found->gap)) continue;
      *found = f.feature.a == 0 ? f.touch : flipped(f.touch);
    }
    return found;
  }
  const auto closed_form = [](const ShapePart& point, const ShapePart& other) {
    return point.point() && (other.point() || other.shape.core == Core::box);
  };
  const bool simple = closed_form(A, B) || closed_form(B, A);
  if (simple || !few_pairs(*A.polytope, *B.polytope)) return nearest(placed(A, at_A), placed(B, at_B));
  const RelativePose at = relative_pose(at_A, at_B);
  const CorePoints points = closest_points(*A.polytope, *B.polytope, at);
  const bool solid = !A.polytope->faces.empty() || !B.polytope->faces.empty();
  const SeparatingAxes axes = solid ? separating_axes(*A.polytope, *B.polytope, at) : SeparatingAxes{};
  const SeparatingAxis& best = axes.best();
  const double tiny = 1e-9 * std::min(A.radius, B.radius);
  Vec3 n = best.n, on_a = points.on_a, on_b = points.on_b;
  double width = best.width;
  if (points.distance > tiny && !(solid && best.width < 0)) {
    n = (on_b - on_a) / points.distance;
    width = points.distance;
  } else if (!solid) {
    width = points.distance;
    n = points.distance > 0 ? Vec3((on_b - on_a) / points.distance) : Vec3(Vec3::UnitZ());
  }
  Touch out;
  out.n = at_A.orientation * n;
  out.gap = width - A.shape.margin - B.shape.margin;
  const Vec3 middle = at_A.position + at_A.orientation * (0.5 * (on_a + on_b));
  out.on_A = middle + (A.shape.margin - 0.5 * width) * out.n;
  out.on_B = middle + (0.5 * width - B.shape.margin) * out.n;
  return out;
}

Expected<std::vector<FoundFeature>> features(const BodyShape& a, const BodyShape& b, double reach) {
  if (a.part->half_space() && b.part->half_space()) return std::vector<FoundFeature>{};
  if (a.part->half_space()) return on_half_space(a, b, reach);
  if (b.part->half_space()) return on_half_space(b, a, reach);
  // One order, so that a feature is the same whoever asks.
  if (a.body > b.body) return features(b, a, reach);
  const ConvexShape A = placed(*a.part, a.pose), B = placed(*b.part, b.pose);
  if (a.part->polytope && b.part->polytope && !(a.part->point() && b.part->point())) {
    if (const auto plane = separating_plane(A, B); plane && plane->gap > reach) return std::vector<FoundFeature>{};
    return polytope_features(a, b, reach);
  }
  if ((A.position - B.position).norm() - core_radius(A) - core_radius(B) - A.margin - B.margin > reach)
    return std::vector<FoundFeature>{};
  if (!a.part->polytope || !b.part->polytope) {
    if (const auto plane = separating_plane(A, B); plane && plane->gap > reach) return std::vector<FoundFeature>{};
    // What is nearly near enough is measured by its parts.
    const double wider = std::max(reach, 1e-6 * std::min(a.part->radius, b.part->radius));
    std::vector<FoundFeature> out = flat_features(a, b, wider);
    if (out.empty()) {
      const auto near = shape_contacts(A, B, wider);
      if (!near) return tl::unexpected(near.error());
      if (near->empty()) return out;
      out = curved_features(a, b, near->front(), wider);
      if (out.empty() && near->front().gap <= reach) return std::vector<FoundFeature>{no_feature(a, b, near->front())};
    }
    std::erase_if(out, [&](const FoundFeature& f) { return f.touch.gap > reach; });
    return out;
  }
  std::vector<FoundFeature> out;
  const auto found = nearest(A, B);
  if (!found) return tl::unexpected(found.error());
  if (!(found->gap <= reach)) return out;
  out.emplace_back();
  out[0].touch = *found;
  out[0].feature = on_plane(a, b, A.position, found->n, B.position);
  out[0].feature.kind = Feature::Kind::centres;
  out[0].feature.margin_a = A.margin;
  out[0].feature.corner = 0;
  return out;
}

}  // namespace ricochet::motion
