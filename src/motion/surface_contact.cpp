#include "motion/surface_contact.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "motion/crossed_curves.hpp"

namespace ricochet::motion {
namespace {

using Core = ConvexShape::Core;
using Mat6 = Eigen::Matrix<double, 6, 6>;
using Vec6 = Eigen::Matrix<double, 6, 1>;

/// A part of a surface near the point whose outward normal is m: its support point c, ∂c/∂m, and the line along which c
/// is free, (MO31).
struct SurfaceSide {
  Vec3 c = Vec3::Zero();
  Mat3 K = Mat3::Zero();
  Vec3 line = Vec3::Zero();
  bool free = false;
};

SurfaceSide surface_side(const ShapePart& part, int number, const Pose& at, const Vec3& m) {
  SurfaceSide out;
  if (part.polytope) {
    const Polytope& P = *part.polytope;
    out.free = number % 2 == 1;
    const int vertex = out.free ? P.edge(number / 2).first : number / 2;
    out.c = at.position + at.orientation * P.vertex(vertex);
    if (out.free) out.line = at.orientation * P.edge(number / 2).d;
  } else if (part.shape.core == Core::cylinder) {
    const Mat3 R = at.orientation.toRotationMatrix() * part.shape.rotation;
    const Vec3 axis = R.col(2), across = axis.cross(m.cross(axis));
    const double sine = across.norm(), r = part.shape.size.x();
    const Vec3 u = across / sine, t = axis.cross(u);
    out.c = at.position + at.orientation * part.shape.position + r * u;
    out.K = r / sine * t * t.transpose();
    out.free = number == cylinder_side;
    if (out.free)
      out.line = axis;
    else
      out.c += (number == 0 ? -1 : 1) * part.shape.size.z() * axis;
  } else {
    const ConvexShape shape = placed(part, at);
    out.c = core_support(shape, m);
    out.K = support_curvature(shape, m);
  }
  out.c += part.shape.margin * m;
  out.K += part.shape.margin * (Mat3::Identity() - m * m.transpose());
  return out;
}

/// Both sides, the normal and where the point is on the lines: (MO32).
struct SurfacePoint {
  SurfaceSide A, B;
  Vec3 n = Vec3::UnitZ();
  double s_a = 0, s_b = 0, gap = 0;

