#pragma once
/// Point, normal and gap of a feature with their rates, (MO11) to (MO14) and (MO23) to (MO25), for any scalar type; not
/// of surfaces, chords and lenses, which surface_contact.hpp has.

#include <Eigen/Geometry>
#include <cmath>

#include "motion/feature.hpp"

namespace ricochet::motion {

template <class T>
using Vector3Of = Eigen::Matrix<T, 3, 1>;

template <class T>
struct PoseOf {
  Vector3Of<T> position;
  Eigen::Quaternion<T> orientation;
  Vector3Of<T> velocity, angular_velocity;
};

template <class T>
struct FrameOf {
  Vector3Of<T> point, n;
  Vector3Of<T> point_rate, n_rate;
  T gap = T(0);
  Vector3Of<T> V;
};

/// The point of an ellipsoid whose outward normal is −n, and its rate.
template <class T>
struct EllipsoidPoint {
  Vector3Of<T> c, c_rate;

  EllipsoidPoint(const ConvexShape& shape, const PoseOf<T>& b, const Vector3Of<T>& n, const Vector3Of<T>& n_rate) {
    using V3 = Vector3Of<T>;
    using M3 = Eigen::Matrix<T, 3, 3>;
    using std::sqrt;
    const M3 axes = b.orientation.toRotationMatrix() * shape.rotation.template cast<T>();
    const Vec3 square = shape.size.cwiseAbs2();
    const V3 a = -(axes.transpose() * n), s2_a = square.template cast<T>().cwiseProduct(a);
    const T reach = sqrt(a.dot(s2_a));
    const V3 r = b.orientation * V3(shape.position.template cast<T>()) + axes * V3(s2_a / reach);
    const M3 local = (M3(square.template cast<T>().asDiagonal()) - s2_a * s2_a.transpose() / (reach * reach)) / reach;
    const V3 turn = n_rate - b.angular_velocity.cross(n);
    c = b.position + r;
    c_rate = b.velocity + b.angular_velocity.cross(r) - axes * V3(local * V3(axes.transpose() * turn));
  }
};

/// Whether `frame_of` knows features of this kind.
[[nodiscard]] inline bool has_frame_kernel(Feature::Kind kind) {
  return kind != Feature::Kind::surfaces && kind != Feature::Kind::chord && kind != Feature::Kind::lens;
}

template <class T>
[[nodiscard]] FrameOf<T> frame_of(const Feature& f, const ShapePart& part_b, const PoseOf<T>& a, const PoseOf<T>& b) {
  using V3 = Vector3Of<T>;
  FrameOf<T> out;
  const V3 f_n = f.n.cast<T>(), f_p = f.p.cast<T>(), f_c = f.c.cast<T>(), f_axis = f.axis.cast<T>();
  const V3 r_b = b.orientation * f_c, w_a = a.angular_velocity, w_b = b.angular_velocity;
  const V3 p = a.position + a.orientation * f_p;
  V3 c = b.position + r_b, c_rate = b.velocity + w_b.cross(r_b);
  if (f.kind == Feature::Kind::centres) {
    const V3 p_rate = a.velocity + w_a.cross(p - a.position);
    const V3 d = c - p;
    const T far = d.norm();
    out.n = d / far;
    out.n_rate = (c_rate - p_rate) - out.n * out.n.dot(c_rate - p_rate);
    out.n_rate /= far;
    out.gap = far - T(f.margin_a) - T(f.margin_b);
    out.point = p + (T(f.margin_a) + T(0.5) * out.gap) * out.n;
    out.point_rate = p_rate + T(f.margin_a) * out.n_rate;
  } else if (f.kind == Feature::Kind::line_point) {
    const V3 p_rate = a.velocity + w_a.cross(p - a.position);
    const V3 d = a.orientation * f_n, d_rate = w_a.cross(d), x = c - p, x_rate = c_rate - p_rate;
    const T s = x.dot(d), s_rate = x_rate.dot(d) + x.dot(d_rate);
    const V3 across = x - s * d, across_rate = x_rate - s_rate * d - s * d_rate;
    const T far = across.norm();
    out.n = across / far;
    out.n_rate = (across_rate - out.n * out.n.dot(across_rate)) / far;
    out.gap = far - T(f.margin_a) - T(f.margin_b);
    out.point = p + s * d + (T(f.margin_a) + T(0.5) * out.gap) * out.n;
    out.point_rate = p_rate + s_rate * d + s * d_rate + T(f.margin_a) * out.n_rate;
  } else if (f.kind == Feature::Kind::edges) {
    const V3 p_rate = a.velocity + w_a.cross(p - a.position);
    const V3 d = a.orientation * f_n, e = b.orientation * f_axis, d_rate = w_a.cross(d), e_rate = w_b.cross(e);
    const V3 x = c - p, x_rate = c_rate - p_rate;
    const V3 across = d.cross(e), across_rate = d_rate.cross(e) + d.cross(e_rate);
    const T sine = across.norm();
    out.n = across / sine;
    out.n_rate = (across_rate - out.n * out.n.dot(across_rate)) / sine;
    // Along d to where the edges are nearest.
    const T s = x.cross(e).dot(across) / (sine * sine);
    const T s_rate = ((x_rate.cross(e) + x.cross(e_rate)).dot(across) + x.cross(e).dot(across_rate) -
                      T(2) * s * across.dot(across_rate)) /
                     (sine * sine);
    out.gap = out.n.dot(x) - T(f.margin_a) - T(f.margin_b);
    out.point = p + s * d + (T(f.margin_a) + T(0.5) * out.gap) * out.n;
    out.point_rate = p_rate + s_rate * d + s * d_rate + T(f.margin_a) * out.n_rate;
  } else {
    out.n = a.orientation * f_n;
    out.n_rate = w_a.cross(out.n);
    if (f.kind == Feature::Kind::plane_round) {
      const EllipsoidPoint<T> lowest(part_b.shape, b, out.n, out.n_rate);
      c = lowest.c;
      c_rate = lowest.c_rate;
    } else if (f.kind == Feature::Kind::plane_rim) {
      const V3 axis = b.orientation * f_axis, axis_rate = w_b.cross(axis);
      // a (a·n) − n, which is across a to rounding however flat the rim lies.
      const V3 across = axis.cross(out.n), down = axis.cross(across);
      const V3 down_rate = axis_rate.cross(across) + axis.cross(V3(axis_rate.cross(out.n) + axis.cross(out.n_rate)));
      const T length = down.norm();
      // Where the rim lies flat its lowest point goes over to the other side: up to there, and for a step that goes
      // farther, the motion is that on this one. So near to it that rounding would turn u, u turns with the body.
      const V3 before = b.orientation * V3(f.lowest.cast<T>());
      if (length < T(1e-7) && !f.lowest.isZero(0)) {
        c += T(f.rim) * before;
        c_rate += T(f.rim) * w_b.cross(before);
      } else {
        const T side(before.dot(down) < T(0) ? -1 : 1);
        const V3 u = (side / length) * down;
        c += T(f.rim) * u;
        c_rate += (T(f.rim) * side / length) * (down_rate - u * u.dot(down_rate));
      }
    }
    out.gap = out.n.dot(c - p) - T(f.margin_b);
    out.point = c - (T(f.margin_b) + T(0.5) * out.gap) * out.n;
    out.point_rate = c_rate - T(f.margin_b) * out.n_rate;
  }
  out.V = b.velocity + w_b.cross(out.point - b.position) - a.velocity - w_a.cross(out.point - a.position);
  return out;
}

}  // namespace ricochet::motion
