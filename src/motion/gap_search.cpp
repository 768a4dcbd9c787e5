#include "motion/gap_search.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "motion/polytope_search.hpp"
#include "motion/safe_time.hpp"
#include "motion/separating_plane.hpp"
#include "motion/surface_contact.hpp"
#include "ricochet/motion/first_crossing.hpp"

namespace ricochet::motion {
namespace {

/// Where a polynomial without a zero is least, if that is within `touching` of zero: it crosses when it is lowered by
/// that, and from there Newton's iteration leads to the zero of its slope.
template <int n>
double touch_of(Coefficients<double, n> c, double length, const GapSearch& search) {
  c[0] -= search.touching;
  const FirstCrossing lower = first_crossing<n>(c, length);
  if (lower.kind != CrossingKind::crosses) return std::numeric_limits<double>::infinity();
  double t = lower.time;
  for (int step = 0; step < 40; ++step) {
    double slope = 0, bend = 0;
    for (std::size_t k = n; k > 0; --k) {
      bend = bend * t + slope;
      slope = slope * t + static_cast<double>(k) * c[k];
    }
    if (slope >= 0) return t;
    const double next = t - slope / bend;
    // It still falls where the search ends.
    if (!(bend > 0) || !(next < length)) break;
    if (!(next > t)) return t;
    t = next;
  }
  return std::numeric_limits<double>::infinity();
}

/// Exact for the stored coefficients where nothing turns: (EV1).
template <int n>
Expected<GapFound> exact_search(Coefficients<double, n> c, const GapSearch& search) {
  if (c[0] <= search.touching) {
    if (std::abs(c[1]) <= search.still) c[1] = 0;
    if (c[1] >= 0) c[0] = std::max(c[0], 0.0);
  }
  const double length = search.to - search.from;
  const FirstCrossing found = first_crossing<n>(c, length);
  switch (found.kind) {
    case CrossingKind::none: {
      GapFound out;
      if (search.notes_grazing && c[0] > search.touching) out.grazes = search.from + touch_of<n>(c, length, search);
      return out;
    }
    case CrossingKind::crosses: return GapFound{true, search.from + found.time};
    case CrossingKind::starts_negative: return GapFound{true, search.from};
    case CrossingKind::undecided:
      return fail(ErrorCode::not_converged, "", "", "the first crossing of a gap is beyond the exact arithmetic");
    case CrossingKind::invalid: break;
  }
  return fail(ErrorCode::overflow, "", "", "the coefficients of a gap are not finite");
}

Vec3 second(const Piece& piece) { return piece.degree >= 2 ? piece.x[2] : Vec3(Vec3::Zero()); }

Expected<GapFound> corner_on_half_space(const MovingShape& A, const MovingShape& B, const Vec3& corner,
                                        const GapSearch& search) {
  const PlaneInBody plane{A.part->shape.rotation.col(2), A.part->shape.position};
  const double margin = B.part->shape.margin;
  const Piece &a = *A.piece, &b = *B.piece;
  if (a.turning == Piece::Turning::none && a.degree <= 2 && b.degree <= 2 &&
      (corner.isZero(0) || b.turning == Piece::Turning::none)) {
    const Vec3 n = a.orientation * plane.n;
    const Vec3 arm = b.orientation * corner - a.orientation * plane.p;
    const double s = search.from;
    return exact_search<2>({n.dot(b.position(s) - a.position(s) + arm) - margin, n.dot(b.velocity(s) - a.velocity(s)),
                            n.dot(second(b) - second(a))},
                           search);
  }
  const Pose b0 = b.pose(search.from);
  const double distance = a.turning == Piece::Turning::none
                              ? 0
                              : (b0.position - a.position(search.from)).norm() + corner.norm() + plane.p.norm();
  const double bound = plane_bound(a, plane.p.norm(), b, corner.norm(), distance, search.from, search.to);
  return march([&](double t) { return plane_gap(plane, a.pose(t), corner, margin, b.pose(t)); }, bound, search);
}

Expected<GapFound> ellipsoid_on_half_space(const MovingShape& A, const MovingShape& B, const GapSearch& search) {
  const Piece &a = *A.piece, &b = *B.piece;
  const double w = b.turning_speed + a.turning_speed;
  const double distance = (b.position(search.from) - a.position(search.from)).norm();
  const double smooth =
      plane_bound(a, A.part->shape.position.norm(), b, B.part->radius, distance, search.from, search.to);
  const auto gap = [&](double t) {
    const Pose pa = a.pose(t), pb = b.pose(t);
    const ConvexShape plane = placed(*A.part, pa), shape = placed(*B.part, pb);
    const Vec3 n = plane.rotation.col(2), c = core_support(shape, -n);
    const Vec3 V = pb.velocity + pb.angular_velocity.cross(c - pb.position) - pa.velocity -
                   pa.angular_velocity.cross(c - pa.position);
    return GapRate{n.dot(c - plane.position) - shape.margin, n.dot(V)};
  };
  return march(gap, smooth + w * w * B.part->curvature, search);
}

/// One rim of a cylinder above a plane of a: f = n·(c − p) − r u, u = ‖n − a (a·n)‖, whose second derivative is bounded
/// while u is, and how long f stays positive, (MO7).
struct RimOutlook {
  GapRate now;
  double safe = 0;
};
RimOutlook rim_outlook(const Pose& pa, const Vec3& n, const Vec3& p, const ConvexShape& own, double end, const Pose& pb,
                       double base, const Piece& a, const Piece& b) {
  const Vec3 axis_in_body = own.rotation.col(2), centre = own.position + end * own.size.z() * axis_in_body;
  const double r = own.size.x(), w = a.turning_speed + b.turning_speed;
  const double turning = a.turning_acceleration + b.turning_acceleration + 2 * w * w;
  const Vec3 axis = pb.orientation * axis_in_body;
  const Vec3 down = axis.cross(axis.cross(n)), c = pb.position + pb.orientation * centre;
  const double u = down.norm();
  const auto rate_at = [&](const Vec3& x) {
    return n.dot(pb.velocity + pb.angular_velocity.cross(x - pb.position) - pa.velocity -
                 pa.angular_velocity.cross(x - pa.position));
  };
  const Vec3 lowest = u > 0 ? Vec3(c + r / u * down) : c;
  RimOutlook out;
  out.now = {n.dot(c - p) - r * u - own.margin, rate_at(lowest)};
  // A rim that is nearly flat may turn any of its points down.
  out.safe = u > 1e-4 ? std::min(safe_time(out.now, base + r * (2 * w * w / u + turning)),
                                 w > 0 ? 0.5 * u / w : std::numeric_limits<double>::infinity())
                      : safe_time({out.now.value, rate_at(c) - w * r}, base);
  return out;
}

Expected<GapFound> rim_on_half_space(const MovingShape& A, const MovingShape& B, double end, const GapSearch& search) {
  const Piece &a = *A.piece, &b = *B.piece;
  const ConvexShape& own = B.part->shape;
  const Vec3 centre = own.position + end * own.size.z() * own.rotation.col(2);
  const double distance = (b.position(search.from) - a.position(search.from)).norm() + B.part->radius;
  const double base = plane_bound(a, A.part->shape.position.norm(), b, centre.norm(), distance, search.from, search.to);
  double t = search.from, creep = 1e-12 * (search.to - search.from);
  GrazingNote note(search);
  for (int k = 0; k < most_steps; ++k) {
    const Pose pa = a.pose(t), pb = b.pose(t);
    const ConvexShape plane = placed(*A.part, pa);
    const RimOutlook rim = rim_outlook(pa, plane.rotation.col(2), plane.position, own, end, pb, base, a, b);
    const GapRate& now = rim.now;
    note.see(t, now.value, now.rate);
    const bool touches = now.value <= (k == 0 ? search.touching : search.rounding);
    // A rate that is zero up to rounding does not close a gap that has just opened.
    const bool hovers = now.value > -search.touching && now.rate >= -search.still;
    if (touches && now.rate < (k == 0 ? -search.still : 0) && !hovers) return GapFound{true, t};
    double step = rim.safe;
    if (step < creep && now.value <= search.touching && now.rate >= -search.still) {
      step = creep;
      creep *= 1.5;
    }
    t = later(t, step);
    if (!(t < search.to)) return note.none();
  }
  return fail(ErrorCode::not_converged, "", "", "the search for the first contact of two shapes did not end");
}

Expected<GapFound> round_on_half_space(const MovingShape& A, const MovingShape& B, const GapSearch& search) {
  const auto skips = [&](std::initializer_list<int> corners) {
    return std::any_of(corners.begin(), corners.end(), [&](int c) {
      return std::find(search.skipped_corners.begin(), search.skipped_corners.end(), c) != search.skipped_corners.end();
    });
  };
  if (B.part->shape.core == ConvexShape::Core::ellipsoid)
    return skips({0}) ? Expected<GapFound>(GapFound{}) : ellipsoid_on_half_space(A, B, search);
  GapFound out;
  for (const int end : {0, 1}) {
    if (end == 1 && !(B.part->shape.size.z() > 0)) break;  // a disc has one rim
    // As features() numbers them: four points of a flat rim, or its lowest.
    if (skips({4 * end, 4 * end + 1, 4 * end + 2, 4 * end + 3, rim_corner(end)})) continue;
    GapSearch sooner = search;
    if (out.closes) sooner.to = out.time;
    if (!(sooner.to > sooner.from)) break;
    const auto found = rim_on_half_space(A, B, end == 0 ? -1 : 1, sooner);
    if (!found) return found;
    const double grazes = std::min(out.grazes, found->grazes);
    if (found->closes) out = *found;
    out.grazes = grazes;
  }
  return out;
}

/// A cylinder that stands on a rim on a flat face, or on a flat end, next lies on it: its other rim reaches the plane.
Expected<GapFound> lying_down(const MovingShape& A, const MovingShape& B, const GapSearch& search) {
  for (const LastingFeature& lasting : search.lasting) {
    const Feature& f = lasting.feature;
    const MovingShape &plane = lasting.swapped ? B : A, &cylinder = lasting.swapped ? A : B;
    if (f.kind != Feature::Kind::plane_rim || !(cylinder.part->shape.size.z() > 0)) continue;
    const int other = f.part_b == 0 ? 1 : 0;
    if (std::find(search.skipped_corners.begin(), search.skipped_corners.end(), rim_corner(other)) !=
        search.skipped_corners.end())
      continue;
    // It lies already, across an edge or on one.
    const bool lies = std::any_of(search.lasting.begin(), search.lasting.end(), [&](const LastingFeature& l) {
      const int part = l.swapped == lasting.swapped ? l.feature.part_b : l.feature.part_a;
      return l.feature.kind == Feature::Kind::surfaces && (part == other || part == cylinder_side);
    });
    if (lies) continue;
    ShapePart below;
    below.shape.core = ConvexShape::Core::half_space;
    below.shape.position = f.p;
    below.shape.rotation.col(2) = f.n;
    below.shape.rotation.col(0) = f.n.unitOrthogonal();
    below.shape.rotation.col(1) = f.n.cross(below.shape.rotation.col(0));
    return rim_on_half_space({&below, plane.piece}, cylinder, other == 1 ? 1 : -1, search);
  }
  return GapFound{};
}

Expected<GapFound> points(const MovingShape& A, const MovingShape& B, const GapSearch& search) {
  const Piece &a = *A.piece, &b = *B.piece;
  const double reach = A.part->shape.margin + B.part->shape.margin;
  const double s = search.from;
  const bool centred = A.part->centred && B.part->centred;
  if (centred && a.degree <= 2 && b.degree <= 2) {
    const Vec3 d = b.position(s) - a.position(s), v = b.velocity(s) - a.velocity(s), h = second(b) - second(a);
    // |d + v t + h t²|² − reach², divided by 2 reach: a gap near zero.
    const double scale = 0.5 / reach;
    const double far = d.norm();
    const double c0 = (far - reach) * (far + reach) * scale;
    if (h.isZero(0)) return exact_search<2>({c0, 2 * d.dot(v) * scale, v.squaredNorm() * scale}, search);
    return exact_search<4>({c0, 2 * d.dot(v) * scale, (v.squaredNorm() + 2 * d.dot(h)) * scale, 2 * v.dot(h) * scale,
                            h.squaredNorm() * scale},
                           search);
  }
  const PointBound pa = point_bound(a, A.part->shape.position.norm(), search.from, search.to);
  const PointBound pb = point_bound(b, B.part->shape.position.norm(), search.from, search.to);
  const auto gap = [&](double t) {
    const Pose x = a.pose(t), y = b.pose(t);
    const Vec3 ra = x.orientation * A.part->shape.position, rb = y.orientation * B.part->shape.position;
    const Vec3 d = y.position + rb - x.position - ra;
    const Vec3 rate = y.velocity + y.angular_velocity.cross(rb) - x.velocity - x.angular_velocity.cross(ra);
    const double far = d.norm();
    return GapRate{far - reach, far > 0 ? d.dot(rate) / far : -rate.norm()};
  };
  // The distance of two points is bent by at most their accelerations: its second derivative is at least −|d̈|.
  return march(gap, pa.acceleration + pb.acceleration, search);
}

/// As below, of an ellipsoid or a cylinder.
double safe_above_round(const MovingShape& plane_shape, const Pose& a, const Touch& touch, const MovingShape& other,
                        const Pose& b, double distance, double t, double to) {
  const Piece &pa = *plane_shape.piece, &pb = *other.piece;
  const double arm = (touch.on_A - a.position).norm(), w = pa.turning_speed + pb.turning_speed;
  const double base = plane_bound(pa, arm, pb, other.part->radius, distance, t, to);
  const ConvexShape& own = other.part->shape;
  if (own.core == ConvexShape::Core::cylinder) {
    double least = std::numeric_limits<double>::infinity();
    for (const double end : {-1.0, 1.0})
      least = std::min(least, rim_outlook(a, touch.n, touch.on_A, own, end, b, base, pa, pb).safe);
    return least;
  }
  const Vec3 c = core_support(placed(*other.part, b), -touch.n);
  const Vec3 V =
      b.velocity + b.angular_velocity.cross(c - b.position) - a.velocity - a.angular_velocity.cross(c - a.position);
  const GapRate now{touch.n.dot(c - touch.on_A) - own.margin, touch.n.dot(V)};
  return safe_time(now, base + w * w * other.part->curvature);
}

/// How long the shape stays above the plane, which is fixed to the other body: (MO8).
double safe_above(const MovingShape& plane_shape, const Pose& a, const Touch& touch, const MovingShape& other,
                  const Pose& b, double t, double to) {
  const PlaneInBody plane{a.orientation.conjugate() * touch.n, a.orientation.conjugate() * (touch.on_A - a.position)};
  const double margin = other.part->shape.margin;
  const double distance = (b.position - touch.on_A).norm() + other.part->radius;
  if (other.part->round()) return safe_above_round(plane_shape, a, touch, other, b, distance, t, to);
  double least = std::numeric_limits<double>::infinity();
  for (const Vec3& corner : other.part->corners) {
    const double bound = plane_bound(*plane_shape.piece, plane.p.norm(), *other.piece, corner.norm(), distance, t, to);
    GapRate gap = plane_gap(plane, a, corner, margin, b);
    least = std::min(least, safe_time(gap, bound));
  }
  return least;
}

/// The ridge that touches where two curves cross.
Ridge ridge_at(const MovingShape& A, const Pose& a, int number, const Vec3& radius) {
  const ShapePart& part = *A.part;
  if (part.polytope) return ridge_of(A, number / 2);
  const ConvexShape& shape = part.shape;
  const Vec3 axis = shape.rotation.col(2);
  Ridge out;
  out.margin = shape.margin;
  if (number == cylinder_side) {
    out.point = shape.position - shape.size.z() * axis;
    out.d = axis;
    out.length = 2 * shape.size.z();
    out.margin += shape.size.x();
    return out;
  }
  const double end = number == 0 ? -1 : 1;
  const Vec3 u = a.orientation.conjugate() * radius;
  out.point = shape.position + end * shape.size.z() * axis + shape.size.x() * u;
  out.d = axis.cross(u);
  out.add_face(-u);
  if (shape.size.z() > 0) out.add_face(-end * axis);
  return out;
}

/// Cylinders and what they meet: between the wedges of rims and edges that cross there is a plane, as between edges.
double safe_across_curves(const MovingShape& A, const Pose& a, const MovingShape& B, const Pose& b, double t,
                          double to) {
  const BodyShape of_a{0, 0, A.part, a}, of_b{1, 0, B.part, b};
  const ConvexShape at_a = placed(*A.part, a), at_b = placed(*B.part, b);
  const double tight = 1e-12 * std::min(A.part->radius, B.part->radius);
  double longest = 0;
  for (const auto& [feature, crossed] : curve_crossings(of_a, of_b))
    for (const double sense : {1.0, -1.0}) {
      const Vec3 n = sense * crossed.n;
      if (!(slab(at_a, at_b, n) >= n.dot(crossed.on_b - crossed.on_a) - tight)) continue;
      longest = std::max(longest, safe_across_ridges(A, a, ridge_at(A, a, feature.part_a, crossed.radius_a), B, b,
                                                     ridge_at(B, b, feature.part_b, crossed.radius_b), t, to));
    }
  return longest;
}

Expected<GapFound> convex_pair(const MovingShape& A, const MovingShape& B, const GapSearch& search) {
  // Far apart, the balls about the bodies are enough.
  const Piece &a = *A.piece, &b = *B.piece;
  const double rounding = std::max(search.rounding, 1e-13 * std::min(A.part->radius, B.part->radius));
  double t = search.from, creep = 1e-12 * (search.to - search.from);
  GrazingNote note(search);
  const auto far_enough = [&](double balls, double step) {
    return step >= 0.02 * (search.to - search.from) || t + step >= search.to ||
           balls >= 1e-3 * (A.part->radius + B.part->radius);
  };
  for (int k = 0; k < most_steps; ++k) {
    const Pose pa = a.pose(t), pb = b.pose(t);
    const Vec3 d = pb.position - pa.position;
    const double far = d.norm();
    const double balls = far - A.part->radius - B.part->radius;
    double step = 0;
    if (balls > 0) {
      step = safe_time({balls, d.dot(pb.velocity - pa.velocity) / far}, a.acceleration + b.acceleration);
    }
    if (const auto plane =
            far_enough(balls, step) ? std::nullopt : separating_plane(placed(*A.part, pa), placed(*B.part, pb))) {
      Touch back = *plane;
      back.n = -plane->n;
      back.on_A = plane->on_B;
      step = std::max(
          {step, safe_above(A, pa, *plane, B, pb, t, search.to), safe_above(B, pb, back, A, pa, t, search.to)});
    }
    // The distance itself only where nothing cheaper goes on.
    if (!far_enough(balls, step)) {
      const auto touch = nearest(*A.part, pa, *B.part, pb);
      if (!touch) return tl::unexpected(touch.error());
      const Vec3 point = 0.5 * (touch->on_A + touch->on_B);
      const double rate = touch->n.dot(pb.velocity + pb.angular_velocity.cross(point - pb.position) - pa.velocity -
                                       pa.angular_velocity.cross(point - pa.position));
      note.see(t, touch->gap, rate);
      const bool separating = k == 0 && touch->gap <= search.touching && rate >= -search.still;
      // A rate that is zero up to rounding does not close a gap that has just opened.
      const bool hovers = touch->gap > -search.touching && rate >= -search.still;
      if (!separating && !hovers && touch->gap <= rounding && rate < 0) return GapFound{true, t};
      Touch seen = *touch, back = *touch;
      back.n = -touch->n;
      back.on_A = touch->on_B;
      step =
          std::max({step, safe_above(A, pa, seen, B, pb, t, search.to), safe_above(B, pb, back, A, pa, t, search.to)});
      const bool edges = A.part->polytope && B.part->polytope && !A.part->point() && !B.part->point();
      if (edges && few_pairs(*A.part->polytope, *B.part->polytope))
        step = std::max(step, safe_across_edges(A, pa, B, pb, t, search.to));
      if (!A.part->polytope || !B.part->polytope) step = std::max(step, safe_across_curves(A, pa, B, pb, t, search.to));
      if (touch->gap <= search.touching && rate >= -search.still) {
        step = std::max(step, creep);
        creep *= 1.5;
      }
    }
    t = later(t, step);
    if (!(t < search.to)) return note.none();
  }
  return fail(ErrorCode::not_converged, "", "", "the search for the first contact of two shapes did not end");
}

}  // namespace

Expected<GapFound> first_contact(const MovingShape& A, const MovingShape& B, const GapSearch& search) {
  if (!(search.to > search.from)) return GapFound{};
  if (A.part->half_space()) {
    if (B.part->half_space()) return GapFound{};
    if (B.part->round()) return round_on_half_space(A, B, search);
    GapFound out;
    for (std::size_t k = 0; k < B.part->corners.size(); ++k) {
      const auto& skipped = search.skipped_corners;
      if (std::find(skipped.begin(), skipped.end(), static_cast<int>(k)) != skipped.end()) continue;
      GapSearch sooner = search;
      if (out.closes) sooner.to = out.time;
      const auto found = corner_on_half_space(A, B, B.part->corners[k], sooner);
      if (!found) return found;
      const double grazes = std::min(out.grazes, found->grazes);
      if (found->closes && (!out.closes || found->time < out.time)) out = *found;
      out.grazes = grazes;
    }
    return out;
  }
  if (!search.lasting.empty())
    return A.part->polytope && B.part->polytope ? touching_polytopes(A, B, search) : lying_down(A, B, search);
  if (!search.skipped_corners.empty()) return GapFound{};
  if (A.part->point() && B.part->point()) return points(A, B, search);
  const bool sharp = A.part->shape.margin == 0 && B.part->shape.margin == 0;
  if (sharp && A.part->polytope && B.part->polytope && few_pairs(*A.part->polytope, *B.part->polytope))
    return sharp_polytopes(A, B, search);
  return convex_pair(A, B, search);
}

}  // namespace ricochet::motion