  [[nodiscard]] Vec3 on_a() const { return A.c + s_a * A.line; }
  [[nodiscard]] Vec3 on_b() const { return B.c + s_b * B.line; }
  [[nodiscard]] Mat6 matrix() const {
    Mat6 out = Mat6::Zero();
    out.topLeftCorner<3, 3>() = A.K + B.K + gap * Mat3::Identity();
    out.col(3).head<3>() = n;
    if (A.free) out.col(4).head<3>() = A.line;
    if (B.free) out.col(5).head<3>() = -B.line;
    out.row(3).head<3>() = n;
    if (A.free) out.row(4).head<3>() = A.line;
    if (B.free) out.row(5).head<3>() = B.line;
    if (!A.free) out(4, 4) = 1;
    if (!B.free) out(5, 5) = 1;
    return out;
  }
};

std::optional<SurfacePoint> surface_point(const Feature& f, const ShapePart& part_a, const ShapePart& part_b,
                                          const Pose& a, const Pose& b) {
  SurfacePoint x;
  x.n = a.orientation * f.n;
  const double size = std::min(part_a.radius, part_b.radius);
  double before = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 40; ++k) {
    x.A = surface_side(part_a, f.part_a, a, x.n);
    x.B = surface_side(part_b, f.part_b, b, -x.n);
    const Vec3 between = x.on_b() - x.on_a();
    x.gap = x.n.dot(between);
    Mat6 M = x.matrix();
    Vec6 rest;
    rest << between - x.gap * x.n, 0, -x.n.dot(x.A.line), -x.n.dot(x.B.line);
    // Lengths in units of the size, so that the pivots can be compared.
    M.topLeftCorner<3, 3>() /= size;
    rest.head<3>() /= size;
    if (!M.allFinite()) return std::nullopt;
    Eigen::FullPivLU<Mat6> solver(M);
    solver.setThreshold(1e-7);
    if (!solver.isInvertible()) return std::nullopt;
    const Vec6 change = solver.solve(rest);
    const double turn = change.head<3>().norm();
    const double share = turn > 0.3 ? 0.3 / turn : 1;
    x.n = (x.n + share * change.head<3>()).normalized();
    x.s_a += size * share * change(4);
    x.s_b += size * share * change(5);
    const double moved = turn + std::abs(change(4)) + std::abs(change(5));
    if (!std::isfinite(moved)) return std::nullopt;
    // As far as rounding lets it come.
    if (moved <= 1e-15 || (moved <= 1e-12 && moved >= 0.5 * before)) {
      x.A = surface_side(part_a, f.part_a, a, x.n);
      x.B = surface_side(part_b, f.part_b, b, -x.n);
      x.gap = x.n.dot(x.on_b() - x.on_a());
      return x;
    }
    before = moved;
  }
  return std::nullopt;
}

/// How far the normal is among those of the part, and the point on it; m outward, world axes.
double part_extent(const ShapePart& part, int number, const Pose& at, const Vec3& m, double s, double inside,
                   double cone, double rim_slack) {
  double least = std::numeric_limits<double>::infinity();
  const Vec3 own = at.orientation.conjugate() * m;
  if (part.polytope) {
    const Polytope& P = *part.polytope;
    if (number % 2 == 0) return vertex_cone(P, number / 2, own) + cone;
    const PolytopeEdge& edge = P.edge(number / 2);
    least = std::min(s, edge.length - s) + inside;
    for (std::size_t k = 0; k < 2; ++k)
      if (edge.faces[k] >= 0) least = std::min(least, cone - edge.length * own.dot(edge.inward[k]));
    return least;
  }
  if (part.shape.core != Core::cylinder) return least;
  const double half = part.shape.size.z();
  if (number == cylinder_side) return std::min(half - s, half + s) + inside;
  if (half == 0) return least;
  return (number == 0 ? -1 : 1) * half * own.dot(part.shape.rotation.col(2)) + rim_slack;
}

/// Centre and outward normal of a flat end, body axes.
struct FlatEnd {
  Vec3 centre, n;
};
FlatEnd flat_end(const ConvexShape& shape, int end) {
  const Vec3 n = (end == 0 ? -1 : 1) * shape.rotation.col(2);
  return {shape.position + shape.size.z() * n, n};
}

struct Chord {
  double s = 0, half = 0;  ///< place along the edge; half of the chord's length [m]
  Vec3 radius = Vec3::Zero();
};
Chord chord_of(const Feature& f, const Vec3& x, const Vec3& d, const Vec3& n) {
  const Vec3 x_flat = x - x.dot(n) * n, d_flat = d - d.dot(n) * n;
  const double square = d_flat.squaredNorm(), middle = -x_flat.dot(d_flat) / square;
  const double rest = (f.rim * f.rim - (x_flat + middle * d_flat).squaredNorm()) / square;
  Chord out;
  out.half = rest < 0 ? rest / f.rim : std::sqrt(rest);
  out.s = middle + (f.corner == 0 ? -1 : 1) * std::max(out.half, 0.0);
  out.radius = x_flat + out.s * d_flat;
  return out;
}

/// Where the rims of two flat ends that lie on each other cross, (MO33): from the centre of the first by α d ± β n × d,
/// with d from centre to centre.
struct Lens {
  double alpha = 0, square = 0, beta = 0;  ///< square: β², negative where they do not cross
};
Lens lens_of(const Feature& f, const ShapePart& part_b, const Vec3& d) {
  const double far = d.squaredNorm(), r_b = part_b.shape.size.x();
  Lens out;
  out.alpha = 0.5 * (1 + (f.rim * f.rim - r_b * r_b) / far);
  out.square = f.rim * f.rim / far - out.alpha * out.alpha;
  out.beta = (f.corner == 0 ? -1 : 1) * std::sqrt(std::max(out.square, 0.0));
  return out;
}

/// Flat ends whose tilt is below the first lie on a face, above the second they no longer do.
constexpr double lies_flat = 1e-6, no_longer_flat = 2e-6;
/// How far from a kink of a shape's normals n may be for both of its sides to be looked at.
constexpr double near_kink_of_part = 1e-5;

bool is_rim(const ShapePart& part, int number) {
  return !part.polytope && part.shape.core == Core::cylinder && number != cylinder_side;
}
/// An edge, or the side of a cylinder.
bool is_line(const ShapePart& part, int number) {
  return part.polytope ? number % 2 == 1 : part.shape.core == Core::cylinder && number == cylinder_side;
}
Vec3 line_direction(const ShapePart& part, int number, const Pose& at) {
  return at.orientation * (part.polytope ? part.polytope->edge(number / 2).d : Vec3(part.shape.rotation.col(2)));
}

/// Radii of a rim, unit vectors, at the ends of the chord that a line cuts from it, seen along its axis.
std::vector<Vec3> chord_ends(const BodyShape& rim, int end, const BodyShape& line, int number) {
  const FlatEnd flat = flat_end(rim.part->shape, end);
  const Vec3 n = rim.pose.orientation * flat.n, d = line_direction(*line.part, number, line.pose);
  const Vec3 p = line.pose.position +
                 line.pose.orientation * (line.part->polytope
                                              ? line.part->polytope->vertex(line.part->polytope->edge(number / 2).first)
                                              : line.part->shape.position);
  const Vec3 x = p - rim.pose.position - rim.pose.orientation * flat.centre;
  const Vec3 x_flat = x - n.dot(x) * n, d_flat = d - n.dot(d) * n;
  const double square = d_flat.squaredNorm(), r = rim.part->shape.size.x();
  if (!(square > 0)) return {};
  const Vec3 middle = x_flat - x_flat.dot(d_flat) / square * d_flat;
  const double half = r * r - middle.squaredNorm();
  if (!(half > 0)) return {};
  const Vec3 way = std::sqrt(half / square) * d_flat;
  return {(middle - way).normalized(), (middle + way).normalized()};
}

/// Radii of two rims where they may cross: where the second is in the plane of the first and, of nearly parallel ones,
/// where they cross as seen along their axes.
std::vector<std::array<Vec3, 2>> rim_crossings(const BodyShape& a, int end_a, const BodyShape& b, int end_b) {
  const FlatEnd flat_a = flat_end(a.part->shape, end_a), flat_b = flat_end(b.part->shape, end_b);
  const Vec3 n = a.pose.orientation * flat_a.n, m = b.pose.orientation * flat_b.n;
  const Vec3 p = a.pose.position + a.pose.orientation * flat_a.centre;
  const Vec3 q = b.pose.position + b.pose.orientation * flat_b.centre;
  const double r_a = a.part->shape.size.x(), r_b = b.part->shape.size.x();
  std::vector<std::array<Vec3, 2>> out;
  const auto add = [&](const Vec3& of_a, const Vec3& of_b) {
    const Vec3 u = of_a - of_a.dot(n) * n, w = of_b - of_b.dot(m) * m;
    if (u.norm() > 0 && w.norm() > 0) out.push_back({u.normalized(), w.normalized()});
  };
  const Vec3 up = n - n.dot(m) * m;
  if (const double sine = up.norm(); sine > 1e-9) {
    const Vec3 v = up / sine, t = m.cross(v);
    const double along = n.dot(p - q) / (sine * r_b);
    if (std::abs(along) <= 1)
      for (const double side : {-1.0, 1.0}) {
        const Vec3 w = along * v + side * std::sqrt(1 - along * along) * t;
        add(q + r_b * w - p, w);
      }
  }
  if (up.norm() < 0.1) {
    const Vec3 x = q - p, d = x - n.dot(x) * n;
    const double far = d.squaredNorm(), alpha = 0.5 * (1 + (r_a * r_a - r_b * r_b) / far);
    const double square = r_a * r_a / far - alpha * alpha;
    if (far > 0 && square > 0)
      for (const double side : {-1.0, 1.0}) {
        const Vec3 c = alpha * d + side * std::sqrt(square) * n.cross(d);
        add(c, c - d);
      }
  }
  return out;
}

struct CurvedParts {
  std::vector<int> numbers;  ///< of surfaces
  NearParts flat;            ///< vertices, edges and faces of a polytope
  int end = -1;              ///< flat end of a cylinder
};
CurvedParts curved_parts(const BodyShape& b, const Vec3& m, double band) {
  CurvedParts out;
  const Vec3 own = b.pose.orientation.conjugate() * m;
  if (b.part->polytope) {
    out.flat = near_parts(*b.part->polytope, own, band);
    for (const int v : out.flat.vertices) out.numbers.push_back(vertex_part(v));
    for (const int e : out.flat.edges) out.numbers.push_back(edge_part(e));
    return out;
  }
  if (b.part->shape.core == Core::ellipsoid) out.numbers.push_back(0);
  if (b.part->shape.core != Core::cylinder) return out;
  const Vec3 axis = b.part->shape.rotation.col(2);
  const double along = own.dot(axis), across = (own - along * axis).norm();
  const bool thin = b.part->shape.size.z() == 0;
  if (across <= near_kink_of_part) out.end = along < 0 ? 0 : 1;
  if (along <= near_kink_of_part || thin) out.numbers.push_back(0);
  if (along >= -near_kink_of_part && !thin) out.numbers.push_back(1);
  if (std::abs(along) <= near_kink_of_part && !thin) out.numbers.push_back(cylinder_side);
  return out;
}

/// Features of the same parts, which are curves, from all points at which they may cross.
std::vector<Feature> crossings(const Feature& first, const BodyShape& a, const BodyShape& b) {
  std::vector<Feature> out;
  const auto add = [&](const Vec3& u_a, const Vec3& u_b) {
    out.push_back(first);
    out.back().p = a.pose.orientation.conjugate() * u_a;
    out.back().c = b.pose.orientation.conjugate() * u_b;
  };
  const bool rim_a = is_rim(*a.part, first.part_a), rim_b = is_rim(*b.part, first.part_b);
  if (rim_a && rim_b)
    for (const auto& [u_a, u_b] : rim_crossings(a, first.part_a, b, first.part_b)) add(u_a, u_b);
  else if (rim_a && is_line(*b.part, first.part_b))
    for (const Vec3& u : chord_ends(a, first.part_a, b, first.part_b)) add(u, Vec3::Zero());
  else if (rim_b && is_line(*a.part, first.part_a))
    for (const Vec3& u : chord_ends(b, first.part_b, a, first.part_a)) add(Vec3::Zero(), u);
  return out;
}

/// Numbers of all rims, edges and sides of a shape.
std::vector<int> curves(const ShapePart& part) {
  if (!part.polytope) {
    if (part.shape.core != Core::cylinder) return {};
    return part.shape.size.z() > 0 ? std::vector<int>{0, 1, cylinder_side} : std::vector<int>{0};
  }
  std::vector<int> out;
  out.reserve(part.polytope->edges.size());
  for (std::size_t e = 0; e < part.polytope->edges.size(); ++e) out.push_back(edge_part(static_cast<int>(e)));
  return out;
}

/// Each feature once.
class CurvedList {
 public:
  explicit CurvedList(double reach) : reach_(reach) {}
  std::vector<FoundFeature> found;

