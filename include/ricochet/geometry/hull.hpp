#pragma once
/// The convex hull of a mesh, and its farthest vertex along a direction.

#include <array>
#include <vector>

#include "ricochet/base/linear.hpp"

namespace ricochet {

/// A box about some of the vertices; the boxes of a hull form a tree, each before its two halves.
struct HullBox {
  Vec3 centre, half;
  int begin = 0, end = 0;  ///< its vertices in Hull::order
  int next = 0;            ///< the box after all that are inside this one; the first half is at + 1
  bool leaf = true;
};

/// In its own axes. Without faces only the support function is known.
struct Hull {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> faces;
  std::vector<int> order;      ///< of the vertices in boxes
  std::vector<HullBox> boxes;  ///< made by index_vertices; without them every vertex is looked at
  double radius = -1;          ///< of a ball about the origin that holds it; −1: not known
};

/// Sorts the vertices into boxes, so that few of them are looked at. For hulls of many vertices.
void index_vertices(Hull& hull);

/// The vertex that is farthest along a: the first of them where several are.
[[nodiscard]] Vec3 farthest_vertex(const Hull& hull, const Vec3& a);

[[nodiscard]] double radius_of(const Hull& hull);

}  // namespace ricochet
