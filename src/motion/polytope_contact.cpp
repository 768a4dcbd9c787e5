#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "motion/feature_list.hpp"
#include "motion/surface_contact.hpp"

namespace ricochet::motion {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

Feature feature_of(const BodyShape& a, const BodyShape& b, Feature::Kind kind, int part_a, int part_b) {
  Feature f;
  f.kind = kind;
  f.a = a.body;
  f.b = b.body;
  f.shape_a = a.index;
  f.shape_b = b.index;
  f.part_a = part_a;
  f.part_b = part_b;
  f.margin_a = a.part->shape.margin;
  f.margin_b = b.part->shape.margin;
  return f;
}

}  // namespace

void FeatureList::vertex_on_face(const BodyShape& p, int face, const BodyShape& v, int vertex) {
  Feature f = feature_of(p, v, Feature::Kind::plane_point, face, vertex);
  f.n = p.part->polytope->face(face).n;
  f.p = p.part->polytope->vertex(p.part->polytope->face(face).loop[0]) + p.part->shape.margin * f.n;
  f.margin_a = 0;
  f.c = v.part->polytope->vertex(vertex);
  add(f, p, v);
}

void FeatureList::edges(const BodyShape& a, int edge_a, const BodyShape& b, int edge_b, const Vec3& n,
                        const RelativePose& at, bool closing) {
  const PolytopeEdge &e = a.part->polytope->edge(edge_a), &g = b.part->polytope->edge(edge_b);
  Feature f = feature_of(a, b, Feature::Kind::edges, edge_a, edge_b);
  f.n = e.d;
  f.p = a.part->polytope->vertex(e.first);
  const bool along = e.d.cross(at.R * g.d).dot(n) > 0;
  f.axis = along ? g.d : Vec3(-g.d);
  f.c = b.part->polytope->vertex(along ? g.first : g.second);
  if (closing) {
    const ContactFrame fr = frame(f, *a.part, *b.part, a.pose, b.pose);
    const double speed = a.pose.velocity.norm() + b.pose.velocity.norm() + fr.V.norm();
    if (!(fr.n.dot(fr.V) < -1e-9 * speed)) return;
  }
  add(f, a, b);
}

void FeatureList::vertex_on_edge(const BodyShape& e, int edge, const BodyShape& v, int vertex) {
  Feature f = feature_of(e, v, Feature::Kind::line_point, edge, vertex);
  f.n = e.part->polytope->edge(edge).d;
  f.p = e.part->polytope->vertex(e.part->polytope->edge(edge).first);
  f.c = v.part->polytope->vertex(vertex);
  add(f, e, v);
}

void FeatureList::vertices(const BodyShape& a, int vertex_a, const BodyShape& b, int vertex_b) {
  Feature f = feature_of(a, b, Feature::Kind::centres, vertex_a, vertex_b);
  f.p = a.part->polytope->vertex(vertex_a);
  f.c = b.part->polytope->vertex(vertex_b);
  add(f, a, b);
}

void FeatureList::add(const Feature& f, const BodyShape& a, const BodyShape& b) {
  const ContactFrame fr = frame(f, *a.part, *b.part, a.pose, b.pose);
  if (!(fr.gap <= reach_)) return;
  // By half of what ends it, so that a feature that has ended is not found again at once.
  const double inside = extent(f, *a.part, *b.part, a.pose, b.pose), slack = inside_slack(*a.part, *b.part);
  if (!(inside >= 0.5 * slack)) return;
  const double size = std::min(a.part->radius, b.part->radius);
  FoundFeature out;
  std::size_t place = found.size();
  for (std::size_t k = 0; k < found.size(); ++k) {
    const FoundFeature& other = found[k];
    const Vec3 point = 0.5 * (other.touch.on_A + other.touch.on_B);
    // Round shapes pass from vertex to edge without a jump, and are found by both in between.
    const double near = (f.margin_a + f.margin_b > 0 ? 1e-8 : 1e-10) * size + std::abs(fr.gap);
    if (!((point - fr.point).norm() <= near && other.touch.n.cross(fr.n).norm() <= same_angle_)) continue;
    // The one that is inside its limits has the normal by which the search for contacts goes.
    if (!(f.margin_a + f.margin_b > 0 && extents_[k] < slack && inside > extents_[k])) return;
    place = k;
    break;
  }
  out.feature = f;
  out.touch.n = fr.n;
  out.touch.gap = fr.gap;
  out.touch.on_A = fr.point - 0.5 * fr.gap * fr.n;
  out.touch.on_B = fr.point + 0.5 * fr.gap * fr.n;
  if (place < found.size()) {
    found[place] = out;
    extents_[place] = inside;
    return;
  }
  found.push_back(out);
  extents_.push_back(inside);
}

double inside_slack(const ShapePart& a, const ShapePart& b) { return 1e-11 * std::min(a.radius, b.radius); }
double cone_slack(const ShapePart& a, const ShapePart& b) { return 1e-9 * std::min(a.radius, b.radius); }