  static Feature feature(const BodyShape& a, const BodyShape& b, Feature::Kind kind, int part_a, int part_b) {
    Feature f;
    f.kind = kind;
    f.a = a.body;
    f.b = b.body;
    f.shape_a = a.index;
    f.shape_b = b.index;
    f.part_a = part_a;
    f.part_b = part_b;
    f.margin_b = b.part->shape.margin;
    return f;
  }

  void surfaces(const BodyShape& a, const BodyShape& b, int number_a, int number_b, const Vec3& n) {
    Feature first = feature(a, b, Feature::Kind::surfaces, number_a, number_b);
    first.n = a.pose.orientation.conjugate() * n;
    std::vector<Feature> guesses = crossings(first, a, b);
    guesses.insert(guesses.begin(), first);
    for (Feature& f : guesses) {
      const auto fr = surface_frame(f, *a.part, *b.part, a.pose, b.pose);
      if (!fr) continue;
      follow(f, *a.part, *b.part, a.pose, b.pose);
      // Of the ends of a chord only that one touches at which the rim turns down.
      if (!f.p.isZero(0) && fr->n.dot(a.pose.orientation * f.p) < -no_longer_flat) continue;
      if (!f.c.isZero(0) && fr->n.dot(b.pose.orientation * f.c) > no_longer_flat) continue;
      add(f, *fr, a, b);
    }
  }

