#include "motion/crossed_curves.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "motion/surface_contact.hpp"

namespace ricochet::motion {
namespace {

using Core = ConvexShape::Core;

/// Curves whose directions are nearer to each other than this touch as surfaces do. The side of a cylinder does so well
/// before: its normal is then that of a rim that is not flat.
constexpr double least_sine = 1e-3, least_sine_on_side = 0.05;

/// A rim c = m + r u, or a line c = p + s d.
struct Curve {
  bool rim = false, side = false;
  Vec3 origin = Vec3::Zero(), axis = Vec3::UnitZ();  ///< of a line its direction
  double r = 0, margin = 0;                          ///< margin: from the curve to the surface
  Vec3 u = Vec3::Zero();
  double s = 0;

  [[nodiscard]] Vec3 point() const { return rim ? Vec3(origin + r * u) : Vec3(origin + s * axis); }
  [[nodiscard]] Vec3 tangent() const { return rim ? Vec3(axis.cross(u)) : axis; }
  /// Of the tangent along the curve.
  [[nodiscard]] Vec3 bend() const { return rim ? Vec3(-u / r) : Vec3(Vec3::Zero()); }
  void move(double by) {
    if (!rim) {
      s += by;
      return;
    }
    const double angle = by / r;
    u = (std::cos(angle) * u + std::sin(angle) * axis.cross(u)).normalized();
  }
};

/// n is outward and near the normal; `hint` a radius of a rim, in axes of the body, or zero.
std::optional<Curve> curve_of(const ShapePart& part, int number, const Pose& at, const Vec3& n, const Vec3& hint) {
  Curve out;
  out.margin = part.shape.margin;
  if (part.polytope) {
    if (number % 2 == 0) return std::nullopt;
    const PolytopeEdge& edge = part.polytope->edge(number / 2);
    out.origin = at.position + at.orientation * part.polytope->vertex(edge.first);
    out.axis = at.orientation * edge.d;
    return out;
  }
  if (part.shape.core != Core::cylinder) return std::nullopt;
  out.origin = at.position + at.orientation * part.shape.position;
  out.axis = at.orientation * part.shape.rotation.col(2);
  out.r = part.shape.size.x();
  if (number == cylinder_side) {
    out.margin += out.r;
    out.side = true;
    return out;
  }
  out.rim = true;
  out.origin += (number == 0 ? -1 : 1) * part.shape.size.z() * out.axis;
  const Vec3 way = hint.isZero(0) ? n : Vec3(at.orientation * hint), across = way - way.dot(out.axis) * out.axis;
  if (!(across.norm() > 1e-12)) return std::nullopt;
  out.u = across.normalized();
  return out;
}

}  // namespace

std::optional<CrossedCurves> crossed_curves(const Feature& f, const ShapePart& part_a, const ShapePart& part_b,
                                            const Pose& a, const Pose& b) {
  const Vec3 near_n = a.orientation * f.n;
  auto A = curve_of(part_a, f.part_a, a, near_n, f.p), B = curve_of(part_b, f.part_b, b, -near_n, f.c);
  if (!A || !B) return std::nullopt;
  // Newton's method for x·t_A = x·t_B = 0, the nearest points of both.
  const double size = std::min(part_a.radius, part_b.radius);
  const double least = A->side || B->side ? least_sine_on_side : least_sine;
  if (!A->rim) A->s = A->axis.dot(B->point() - A->origin);
  if (!B->rim) B->s = B->axis.dot(A->point() - B->origin);
  double before = std::numeric_limits<double>::infinity();
  Mat2 slope;
  for (int k = 0;; ++k) {
    if (k == 40) return std::nullopt;
    const Vec3 x = B->point() - A->point(), t_a = A->tangent(), t_b = B->tangent();
    if (!(t_a.cross(t_b).norm() >= least)) return std::nullopt;
    slope << x.dot(A->bend()) - 1, t_a.dot(t_b), -t_a.dot(t_b), 1 + x.dot(B->bend());
    const Vec2 move = -slope.inverse() * Vec2(x.dot(t_a), x.dot(t_b));
    const double way = move.norm();
    if (!std::isfinite(way)) return std::nullopt;
    // By parts of the turn of a rim; lines cross at once.
    const double most = 0.3 * std::min(A->rim ? A->r : 4 * way, B->rim ? B->r : 4 * way);
    const double share = way > most ? most / way : 1;
    A->move(share * move(0));
    B->move(share * move(1));
    if (way <= 1e-15 * size || (way <= 1e-12 * size && way >= 0.5 * before)) break;
    before = way;
  }
  const Vec3 c_a = A->point(), c_b = B->point(), t_a = A->tangent(), t_b = B->tangent(), x = c_b - c_a;
  const Vec3 &w_a = a.angular_velocity, &w_b = b.angular_velocity;
  const Vec3 across = t_a.cross(t_b);
  const double sine = across.norm(), sense = across.dot(near_n) < 0 ? -1 : 1;
  CrossedCurves out;
  out.n = sense / sine * across;
  const Vec3 rate_a = a.velocity + w_a.cross(c_a - a.position), rate_b = b.velocity + w_b.cross(c_b - b.position);
  const Vec3 turn_a = w_a.cross(t_a), turn_b = w_b.cross(t_b), x_rate = rate_b - rate_a;
  slope << x.dot(A->bend()) - 1, t_a.dot(t_b), -t_a.dot(t_b), 1 + x.dot(B->bend());
  const Vec2 along = -slope.inverse() * Vec2(x_rate.dot(t_a) + x.dot(turn_a), x_rate.dot(t_b) + x.dot(turn_b));
  const Vec3 across_rate =
      Vec3(turn_a + along(0) * A->bend()).cross(t_b) + t_a.cross(Vec3(turn_b + along(1) * B->bend()));
  out.n_rate = sense / sine * (across_rate - out.n.dot(across_rate) * out.n);
  out.gap = out.n.dot(x) - A->margin - B->margin;
  out.on_a = c_a + A->margin * out.n;
  out.on_a_rate = rate_a + along(0) * t_a + A->margin * out.n_rate;
  out.on_b = c_b - B->margin * out.n;
  if (A->rim) out.radius_a = A->u;
  if (B->rim) out.radius_b = B->u;
  out.s_a = A->s;
  out.s_b = B->s;
  return out;
}

}  // namespace ricochet::motion
