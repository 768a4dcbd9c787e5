#include "motion/polytope.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace ricochet::motion {
namespace {

using VertexPair = std::pair<int, int>;
VertexPair ordered(int a, int b) { return a < b ? VertexPair{a, b} : VertexPair{b, a}; }

void add_neighbours(Polytope& out) {
  out.neighbours.assign(out.vertices.size(), {});
  for (const PolytopeEdge& e : out.edges) {
    out.neighbours[static_cast<std::size_t>(e.first)].push_back(e.second);
    out.neighbours[static_cast<std::size_t>(e.second)].push_back(e.first);
  }
}

/// Edges from the loops of the faces; false where an edge does not have two faces.
bool add_edges(Polytope& out) {
  std::map<VertexPair, int> known;
  for (std::size_t f = 0; f < out.faces.size(); ++f) {
    PolytopeFace& face = out.faces[f];
    for (std::size_t k = 0; k < face.loop.size(); ++k) {
      const int u = face.loop[k], v = face.loop[(k + 1) % face.loop.size()];
      const Vec3 along = out.vertex(v) - out.vertex(u);
      if (!(along.norm() > 0)) return false;
      face.inward.emplace_back(face.n.cross(along).normalized());
      const auto [at, is_new] = known.emplace(ordered(u, v), static_cast<int>(out.edges.size()));
      if (is_new) {
        PolytopeEdge e;
        e.first = u;
        e.second = v;
        e.length = along.norm();
        e.d = along / e.length;
        out.edges.push_back(e);
      }
      PolytopeEdge& e = out.edges[static_cast<std::size_t>(at->second)];
      const std::size_t side = is_new ? 0 : 1;
      if (side == 1 && e.faces[1] >= 0) return false;
      e.faces[side] = static_cast<int>(f);
      e.inward[side] = face.inward.back();
    }
  }
  return std::all_of(out.edges.begin(), out.edges.end(), [](const PolytopeEdge& e) { return e.faces[1] >= 0; });
}

void add_box_faces(Polytope& out, const Mat3& R) {
  // Vertex k has the sign of its bits; a face has one of them fixed.
  for (int axis = 0; axis < 3; ++axis) {
    for (const int side : {0, 1}) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3;
      PolytopeFace face;
      face.n = (side == 1 ? 1 : -1) * R.col(axis);
      const int base = side << axis;
      face.loop = {base, base | 1 << u, base | 1 << u | 1 << v, base | 1 << v};
      if (side == 0) std::reverse(face.loop.begin(), face.loop.end());
      out.faces.push_back(face);
    }
  }
}

/// Triangles of one plane make one face; false where they do not close.
bool add_hull_faces(Polytope& out, const Hull& hull) {
  const std::size_t m = hull.faces.size();
  Vec3 middle = Vec3::Zero();
  for (const Vec3& v : out.vertices) middle += v / static_cast<double>(out.vertices.size());
  std::vector<std::array<int, 3>> triangles = hull.faces;
  std::vector<Vec3> normals(m);
  std::map<VertexPair, std::vector<std::size_t>> sides;
  for (std::size_t f = 0; f < m; ++f) {
    auto& t = triangles[f];
    Vec3 n = (out.vertex(t[1]) - out.vertex(t[0])).cross(out.vertex(t[2]) - out.vertex(t[0]));
    if (!(n.norm() > 0)) return false;
    if (n.dot(out.vertex(t[0]) - middle) < 0) {
      std::swap(t[1], t[2]);
      n = -n;
    }
    normals[f] = n.normalized();
    for (std::size_t k = 0; k < 3; ++k) sides[ordered(t[k], t[(k + 1) % 3])].push_back(f);
  }
  std::vector<std::size_t> group(m);
  std::iota(group.begin(), group.end(), std::size_t{0});
  const auto root = [&](std::size_t f) {
    while (group[f] != f) f = group[f] = group[group[f]];
    return f;
  };
  for (const auto& [side, owners] : sides) {
    if (owners.size() != 2) return false;
    if ((normals[owners[0]] - normals[owners[1]]).norm() <= 1e-8) group[root(owners[1])] = root(owners[0]);
  }
  std::map<std::size_t, std::map<int, int>> rims;  // of each group, the vertex after a vertex
  for (std::size_t f = 0; f < m; ++f)
    for (std::size_t k = 0; k < 3; ++k) {
      const int u = triangles[f][k], v = triangles[f][(k + 1) % 3];
      const auto& owners = sides.at(ordered(u, v));
      if (root(owners[0]) == root(owners[1])) continue;
      if (!rims[root(f)].emplace(u, v).second) return false;
    }
  for (const auto& [g, next] : rims) {
    PolytopeFace face;
    face.n = normals[g];
    int at = next.begin()->first;
    do {
      face.loop.push_back(at);
      const auto after = next.find(at);
      if (after == next.end() || face.loop.size() > next.size()) return false;
      at = after->second;
    } while (at != face.loop.front());
    if (face.loop.size() != next.size()) return false;
    out.faces.push_back(face);
  }
  return out.faces.size() >= 4;
}