  /// All that b may have on a plane of a: a face, or a flat end.
  void on_plane(const BodyShape& a, int part_a, const BodyShape& b, const CurvedParts& of_b) {
    const bool face = static_cast<bool>(a.part->polytope);
    const FlatEnd end = face ? FlatEnd{} : flat_end(a.part->shape, part_a);
    const Polytope* P = a.part->polytope.get();
    const Vec3 n = face ? P->face(part_a).n : end.n;
    const Vec3 p = (face ? P->vertex(P->face(part_a).loop[0]) : end.centre) + a.part->shape.margin * n;
    const auto plane = [&](Feature::Kind kind, int part_b) {
      Feature f = feature(a, b, kind, part_a, part_b);
      f.n = n;
      f.p = p;
      if (!face) f.rim = a.part->shape.size.x();
      return f;
    };
    if (b.part->polytope) {  // on a flat end
      for (const int v : of_b.flat.vertices) {
        Feature f = plane(Feature::Kind::plane_point, v);
        f.c = b.part->polytope->vertex(v);
        add(f, frame(f, *a.part, *b.part, a.pose, b.pose), a, b);
      }
      for (const int e : of_b.flat.edges)
        for (const int side : {0, 1}) {
          Feature f = plane(Feature::Kind::chord, e);
          f.c = b.part->polytope->vertex(b.part->polytope->edge(e).first);
          f.axis = b.part->polytope->edge(e).d;
          f.corner = side;
          add(f, chord_frame(f, a.pose, b.pose), a, b);
        }
      return;
    }
    if (b.part->shape.core == Core::ellipsoid) {
      const Feature f = plane(Feature::Kind::plane_round, 0);
      add(f, frame(f, *a.part, *b.part, a.pose, b.pose), a, b);
      return;
    }
    const ConvexShape& own = b.part->shape;
    const Vec3 axis = b.pose.orientation * own.rotation.col(2);
    if (of_b.end >= 0 && axis.cross(a.pose.orientation * n).norm() <= lies_flat) {
      const FlatEnd lower = flat_end(own, of_b.end);
      const auto axes =
          flat_axes(placed(*b.part, b.pose).rotation, own.size.x(), a.pose.orientation * n, a.pose, b.pose);
      for (int k = 0; k < 4; ++k) {
        Feature f = plane(Feature::Kind::plane_point, 4 * of_b.end + k);
        f.c = lower.centre + b.pose.orientation.conjugate() *
                                 Vec3(own.size.x() * (k < 2 ? 1 : -1) * axes[static_cast<std::size_t>(k % 2)]);
        f.axis = own.rotation.col(2);
        add(f, frame(f, *a.part, *b.part, a.pose, b.pose), a, b);
      }
      for (const int side : {0, 1}) {
        if (face) break;
        Feature f = plane(Feature::Kind::lens, of_b.end);
        f.c = lower.centre;
        f.axis = own.rotation.col(2);
        f.corner = side;
        add(f, lens_frame(f, *b.part, a.pose, b.pose), a, b);
      }
      return;
    }
    for (const int end_b : of_b.numbers) {
      if (end_b == cylinder_side) continue;
      Feature f = plane(Feature::Kind::plane_rim, end_b);
      f.c = flat_end(own, end_b).centre;
      f.axis = own.rotation.col(2);
      f.rim = own.size.x();
      add(f, frame(f, *a.part, *b.part, a.pose, b.pose), a, b);
    }
  }

