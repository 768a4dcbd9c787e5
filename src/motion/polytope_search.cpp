#include "motion/polytope_search.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "motion/safe_time.hpp"

namespace ricochet::motion {

Ridge ridge_of(const MovingShape& A, int edge) {
  const PolytopeEdge& e = A.part->polytope->edge(edge);
  Ridge out;
  out.point = A.part->polytope->vertex(e.first);
  out.d = e.d;
  out.length = e.length;
  out.margin = A.part->shape.margin;
  for (std::size_t k = 0; k < 2; ++k)
    if (e.faces[k] >= 0) out.add_face(e.inward[k]);
  return out;
}

namespace {

/// f = scale (u·w) of two directions, each fixed in its body: (MO27).
struct TurningProduct {
  Vec3 u = Vec3::UnitX();  ///< axes of A
  Vec3 w = Vec3::UnitX();  ///< axes of B
  double scale = 1;        ///< [m]

  [[nodiscard]] GapRate at(const Pose& a, const Pose& b) const {
    const Vec3 x = a.orientation * u, y = b.orientation * w;
    return {scale * x.dot(y), scale * (a.angular_velocity - b.angular_velocity).dot(x.cross(y))};
  }
  [[nodiscard]] double bound(const Piece& a, const Piece& b) const {
    const double rate = a.turning_speed + b.turning_speed;
    return scale * (rate * rate + a.turning_acceleration + b.turning_acceleration);
  }
};

/// How long an axis separates, its width now and the rate of it.
struct AxisOutlook {
  GapRate now;
  double safe = 0;
};

/// The plane of a face of A, with all of B above it.
AxisOutlook above_face_of(const MovingShape& A, const Pose& a, int face, const MovingShape& B, const Pose& b, double t,
                          double to, double rounding) {
  const Polytope &P = *A.part->polytope, &Q = *B.part->polytope;
  const PlaneInBody plane{P.face(face).n, P.vertex(P.face(face).loop[0])};
  AxisOutlook out;
  out.safe = std::numeric_limits<double>::infinity();
  out.now.value = std::numeric_limits<double>::infinity();
  const double distance = (b.position - a.position).norm() + plane.p.norm() + B.part->radius;
  const double bound = plane_bound(*A.piece, plane.p.norm(), *B.piece, B.part->radius, distance, t, to);
  std::vector<GapRate> gaps;
  gaps.reserve(Q.vertices.size());
  for (const Vec3& v : Q.vertices) {
    gaps.push_back(plane_gap(plane, a, v, 0, b));
    out.now.value = std::min(out.now.value, gaps.back().value);
  }
  out.now.rate = std::numeric_limits<double>::infinity();
  for (const GapRate& gap : gaps) {
    if (gap.value <= out.now.value + rounding) out.now.rate = std::min(out.now.rate, gap.rate);
    out.safe = std::min(out.safe, safe_time(gap, bound));
  }
  return out;
}

/// As above, of the plane that two ridges span: (MO28), as long as their faces stay behind it.
AxisOutlook across_ridges(const MovingShape& A, const Pose& a, const Ridge& e, const MovingShape& B, const Pose& b,
                          const Ridge& g, double t, double to) {
  const double margins = e.margin + g.margin;
  const Vec3 d = a.orientation * e.d, f = b.orientation * g.d;
  const Vec3 p = a.position + a.orientation * e.point, q = b.position + b.orientation * g.point;
  const Vec3 &wa = a.angular_velocity, &wb = b.angular_velocity;
  const Vec3 across = d.cross(f), across_rate = wa.cross(d).cross(f) + d.cross(wb.cross(f));
  const double sine = across.norm();
  // From the nearest points of the lines, so that the distance and its bounds are small.
  Vec3 x = q - p;
  const double s = x.cross(f).dot(across) / (sine * sine), u = x.cross(d).dot(across) / (sine * sine);
  const double s_in = std::clamp(s, 0.0, e.length), u_in = std::clamp(u, 0.0, g.length);
  const Vec3 p_in = p + s_in * d, q_in = q + u_in * f;
  x = q_in - p_in;
  const Vec3 x_rate = b.velocity + wb.cross(q_in - b.position) - a.velocity - wa.cross(p_in - a.position);
  double sense = 1;
  if (e.faces > 0) {
    if (across.dot(a.orientation * (e.inward[0] + e.inward[1])) > 0) sense = -1;
  } else if (g.faces > 0) {
    if (across.dot(b.orientation * (g.inward[0] + g.inward[1])) < 0) sense = -1;
  } else if (across.dot(x) < 0) {
    sense = -1;
  }
  AxisOutlook out;
  // T − ρ ‖d × f‖, whose last term is smooth while the sine does not halve.
  const double sine_rate = across.dot(across_rate) / sine;
  const GapRate triple{sense * across.dot(x) - margins * sine,
                       sense * (across_rate.dot(x) + across.dot(x_rate)) - margins * sine_rate};
  out.now.value = triple.value / sine;
  out.now.rate = (triple.rate - out.now.value * sine_rate) / sine;
  const double turning = A.piece->turning_speed + B.piece->turning_speed;
  const double bend = turning * turning + A.piece->turning_acceleration + B.piece->turning_acceleration;
  const PointBound pa = point_bound(*A.piece, A.part->radius, t, to), pb = point_bound(*B.piece, B.part->radius, t, to);
  const double speed = pa.speed + pb.speed;
  out.safe =
      safe_time(triple, pa.acceleration + pb.acceleration + 2 * turning * speed + bend * (x.norm() + speed * (to - t)) +
                            margins * (bend + 2 * turning * turning / sine));
  if (margins > 0 && turning > 0) out.safe = std::min(out.safe, 0.5 * sine / turning);
  if (!(turning > 0)) return out;
  // n·t ≤ 0 for n ∥ d × axis and the direction t into a face of A, n·t ≥ 0 for B.
  const Vec3 axis = sense * g.d;
  const auto stays = [&](const TurningProduct& side) {
    out.safe = std::min(out.safe, safe_time(side.at(a, b), side.bound(*A.piece, *B.piece)));
  };
  for (std::size_t k = 0; k < e.faces; ++k) stays({e.d.cross(e.inward[k]), axis, 1});
  for (std::size_t k = 0; k < g.faces; ++k) stays({e.d, axis.cross(g.inward[k]), 1});
  return out;
}

AxisOutlook across_edges(const MovingShape& A, const Pose& a, int edge_a, const MovingShape& B, const Pose& b,
                         int edge_b, double t, double to) {
  return across_ridges(A, a, ridge_of(A, edge_a), B, b, ridge_of(B, edge_b), t, to);
}

bool has_vertex(const PolytopeEdge& e, int v) { return e.first == v || e.second == v; }
bool has_face(const PolytopeEdge& e, int f) { return e.faces[0] == f || e.faces[1] == f; }

/// What keeps the plane of a lasting contact between the shapes, without what other lasting contacts hold.
std::vector<TurningProduct> plane_keepers(const MovingShape& A, const MovingShape& B, const GapSearch& search) {
  std::vector<TurningProduct> out;
  const auto faces = std::find_if(search.lasting.begin(), search.lasting.end(), [](const LastingFeature& l) {
    return l.feature.kind == Feature::Kind::plane_point && l.feature.part_a >= 0;
  });
  if (faces != search.lasting.end()) {
    // The neighbours of the vertex stay above the face.
    const Feature& f = faces->feature;
    const Polytope &P = *(faces->swapped ? B : A).part->polytope, &Q = *(faces->swapped ? A : B).part->polytope;
    const Vec3& n = P.face(f.part_a).n;
    for (const int w : Q.neighbours[static_cast<std::size_t>(f.part_b)]) {
      const bool held = std::any_of(search.lasting.begin(), search.lasting.end(), [&](const LastingFeature& l) {
        const Feature& o = l.feature;
        if (o.kind == Feature::Kind::plane_point && l.swapped == faces->swapped)
          return o.part_a == f.part_a && o.part_b == w;
        if (o.kind == Feature::Kind::plane_point) {  // a vertex of the face below this one's edge is on a face with it
          const auto& loop = Q.face(o.part_a).loop;
          return std::find(loop.begin(), loop.end(), w) != loop.end() &&
                 std::find(loop.begin(), loop.end(), f.part_b) != loop.end();
        }
        if (o.kind != Feature::Kind::edges) return false;
        const PolytopeEdge& own = Q.edge(l.swapped == faces->swapped ? o.part_b : o.part_a);
        return has_vertex(own, w) && has_vertex(own, f.part_b);
      });
      if (held) continue;
      const Vec3 along = Q.vertex(w) - Q.vertex(f.part_b);
      const double length = along.norm();
      out.push_back(faces->swapped ? TurningProduct{along / length, n, length}
                                   : TurningProduct{n, along / length, length});
    }
    return out;
  }
  const auto crossed = std::find_if(search.lasting.begin(), search.lasting.end(),
                                    [](const LastingFeature& l) { return l.feature.kind == Feature::Kind::edges; });
  if (crossed == search.lasting.end()) return out;
  // Features of edges have the order of the bodies, one for all of the pair.
  const bool swapped = crossed->swapped;
  const MovingShape &first = swapped ? B : A, &second = swapped ? A : B;
  const Polytope &P = *first.part->polytope, &Q = *second.part->polytope;
  const Feature& f = crossed->feature;
  const PolytopeEdge &e = P.edge(f.part_a), &g = Q.edge(f.part_b);
  const auto another = [&](auto matches) {
    return std::any_of(search.lasting.begin(), search.lasting.end(), [&](const LastingFeature& l) {
      return l.feature.kind == Feature::Kind::edges && !l.feature.same(f) && matches(l.feature);
    });
  };
  const auto keep = [&](const Vec3& of_first, const Vec3& of_second, double length) {
    TurningProduct product{of_first, of_second, length};
    if (swapped) std::swap(product.u, product.w);
    out.push_back(product);
  };
  // n·t ≤ 0 for n ∥ d × axis and the direction t into a face of the first body, n·t ≥ 0 for the second.
  for (std::size_t k = 0; k < 2; ++k) {
    const int of_p = e.faces[k], of_q = g.faces[k];
    const auto same_b = [&](const Feature& o) { return o.part_b == f.part_b && has_face(P.edge(o.part_a), of_p); };
    const auto same_a = [&](const Feature& o) { return o.part_a == f.part_a && has_face(Q.edge(o.part_b), of_q); };
    if (of_p >= 0 && !another(same_b)) keep(e.d.cross(e.inward[k]), f.axis, g.length);
    if (of_q >= 0 && !another(same_a)) keep(e.d, f.axis.cross(g.inward[k]), e.length);
  }
  return out;
}

}  // namespace

Expected<GapFound> touching_polytopes(const MovingShape& A, const MovingShape& B, const GapSearch& search) {
  const Piece &a = *A.piece, &b = *B.piece;
  GapFound out;
  const Pose a0 = a.pose(search.from), b0 = b.pose(search.from);
  for (const TurningProduct& product : plane_keepers(A, B, search)) {
    const double bound = product.bound(a, b);
    if (!(bound > 0)) continue;
    GapSearch sooner = search;
    if (out.closes) sooner.to = out.time;
    if (!(sooner.to > sooner.from)) break;
    double floor = 0;
    if (const GapRate start = product.at(a0, b0);
        start.value <= search.touching && std::abs(start.rate) <= search.still) {
      // A side that lies in the plane and stays there: what rounding adds is no contact.
      floor = std::min(start.value, 0.0) - 0.05 * search.touching;
      sooner.touching = 2 * search.touching;
    }
    const auto found = march(
        [&](double t) {
          GapRate now = product.at(a.pose(t), b.pose(t));
          now.value -= floor;
          return now;
        },
        bound, sooner);
    if (!found) return found;
    if (found->closes) out = *found;
  }
  return out;
}

double safe_across_ridges(const MovingShape& A, const Pose& a, const Ridge& of_a, const MovingShape& B, const Pose& b,
                          const Ridge& of_b, double t, double to) {
  const double turning = A.piece->turning_speed + B.piece->turning_speed;
  const double until = turning > 0 ? std::min(to, t + 0.5 / turning) : to;
  const AxisOutlook out = across_ridges(A, a, of_a, B, b, of_b, t, until);
  return out.now.value > 0 ? std::min(out.safe, until - t) : 0;
}

double safe_across_edges(const MovingShape& A, const Pose& a, const MovingShape& B, const Pose& b, double t,
                         double to) {
  const SeparatingAxis axis = separating_axes(*A.part->polytope, *B.part->polytope, relative_pose(a, b)).edges;
  if (axis.a < 0) return 0;
  return safe_across_ridges(A, a, ridge_of(A, axis.a), B, b, ridge_of(B, axis.b), t, to);
}

Expected<GapFound> sharp_polytopes(const MovingShape& A, const MovingShape& B, const GapSearch& search) {
  const Piece &a = *A.piece, &b = *B.piece;
  const Polytope &P = *A.part->polytope, &Q = *B.part->polytope;
  const double rounding = std::max(search.rounding, 1e-15 * std::min(A.part->radius, B.part->radius));
  const double turning = a.turning_speed + b.turning_speed;
  double t = search.from, creep = 1e-12 * (search.to - search.from);
  for (int k = 0; k < most_steps; ++k) {
    const Pose pa = a.pose(t), pb = b.pose(t);
    const Vec3 d = pb.position - pa.position;
    const double far = d.norm(), balls = far - A.part->radius - B.part->radius;
    double step = 0;
    if (balls > 0) step = safe_time({balls, d.dot(pb.velocity - pa.velocity) / far}, a.acceleration + b.acceleration);
    if (!(balls > 0) || balls < 1e-3 * (A.part->radius + B.part->radius)) {
      // Bounds hold for a part of a turn, so that they stay small.
      const double to = turning > 0 ? std::min(search.to, t + 0.5 / turning) : search.to;
      const SeparatingAxes axes = separating_axes(P, Q, relative_pose(pa, pb), 1e-13);
      std::vector<AxisOutlook> outlook(3, {{-std::numeric_limits<double>::infinity(), 0}, 0});
      if (axes.face_a.a >= 0) outlook[0] = above_face_of(A, pa, axes.face_a.a, B, pb, t, to, rounding);
      if (axes.face_b.b >= 0) outlook[1] = above_face_of(B, pb, axes.face_b.b, A, pa, t, to, rounding);
      if (axes.edges.a >= 0) outlook[2] = across_edges(A, pa, axes.edges.a, B, pb, axes.edges.b, t, to);
      for (const SeparatingAxis& axis : axes.tied) outlook.push_back(across_edges(A, pa, axis.a, B, pb, axis.b, t, to));
      double width = axes.best().width, rate = -std::numeric_limits<double>::infinity(), safe = 0;
      for (const AxisOutlook& o : outlook) {
        if (o.now.value >= width - rounding) rate = std::max(rate, o.now.rate);
        if (o.now.value > -rounding) safe = std::max(safe, o.safe);
      }
      const bool still = width <= search.touching && rate >= -search.still;
      // A rate that is zero up to rounding does not close a gap that has just opened.
      if (width <= rounding && rate < 0 && !(still && (k == 0 || width > -search.touching))) return GapFound{true, t};
      step = std::max(step, std::min(safe, to - t));
      if (still) {
        step = std::max(step, creep);
        creep *= 1.5;
      }
    }
    t = later(t, step);
    if (!(t < search.to)) return GapFound{};
  }
  return fail(ErrorCode::not_converged, "", "", "the search for the first contact of two shapes did not end");
}

}  // namespace ricochet::motion