struct SegmentPoints {
  Vec3 on_a, on_b;
};
/// Nearest points of the segments from p along u and from q along v, both with length.
SegmentPoints between_segments(const Vec3& p, const Vec3& u, const Vec3& q, const Vec3& v) {
  const Vec3 r = p - q;
  const double a = u.squaredNorm(), e = v.squaredNorm(), f = v.dot(r), c = u.dot(r), b = u.dot(v);
  const double across = a * e - b * b;
  double s = across > 1e-14 * a * e ? std::clamp((b * f - c * e) / across, 0.0, 1.0) : 0.0;
  double t = (b * s + f) / e;
  if (t < 0 || t > 1) {
    t = std::clamp(t, 0.0, 1.0);
    s = std::clamp((b * t - c) / a, 0.0, 1.0);
  }
  return {p + s * u, q + t * v};
}

Vec3 on_segment(const Vec3& p, const Vec3& u, double length, const Vec3& x) {
  return p + std::clamp(u.dot(x - p), 0.0, length) * u;
}

bool above_face(const Polytope& P, const PolytopeFace& face, const Vec3& x) {
  for (std::size_t k = 0; k < face.loop.size(); ++k)
    if (face.inward[k].dot(x - P.vertex(face.loop[k])) < 0) return false;
  return true;
}

}  // namespace

bool connect_faces(Polytope& out) {
  if (!add_edges(out)) return false;
  add_neighbours(out);
  return true;
}

std::shared_ptr<const Polytope> make_polytope(const ConvexShape& shape) {
  using Core = ConvexShape::Core;
  if (shape.core == Core::half_space || shape.core == Core::ellipsoid || shape.core == Core::cylinder) return nullptr;
  auto out = std::make_shared<Polytope>();
  for (const Vec3& v : outline(shape)) out->vertices.push_back(v);
  if (shape.core == Core::segment) {
    if (!(shape.size.z() > 0)) return nullptr;
    PolytopeEdge e;
    e.second = 1;
    e.length = 2 * shape.size.z();
    e.d = (out->vertices[1] - out->vertices[0]).normalized();
    out->edges.push_back(e);
  } else if (shape.core == Core::box) {
    out->vertices.clear();
    for (int k = 0; k < 8; ++k)
      out->vertices.emplace_back(
          shape.position + shape.rotation * shape.size.cwiseProduct(Vec3((k & 1) != 0 ? 1 : -1, (k & 2) != 0 ? 1 : -1,
                                                                         (k & 4) != 0 ? 1 : -1)));
    add_box_faces(*out, shape.rotation);
    if (!add_edges(*out)) return nullptr;
  } else if (shape.core == Core::hull) {
    if (shape.hull->faces.empty() || !add_hull_faces(*out, *shape.hull) || !add_edges(*out)) return nullptr;
  }
  add_neighbours(*out);
  return out;
}

const SeparatingAxis& SeparatingAxes::best() const {
  const SeparatingAxis& face = face_b.width > face_a.width ? face_b : face_a;
  return edges.width > face.width ? edges : face;
}

Vec3 edge_normal(const Polytope& A, int edge_a, const Polytope& B, int edge_b, const RelativePose& at, double slack,
                 double least_sine) {
  const PolytopeEdge &e = A.edge(edge_a), &g = B.edge(edge_b);
  const Vec3 across = e.d.cross(at.R * g.d);
  const double sine = across.norm();
  if (!(sine > least_sine)) return Vec3::Zero();
  Vec3 n = across / sine;
  const bool solid_a = e.faces[0] >= 0, solid_b = g.faces[0] >= 0;
  const std::array<Vec3, 2> in_b{at.R * g.inward[0], at.R * g.inward[1]};
  double sense = 0;
  if (solid_a) {
    sense = -n.dot(e.inward[0] + e.inward[1]);
  } else if (solid_b) {
    sense = n.dot(in_b[0] + in_b[1]);
  } else {
    sense = n.dot(at(B.vertex(g.first)) - A.vertex(e.first));
  }
  if (sense < 0) n = -n;
  for (std::size_t k = 0; k < 2; ++k) {
    if (solid_a && n.dot(e.inward[k]) > slack) return Vec3::Zero();
    if (solid_b && n.dot(in_b[k]) < -slack) return Vec3::Zero();
  }
  return n;
}