 private:
  void add(const Feature& f, const ContactFrame& fr, const BodyShape& a, const BodyShape& b) {
    if (!(fr.gap <= reach_)) return;
    // By half of what ends it, so that a feature that has ended is not found again at once.
    const double least = curved_extent(f, *a.part, *b.part, a.pose, b.pose, cone_slack(*a.part, *b.part));
    if (!(least >= 0.5 * inside_slack(*a.part, *b.part))) return;
    const double near = 1e-8 * std::min(a.part->radius, b.part->radius) + std::abs(fr.gap);
    for (const FoundFeature& other : found)
      if ((0.5 * (other.touch.on_A + other.touch.on_B) - fr.point).norm() <= near &&
          std::abs(other.touch.n.dot(fr.n)) > 1 - 1e-8)
        return;
    FoundFeature out;
    out.feature = f;
    out.touch.n = fr.n;
    out.touch.gap = fr.gap;
    out.touch.on_A = fr.point - 0.5 * fr.gap * fr.n;
    out.touch.on_B = fr.point + 0.5 * fr.gap * fr.n;
    found.push_back(out);
  }

  double reach_;
};

}  // namespace

bool has_part(const ShapePart& part, int number) {
  if (number < 0) return false;
  const auto k = static_cast<std::size_t>(number / 2);
  if (part.polytope) return k < (number % 2 == 0 ? part.polytope->vertices.size() : part.polytope->edges.size());
  if (part.shape.core == Core::cylinder) return number <= cylinder_side;
  return part.shape.core == Core::ellipsoid && number == 0;
}

std::optional<ContactFrame> surface_frame(const Feature& f, const ShapePart& part_a, const ShapePart& part_b,
                                          const Pose& a, const Pose& b) {
  const Vec3 &wa = a.angular_velocity, &wb = b.angular_velocity;
  if (const auto crossed = crossed_curves(f, part_a, part_b, a, b)) {
    ContactFrame out;
    out.n = crossed->n;
    out.n_rate = crossed->n_rate;
    out.gap = crossed->gap;
    out.point = crossed->on_a + 0.5 * out.gap * out.n;
    out.point_rate = crossed->on_a_rate;
    out.V = b.velocity + wb.cross(out.point - b.position) - a.velocity - wa.cross(out.point - a.position);
    return out;
  }
  const auto at = surface_point(f, part_a, part_b, a, b);
  if (!at) return std::nullopt;
  const Vec3& n = at->n;
  const Vec3 rate_a = a.velocity + wa.cross(at->on_a() - a.position);
  const Vec3 rate_b = b.velocity + wb.cross(at->on_b() - b.position);
  Vec6 driven;
  driven << rate_b - rate_a + at->A.K * wa.cross(n) + at->B.K * wb.cross(n), 0, -n.dot(wa.cross(at->A.line)),
      -n.dot(wb.cross(at->B.line));
  const Vec6 rates = at->matrix().fullPivLu().solve(driven);
  ContactFrame out;
  out.n = n;
  out.n_rate = rates.head<3>();
  out.gap = at->gap;
  out.point = at->on_a() + 0.5 * at->gap * n;
  out.point_rate = rate_a + at->A.K * (out.n_rate - wa.cross(n)) + rates(4) * at->A.line;
  out.V = b.velocity + wb.cross(out.point - b.position) - a.velocity - wa.cross(out.point - a.position);
  return out;
}

