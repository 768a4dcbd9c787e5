#pragma once
/// Vertices, edges and faces of a polyhedral core, and how two of them are separated: docs/simulation.md (MO8), (MO23).

#include <array>
#include <limits>
#include <memory>
#include <vector>

#include "ricochet/geometry/convex_shape.hpp"

namespace ricochet::motion {

struct PolytopeEdge {
  int first = 0, second = 0;                               ///< vertices
  Vec3 d = Vec3::UnitX();                                  ///< unit, from the first to the second
  double length = 0;                                       ///< [m]
  std::array<int, 2> faces{-1, -1};                        ///< on both sides; −1: none
  std::array<Vec3, 2> inward{Vec3::Zero(), Vec3::Zero()};  ///< unit, across d, into each face
};

struct PolytopeFace {
  Vec3 n = Vec3::UnitZ();    ///< outward
  std::vector<int> loop;     ///< vertices, against the clock seen from outside
  std::vector<Vec3> inward;  ///< unit, in the face, across the edge from loop[k] to loop[k + 1]
};

/// In body axes. A point has one vertex, a segment one edge and no faces.
struct Polytope {
  std::vector<Vec3> vertices;
  std::vector<PolytopeEdge> edges;
  std::vector<PolytopeFace> faces;
  std::vector<std::vector<int>> neighbours;  ///< of each vertex, along edges

  /// Inside a flat face, or on a straight edge: no corner.
  [[nodiscard]] bool idle(int vertex) const {
    return neighbours[static_cast<std::size_t>(vertex)].empty() && !edges.empty();
  }
  [[nodiscard]] const Vec3& vertex(int k) const { return vertices[static_cast<std::size_t>(k)]; }
  [[nodiscard]] const PolytopeEdge& edge(int k) const { return edges[static_cast<std::size_t>(k)]; }
  [[nodiscard]] const PolytopeFace& face(int k) const { return faces[static_cast<std::size_t>(k)]; }
};

/// Edges, the directions from them into faces, and neighbours, from vertices and faces with n and loop; false where an
/// edge does not have two faces.
[[nodiscard]] bool connect_faces(Polytope& out);

/// Of points, segments, boxes and hulls whose faces close; otherwise none.
[[nodiscard]] std::shared_ptr<const Polytope> make_polytope(const ConvexShape& shape);

/// B in the axes of A.
struct RelativePose {
  Mat3 R = Mat3::Identity();
  Vec3 x = Vec3::Zero();

  [[nodiscard]] Vec3 operator()(const Vec3& point_of_B) const { return x + R * point_of_B; }
};

/// A direction from A to B, in axes of A, and the width of the slab across it between the cores.
struct SeparatingAxis {
  int a = -1, b = -1;  ///< face of A, or face of B, or edges of both
  double width = -std::numeric_limits<double>::infinity();
  Vec3 n = Vec3::UnitZ();
};

/// The widest of each kind. Sharp shapes are apart if and only if one of them is wider than zero.
struct SeparatingAxes {
  SeparatingAxis face_a, face_b, edges;
  /// Other pairs of edges that touch along the same plane as `edges`, up to rounding.
  std::vector<SeparatingAxis> tied;

  [[nodiscard]] const SeparatingAxis& best() const;
};
/// `slack`: edges that lie in a face of the other have the normal of that face up to rounding, on either side of it.
/// Where they touch they are among the tied ones.
[[nodiscard]] SeparatingAxes separating_axes(const Polytope& A, const Polytope& B, const RelativePose& at,
                                             double slack = 0);

/// Across two edges, from A to B, if both have this normal among those of their faces up to `slack`; zero otherwise,
/// and where the sine of their angle is below `least_sine`.
[[nodiscard]] Vec3 edge_normal(const Polytope& A, int edge_a, const Polytope& B, int edge_b, const RelativePose& at,
                               double slack, double least_sine);

/// Nearest points of two cores that do not overlap, in axes of A.
struct CorePoints {
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();
  double distance = std::numeric_limits<double>::infinity();
};
[[nodiscard]] CorePoints closest_points(const Polytope& A, const Polytope& B, const RelativePose& at);

/// Whether all pairs of their edges are few enough to be looked at one by one.
[[nodiscard]] bool few_pairs(const Polytope& A, const Polytope& B);

}  // namespace ricochet::motion