NearParts near_parts(const Polytope& P, const Vec3& n, double band) {
  double most = -unlimited;
  for (std::size_t k = 0; k < P.vertices.size(); ++k)
    if (!P.idle(static_cast<int>(k))) most = std::max(most, n.dot(P.vertices[k]));
  std::vector<bool> near(P.vertices.size());
  NearParts out;
  for (std::size_t k = 0; k < P.vertices.size(); ++k) {
    if (P.idle(static_cast<int>(k))) continue;
    near[k] = n.dot(P.vertices[k]) >= most - band;
    if (near[k]) out.vertices.push_back(static_cast<int>(k));
  }
  const auto is_near = [&](int v) { return near[static_cast<std::size_t>(v)]; };
  for (std::size_t k = 0; k < P.edges.size(); ++k)
    if (is_near(P.edges[k].first) && is_near(P.edges[k].second)) out.edges.push_back(static_cast<int>(k));
  for (std::size_t k = 0; k < P.faces.size(); ++k)
    if (std::all_of(P.faces[k].loop.begin(), P.faces[k].loop.end(), is_near)) out.faces.push_back(static_cast<int>(k));
  return out;
}

double inside_face(const Polytope& P, const PolytopeFace& face, const Vec3& x) {
  double least = unlimited;
  for (std::size_t k = 0; k < face.loop.size(); ++k)
    least = std::min(least, face.inward[k].dot(x - P.vertex(face.loop[k])));
  return least;
}

double vertex_cone(const Polytope& P, int vertex, const Vec3& n) {
  double least = unlimited;
  for (const int w : P.neighbours[static_cast<std::size_t>(vertex)])
    least = std::min(least, -n.dot(P.vertex(w) - P.vertex(vertex)));
  return least;
}

double extent(const Feature& f, const ShapePart& part_a, const ShapePart& part_b, const Pose& a, const Pose& b) {
  if (f.kind == Feature::Kind::plane_point && part_a.half_space() && part_b.shape.core == ConvexShape::Core::cylinder) {
    // Twice what features() takes for flat: beyond it the rim is on its lowest point.
    const Vec3 axis = b.orientation * part_b.shape.rotation.col(2);
    return part_b.shape.size.x() * (2e-6 - axis.cross(a.orientation * f.n).norm());
  }
  if (f.part_a < 0 || f.part_b < 0) return unlimited;
  if (!part_a.polytope || !part_b.polytope) return curved_extent(f, part_a, part_b, a, b);
  const Polytope &A = *part_a.polytope, &B = *part_b.polytope;
  const RelativePose at = relative_pose(a, b);
  const double inside = inside_slack(part_a, part_b), cone = cone_slack(part_a, part_b);
  const Vec3 c = at(f.c);  // all in axes of a
  switch (f.kind) {
    case Feature::Kind::plane_round:
    case Feature::Kind::plane_rim:
    case Feature::Kind::surfaces:
    case Feature::Kind::chord:
    case Feature::Kind::lens: break;
    case Feature::Kind::plane_point: return inside_face(A, A.face(f.part_a), c) + inside;
    case Feature::Kind::edges: {
      const Vec3 e = at.R * f.axis, x = c - f.p, across = f.n.cross(e);
      const double square = across.squaredNorm();
      const double s = x.cross(e).dot(across) / square, u = x.cross(f.n).dot(across) / square;
      return std::min({s, A.edge(f.part_a).length - s, u, B.edge(f.part_b).length - u}) + inside;
    }
    case Feature::Kind::line_point: {
      const PolytopeEdge& edge = A.edge(f.part_a);
      const double s = f.n.dot(c - f.p);
      const Vec3 across = c - f.p - s * f.n;
      double least = std::min(s, edge.length - s) + inside;
      for (std::size_t k = 0; k < 2; ++k)
        if (edge.faces[k] >= 0) least = std::min(least, inside - across.dot(edge.inward[k]));
      const Vec3 n = at.R.transpose() * across.normalized();
      return std::min(least, vertex_cone(B, f.part_b, -n) + cone);
    }
    case Feature::Kind::centres: {
      const Vec3 n = (c - f.p).normalized();
      return std::min(vertex_cone(A, f.part_a, n), vertex_cone(B, f.part_b, at.R.transpose() * -n)) + inside;
    }
  }
  return unlimited;
}

bool has_parts(const Feature& f, const ShapePart& part_a, const ShapePart& part_b) {
  if (f.part_a < 0 && f.part_b < 0) return true;
  if (f.part_a < 0 || f.part_b < 0) return false;
  if (!part_a.polytope || !part_b.polytope) return has_curved_parts(f, part_a, part_b);
  const Polytope &A = *part_a.polytope, &B = *part_b.polytope;
  const auto below = [](int k, std::size_t count) { return static_cast<std::size_t>(k) < count; };
  switch (f.kind) {
    case Feature::Kind::plane_round:
    case Feature::Kind::plane_rim:
    case Feature::Kind::surfaces:
    case Feature::Kind::chord:
    case Feature::Kind::lens: return false;
    case Feature::Kind::plane_point: return below(f.part_a, A.faces.size()) && below(f.part_b, B.vertices.size());
    case Feature::Kind::edges: return below(f.part_a, A.edges.size()) && below(f.part_b, B.edges.size());
    case Feature::Kind::line_point: return below(f.part_a, A.edges.size()) && below(f.part_b, B.vertices.size());
    case Feature::Kind::centres: return below(f.part_a, A.vertices.size()) && below(f.part_b, B.vertices.size());
  }
  return false;
}