ContactFrame chord_frame(const Feature& f, const Pose& a, const Pose& b) {
  const Vec3 &wa = a.angular_velocity, &wb = b.angular_velocity;
  const Vec3 p = a.position + a.orientation * f.p, q = b.position + b.orientation * f.c;
  const Vec3 p_rate = a.velocity + wa.cross(p - a.position), q_rate = b.velocity + wb.cross(q - b.position);
  const Vec3 d = b.orientation * f.axis, d_rate = wb.cross(d), x = q - p, x_rate = q_rate - p_rate;
  ContactFrame out;
  out.n = a.orientation * f.n;
  out.n_rate = wa.cross(out.n);
  const Chord at = chord_of(f, x, d, out.n);
  // The distance from the axis stays r.
  const Vec3& y = at.radius;
  const double s_rate =
      -(y.dot(x_rate) - x.dot(out.n) * y.dot(out.n_rate) + at.s * (y.dot(d_rate) - d.dot(out.n) * y.dot(out.n_rate))) /
      y.dot(d);
  const Vec3 c = q + at.s * d, c_rate = q_rate + s_rate * d + at.s * d_rate;
  out.gap = out.n.dot(c - p) - f.margin_b;
  out.point = c - (f.margin_b + 0.5 * out.gap) * out.n;
  out.point_rate = c_rate - f.margin_b * out.n_rate;
  out.V = b.velocity + wb.cross(out.point - b.position) - a.velocity - wa.cross(out.point - a.position);
  return out;
}

ContactFrame lens_frame(const Feature& f, const ShapePart& part_b, const Pose& a, const Pose& b) {
  const Vec3 &wa = a.angular_velocity, &wb = b.angular_velocity;
  const Vec3 p = a.position + a.orientation * f.p, q = b.position + b.orientation * f.c;
  const Vec3 p_rate = a.velocity + wa.cross(p - a.position), q_rate = b.velocity + wb.cross(q - b.position);
  ContactFrame out;
  out.n = a.orientation * f.n;
  out.n_rate = wa.cross(out.n);
  const Vec3 x = q - p, x_rate = q_rate - p_rate;
  out.gap = out.n.dot(x);
  const Vec3 d = x - out.gap * out.n;
  const Vec3 d_rate = x_rate - (out.n_rate.dot(x) + out.n.dot(x_rate)) * out.n - out.gap * out.n_rate;
  const Lens at = lens_of(f, part_b, d);
  // α and β depend on |d| only.
  const double growth = 2 * d.dot(d_rate) / d.squaredNorm();
  const double alpha_rate = (0.5 - at.alpha) * growth;
  const double square_rate = -(at.square + at.alpha * at.alpha) * growth - 2 * at.alpha * alpha_rate;
  const double beta_rate = at.beta != 0 ? 0.5 * square_rate / at.beta : 0;
  const Vec3 side = out.n.cross(d), side_rate = out.n_rate.cross(d) + out.n.cross(d_rate);
  const Vec3 c = p + at.alpha * d + at.beta * side;
  out.point = c + 0.5 * out.gap * out.n;
  out.point_rate = p_rate + alpha_rate * d + at.alpha * d_rate + beta_rate * side + at.beta * side_rate;
  // The gap itself is where the end of b is below this point.
  const Vec3 m = b.orientation * f.axis;
  out.gap = m.dot(q - c) / m.dot(out.n);
  out.V = b.velocity + wb.cross(out.point - b.position) - a.velocity - wa.cross(out.point - a.position);
  return out;
}