SeparatingAxes separating_axes(const Polytope& A, const Polytope& B, const RelativePose& at, double slack) {
  SeparatingAxes out;
  std::vector<Vec3> of_B;
  of_B.reserve(B.vertices.size());
  for (const Vec3& v : B.vertices) of_B.push_back(at(v));
  for (std::size_t f = 0; f < A.faces.size(); ++f) {
    const PolytopeFace& face = A.faces[f];
    const double level = face.n.dot(A.vertex(face.loop[0]));
    double width = std::numeric_limits<double>::infinity();
    for (const Vec3& v : of_B) width = std::min(width, face.n.dot(v) - level);
    if (width > out.face_a.width) out.face_a = {static_cast<int>(f), -1, width, face.n};
  }
  for (std::size_t f = 0; f < B.faces.size(); ++f) {
    const PolytopeFace& face = B.faces[f];
    const Vec3 n = at.R * face.n;
    const double level = n.dot(of_B[static_cast<std::size_t>(face.loop[0])]);
    double width = std::numeric_limits<double>::infinity();
    for (const Vec3& v : A.vertices) width = std::min(width, n.dot(v) - level);
    if (width > out.face_b.width) out.face_b = {-1, static_cast<int>(f), width, -n};
  }
  // An edge that lies in a face has one normal with all edges of that face: of such pairs the nearest one counts.
  double nearest = 0;
  std::vector<SeparatingAxis> beside;
  for (std::size_t i = 0; i < A.edges.size(); ++i) {
    for (std::size_t j = 0; j < B.edges.size(); ++j) {
      const Vec3 n = edge_normal(A, static_cast<int>(i), B, static_cast<int>(j), at, slack, 1e-9);
      if (n.isZero(0)) continue;
      const PolytopeEdge &e = A.edges[i], &g = B.edges[j];
      const double tied = 1e-12 * (e.length + g.length);
      double width = n.dot(of_B[static_cast<std::size_t>(g.first)] - A.vertex(e.first));
      if (width < out.edges.width - tied && slack == 0) continue;
      const SegmentPoints p = between_segments(A.vertex(e.first), e.length * e.d,
                                               of_B[static_cast<std::size_t>(g.first)], g.length * (at.R * g.d));
      if (slack > 0 && edge_normal(A, static_cast<int>(i), B, static_cast<int>(j), at, 0, 1e-9).isZero(0)) {
        if ((p.on_b - p.on_a).norm() <= tied) beside.push_back({static_cast<int>(i), static_cast<int>(j), width, n});
        continue;
      }
      // Of edges that are nearly parallel the normal is uncertain, and the nearest points are less so.
      if (std::abs(e.d.dot(at.R * g.d)) > 0.999999) width = n.dot(p.on_b - p.on_a);
      const double distance = (p.on_b - p.on_a).norm();
      const bool wider = width > out.edges.width + tied;
      if (!wider && width < out.edges.width - tied) continue;
      const SeparatingAxis found{static_cast<int>(i), static_cast<int>(j),
                                 wider ? width : std::max(width, out.edges.width), n};
      if (wider) out.tied.clear();
      if (wider || distance < nearest) {
        if (!wider && nearest <= tied) out.tied.push_back(out.edges);
        out.edges = found;
        nearest = distance;
      } else if (distance <= tied) {
        out.tied.push_back(found);
      }
    }
  }
  out.tied.insert(out.tied.end(), beside.begin(), beside.end());
  return out;
}

CorePoints closest_points(const Polytope& A, const Polytope& B, const RelativePose& at) {
  CorePoints out;
  const auto offer = [&](const Vec3& p, const Vec3& q) {
    const double distance = (q - p).norm();
    if (distance < out.distance) out = {p, q, distance};
  };
  std::vector<Vec3> of_B;
  of_B.reserve(B.vertices.size());
  for (const Vec3& v : B.vertices) of_B.push_back(at(v));
  const auto at_B = [&](int k) -> const Vec3& { return of_B[static_cast<std::size_t>(k)]; };
  for (const PolytopeEdge& e : A.edges) {
    for (const PolytopeEdge& g : B.edges) {
      const SegmentPoints p =
          between_segments(A.vertex(e.first), e.length * e.d, at_B(g.first), g.length * (at.R * g.d));
      offer(p.on_a, p.on_b);
    }
    if (B.edges.empty()) offer(on_segment(A.vertex(e.first), e.d, e.length, of_B[0]), of_B[0]);
  }
  if (A.edges.empty()) {
    for (const PolytopeEdge& g : B.edges)
      offer(A.vertices[0], on_segment(at_B(g.first), at.R * g.d, g.length, A.vertices[0]));
    if (B.edges.empty()) offer(A.vertices[0], of_B[0]);
  }
  for (const PolytopeFace& face : A.faces) {
    const Vec3& p = A.vertex(face.loop[0]);
    for (const Vec3& v : of_B) {
      const double height = face.n.dot(v - p);
      if (height > 0 && height < out.distance && above_face(A, face, v)) offer(v - height * face.n, v);
    }
  }
  for (const PolytopeFace& face : B.faces) {
    const Vec3& p = B.vertex(face.loop[0]);
    for (const Vec3& v : A.vertices) {
      const Vec3 x = at.R.transpose() * (v - at.x);
      const double height = face.n.dot(x - p);
      if (height > 0 && height < out.distance && above_face(B, face, x)) offer(v, v - height * (at.R * face.n));
    }
  }
  return out;
}

bool few_pairs(const Polytope& A, const Polytope& B) {
  return A.edges.size() * B.edges.size() + A.faces.size() * B.vertices.size() + B.faces.size() * A.vertices.size() <=
         10000;
}

}  // namespace ricochet::motion