Expected<std::vector<FoundFeature>> polytope_features(const BodyShape& a, const BodyShape& b, double reach) {
  const Polytope &A = *a.part->polytope, &B = *b.part->polytope;
  const double margins = a.part->shape.margin + b.part->shape.margin;
  const double size = std::min(a.part->radius, b.part->radius);
  if ((a.pose.position - b.pose.position).norm() - a.part->radius - b.part->radius > reach)
    return std::vector<FoundFeature>{};
  // The gap and the normal where they are nearest.
  const RelativePose at = relative_pose(a.pose, b.pose);
  Touch touch;
  const bool sharp = margins == 0, few = few_pairs(A, B);
  Vec3 n;
  if (sharp && few) {
    const SeparatingAxes axes = separating_axes(A, B, at);
    touch.gap = axes.best().width;
    n = axes.best().n;
    if (touch.gap > reach) return std::vector<FoundFeature>{};
  } else {
    const auto found = nearest(*a.part, a.pose, *b.part, b.pose);
    if (!found) return tl::unexpected(found.error());
    touch = *found;
    if (touch.gap > reach) return std::vector<FoundFeature>{};
    n = a.pose.orientation.conjugate() * touch.n;
  }
  const double band = std::max(1e-6 * size, 10 * reach);
  const NearParts of_a = near_parts(A, n, band), of_b = near_parts(B, at.R.transpose() * -n, band);

  FeatureList list(reach, 1.4e-4);
  const auto width_above = [&](const Polytope& P, const PolytopeFace& face, const Polytope& Q, bool plane_of_a) {
    double width = unlimited;
    for (const Vec3& v : Q.vertices) {
      const Vec3 x = plane_of_a ? at(v) : Vec3(at.R.transpose() * (v - at.x));
      width = std::min(width, face.n.dot(x - P.vertex(face.loop[0])));
    }
    return width - margins;
  };
  for (const int face : of_a.faces)
    if (width_above(A, A.face(face), B, true) >= touch.gap - reach)
      for (const int v : of_b.vertices) list.vertex_on_face(a, face, b, v);
  for (const int face : of_b.faces)
    if (width_above(B, B.face(face), A, false) >= touch.gap - reach)
      for (const int v : of_a.vertices) list.vertex_on_face(b, face, a, v);
  // Edges that are nearly parallel have an uncertain normal: only where they close, or where nothing else touches.
  const auto add_edges = [&](double least_sine, double most_sine, bool closing) {
    for (const int e : of_a.edges)
      for (const int g : of_b.edges) {
        const double sine = A.edge(e).d.cross(at.R * B.edge(g).d).norm();
        if (!(sine > least_sine && sine <= most_sine)) continue;
        if (const Vec3 across = edge_normal(A, e, B, g, at, 1e-7, least_sine); !across.isZero(0))
          list.edges(a, e, b, g, across, at, closing);
      }
  };
  add_edges(1e-2, 2, false);
  add_edges(1e-9, 1e-2, !list.found.empty());
  if (!sharp) {
    for (const int e : of_a.edges)
      for (const int v : of_b.vertices) list.vertex_on_edge(a, e, b, v);
    for (const int e : of_b.edges)
      for (const int v : of_a.vertices) list.vertex_on_edge(b, e, a, v);
    for (const int v : of_a.vertices)
      for (const int w : of_b.vertices) list.vertices(a, v, b, w);
  }
  if (!list.found.empty()) return std::move(list.found);
  // A vertex exactly on an edge or on a vertex, edges in line: they touch, and no motion along the touch has a normal.
  if (sharp) {
    const CorePoints points = few ? closest_points(A, B, at) : CorePoints{};
    if (few && touch.gap >= -reach && points.distance > reach) return std::vector<FoundFeature>{};
    if (few) {
      const Vec3 middle = a.pose.position + a.pose.orientation * (0.5 * (points.on_a + points.on_b));
      touch.n = a.pose.orientation * n;
      touch.on_A = middle - 0.5 * touch.gap * touch.n;
      touch.on_B = middle + 0.5 * touch.gap * touch.n;
    }
  }
  FoundFeature other;
  other.touch = touch;
  other.lasting = false;
  other.feature.a = a.body;
  other.feature.b = b.body;
  other.feature.shape_a = a.index;
  other.feature.shape_b = b.index;
  return std::vector<FoundFeature>{other};
}

}  // namespace ricochet::motion