double curved_extent(const Feature& f, const ShapePart& part_a, const ShapePart& part_b, const Pose& a, const Pose& b,
                     double rim_slack) {
  const double inside = inside_slack(part_a, part_b), cone = cone_slack(part_a, part_b);
  if (f.kind == Feature::Kind::surfaces) {
    if (const auto at = crossed_curves(f, part_a, part_b, a, b)) {
      double least = std::min(part_extent(part_a, f.part_a, a, at->n, at->s_a, inside, cone, rim_slack),
                              part_extent(part_b, f.part_b, b, -at->n, at->s_b, inside, cone, rim_slack));
      // Where the normal of one rim is across its end, the other rim goes over to this end.
      if (!at->radius_a.isZero(0) && !at->radius_b.isZero(0))
        least = std::min({least, part_a.shape.size.x() * at->n.dot(at->radius_a) + cone,
                          cone - part_b.shape.size.x() * at->n.dot(at->radius_b)});
      return least;
    }
    const auto at = surface_point(f, part_a, part_b, a, b);
    if (!at) return -part_a.radius;
    return std::min(part_extent(part_a, f.part_a, a, at->n, at->s_a, inside, cone, rim_slack),
                    part_extent(part_b, f.part_b, b, -at->n, at->s_b, inside, cone, rim_slack));
  }
  const Vec3 n = a.orientation * f.n;
  if (f.kind == Feature::Kind::chord) {
    const Chord at =
        chord_of(f, b.position + b.orientation * f.c - a.position - a.orientation * f.p, b.orientation * f.axis, n);
    const PolytopeEdge& edge = part_b.polytope->edge(f.part_b);
    // An edge that is not along the end touches its rim, with another normal.
    const double flat = f.rim * (no_longer_flat - std::abs(n.dot(b.orientation * f.axis)));
    double least = std::min({at.half, at.s + inside, edge.length - at.s + inside, flat});
    const Vec3 own = b.orientation.conjugate() * n;
    for (std::size_t k = 0; k < 2; ++k)
      if (edge.faces[k] >= 0) least = std::min(least, cone + edge.length * own.dot(edge.inward[k]));
    return least;
  }
  const Vec3 down = b.orientation.conjugate() * -n;
  const double flat = part_b.shape.size.x() * (no_longer_flat - f.axis.cross(down).norm());
  if (f.kind == Feature::Kind::lens) {
    const Vec3 x = b.position + b.orientation * f.c - a.position - a.orientation * f.p, d = x - n.dot(x) * n;
    if (!(d.norm() > 1e-6 * f.rim)) return -f.rim;
    return std::min(flat, lens_of(f, part_b, d).square * d.norm());
  }
  // Within the face, or the flat end.
  const Vec3 c = a.orientation.conjugate() * (frame(f, part_a, part_b, a, b).point - a.position);
  double least = 0;
  if (part_a.polytope) {
    least = inside_face(*part_a.polytope, part_a.polytope->face(f.part_a), c) + inside;
  } else {
    const Vec3 across = c - f.p - (c - f.p).dot(f.n) * f.n;
    least = part_a.shape.size.x() - across.norm() + inside;
  }
  if (f.kind == Feature::Kind::plane_rim)
    return std::min(least, part_extent(part_b, f.part_b, b, -n, 0, inside, cone, rim_slack));
  if (f.kind == Feature::Kind::plane_round) return least;
  if (part_b.polytope) return std::min(least, vertex_cone(*part_b.polytope, f.part_b, down) + cone);
  return std::min(least, flat);
}

std::optional<double> turned_down(const Feature& f, const ShapePart& part_a, const ShapePart& part_b, const Pose& a,
                                  const Pose& b) {
  if (f.kind == Feature::Kind::chord)
    return (f.corner == 0 ? 1 : -1) * (a.orientation * f.n).dot(b.orientation * f.axis);
  if (f.kind != Feature::Kind::surfaces) return std::nullopt;
  const bool of_a = is_rim(part_a, f.part_a) && is_line(part_b, f.part_b);
  if (!of_a && !(is_rim(part_b, f.part_b) && is_line(part_a, f.part_a))) return std::nullopt;
  const auto at = crossed_curves(f, part_a, part_b, a, b);
  if (!at) return std::nullopt;
  return of_a ? at->n.dot(at->radius_a) : -at->n.dot(at->radius_b);
}

void follow(Feature& f, const ShapePart& part_a, const ShapePart& part_b, const Pose& a, const Pose& b) {
  if (const auto at = crossed_curves(f, part_a, part_b, a, b)) {
    f.n = a.orientation.conjugate() * at->n;
    f.p = a.orientation.conjugate() * at->radius_a;
    f.c = b.orientation.conjugate() * at->radius_b;
  } else if (const auto other = surface_point(f, part_a, part_b, a, b)) {
    f.n = a.orientation.conjugate() * other->n;
    f.p = f.c = Vec3::Zero();
  }
}

bool has_curved_parts(const Feature& f, const ShapePart& part_a, const ShapePart& part_b) {
  if (f.kind == Feature::Kind::surfaces) return has_part(part_a, f.part_a) && has_part(part_b, f.part_b);
  const auto below = [](int k, std::size_t count) { return k >= 0 && static_cast<std::size_t>(k) < count; };
  const bool cylinder = part_b.shape.core == Core::cylinder;
  const bool plane = part_a.polytope ? below(f.part_a, part_a.polytope->faces.size())
                                     : part_a.shape.core == Core::cylinder && below(f.part_a, 2);
  if (!plane) return false;
  switch (f.kind) {
    case Feature::Kind::plane_point:
      return part_b.polytope ? below(f.part_b, part_b.polytope->vertices.size()) : cylinder && below(f.part_b, 8);
    case Feature::Kind::plane_round: return part_b.shape.core == Core::ellipsoid;
    case Feature::Kind::plane_rim: return cylinder && below(f.part_b, 2);
    case Feature::Kind::lens: return cylinder && below(f.part_b, 2) && !part_a.polytope;
    case Feature::Kind::chord: return part_b.polytope && below(f.part_b, part_b.polytope->edges.size());
    default: return false;
  }
}

std::vector<FoundFeature> curved_features(const BodyShape& a, const BodyShape& b, const Touch& touch, double reach) {
  const double band = std::max(near_kink_of_part * std::min(a.part->radius, b.part->radius), 10 * reach);
  const CurvedParts of_a = curved_parts(a, touch.n, band), of_b = curved_parts(b, -touch.n, band);
  CurvedList list(reach);
  for (const int face : of_a.flat.faces) list.on_plane(a, face, b, of_b);
  for (const int face : of_b.flat.faces) list.on_plane(b, face, a, of_a);
  if (of_a.end >= 0) list.on_plane(a, of_a.end, b, of_b);
  if (of_b.end >= 0) list.on_plane(b, of_b.end, a, of_a);
  for (const int number_a : of_a.numbers)
    for (const int number_b : of_b.numbers) list.surfaces(a, b, number_a, number_b, touch.n);
  return std::move(list.found);
}

std::vector<CurveCrossing> curve_crossings(const BodyShape& a, const BodyShape& b) {
  std::vector<CurveCrossing> out;
  for (const int number_a : curves(*a.part))
    for (const int number_b : curves(*b.part)) {
      const Feature first = CurvedList::feature(a, b, Feature::Kind::surfaces, number_a, number_b);
      for (const Feature& f : crossings(first, a, b))
        if (const auto at = crossed_curves(f, *a.part, *b.part, a.pose, b.pose)) out.push_back({f, *at});
    }
  return out;
}

std::vector<FoundFeature> flat_features(const BodyShape& a, const BodyShape& b, double reach) {
  const ConvexShape A = placed(*a.part, a.pose), B = placed(*b.part, b.pose);
  Touch touch;
  touch.gap = -std::numeric_limits<double>::infinity();
  const auto offer = [&](const Vec3& n) {
    const double width = slab(A, B, n);
    if (width > touch.gap) {
      touch.gap = width;
      touch.n = n;
    }
  };
  for (const bool of_a : {true, false}) {
    const BodyShape& own = of_a ? a : b;
    const double sign = of_a ? 1 : -1;
    if (own.part->polytope)
      for (const PolytopeFace& face : own.part->polytope->faces) offer(sign * (own.pose.orientation * face.n));
    else if (own.part->shape.core == Core::cylinder)
      for (const int end : {0, 1}) offer(sign * (own.pose.orientation * flat_end(own.part->shape, end).n));
  }
  if (A.core == Core::cylinder && B.core == Core::cylinder) {
    // Sides that touch along a line or nearly so, or cross each other: the distance of such shapes is uncertain.
    const Vec3 axis_a = A.rotation.col(2), axis_b = B.rotation.col(2), way = B.position - A.position;
    const auto offer_across = [&](const Vec3& axis, const Vec3& d) {
      const Vec3 across = axis.cross(d.cross(axis));
      if (across.norm() > 0) offer(across.normalized());
    };
    for (const double end : {-1.0, 0.0, 1.0}) {
      offer_across(axis_a, way + end * B.size.z() * axis_b);
      offer_across(axis_b, way + end * A.size.z() * axis_a);
    }
    const Vec3 both = axis_a.cross(axis_b);
    if (both.norm() > 1e-9) offer((both.dot(way) < 0 ? -1 : 1) * both.normalized());
  }
  // As near as the plane says: no other is wider.
  const double size = std::min(a.part->radius, b.part->radius);
  const auto tight_features = [&]() -> std::vector<FoundFeature> {
    if (!(touch.gap > -1e-6 * size) || touch.gap > reach) return {};
    std::vector<FoundFeature> out = curved_features(a, b, touch, reach);
    const auto tight = [&](const FoundFeature& f) { return f.touch.gap <= touch.gap + 1e-12 * size; };
    if (std::none_of(out.begin(), out.end(), tight)) out.clear();
    return out;
  };
  std::vector<FoundFeature> out = tight_features();
  if (!out.empty() || touch.gap > reach) return out;
  const double before = touch.gap;
  for (const CurveCrossing& crossing : curve_crossings(a, b)) {
    offer(crossing.at.n);
    offer(-crossing.at.n);
  }
  if (touch.gap > before) out = tight_features();
  return out;
}

}  // namespace ricochet::motion
