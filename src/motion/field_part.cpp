#include "motion/field_part.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ricochet::motion {
namespace {

/// The edge from vertex k to k + 1 of a prism, below: edges are numbered as `connect_faces` finds them.
int edge_below(int k) { return 5 - k; }
int vertical_edge(int k) { return 6 + k; }

Polytope prism_polytope(const std::array<Vec3, 6>& vertices) {
  Polytope out;
  out.vertices.assign(vertices.begin(), vertices.end());
  const auto add = [&](std::vector<int> loop) {
    PolytopeFace face;
    const Vec3 &a = out.vertex(loop[0]), &b = out.vertex(loop[1]), &c = out.vertex(loop[2]);
    face.n = (b - a).cross(c - b).normalized();
    face.loop = std::move(loop);
    out.faces.push_back(std::move(face));
  };
  add({0, 1, 2});
  add({3, 5, 4});
  for (int k = 0; k < 3; ++k) add({k, 3 + k, 3 + (k + 1) % 3, (k + 1) % 3});
  static_cast<void>(connect_faces(out));
  return out;
}

}  // namespace

FieldPart::FieldPart(PlacedField at) : at_(std::move(at)) {}

std::uint32_t FieldPart::triangle_count() const {
  return 2 * static_cast<std::uint32_t>(at_.field->rows - 1) * static_cast<std::uint32_t>(at_.field->columns - 1);
}

FieldPart::Corner FieldPart::place(std::uint32_t k) const {
  const int cell = static_cast<int>(k / 2), columns = at_.field->columns - 1;
  return {{cell / columns, cell % columns}, static_cast<int>(k % 2)};
}
std::uint32_t FieldPart::number(GridPoint cell, int half) const {
  return 2 * static_cast<std::uint32_t>(cell.row * (at_.field->columns - 1) + cell.column) +
         static_cast<std::uint32_t>(half);
}
FieldTriangle FieldPart::grid(std::uint32_t k) const {
  const Corner at = place(k);
  return triangles(at.cell)[static_cast<std::size_t>(at.half)];
}
bool FieldPart::has_cell(GridPoint cell) const {
  return cell.row >= 0 && cell.row < at_.field->rows - 1 && cell.column >= 0 && cell.column < at_.field->columns - 1;
}
Vec3 FieldPart::point(GridPoint at) const { return at_.position + at_.rotation * grid_point(*at_.field, at); }
Vec3 FieldPart::normal(std::uint32_t k) const {
  const FieldTriangle t = grid(k);
  const Vec3 a = grid_point(*at_.field, t[0]);
  return at_.rotation * (grid_point(*at_.field, t[1]) - a).cross(grid_point(*at_.field, t[2]) - a).normalized();
}

std::vector<std::uint32_t> FieldPart::beyond(std::uint32_t k, int edge) const {
  const Corner at = place(k);
  const auto [r, c] = at.cell;
  GridPoint cell = at.cell;
  if (at.half == 0 && edge == 0) cell = {r - 1, c};
  if (at.half == 0 && edge == 1) cell = {r, c + 1};
  if (at.half == 1 && edge == 1) cell = {r + 1, c};
  if (at.half == 1 && edge == 2) cell = {r, c - 1};
  if (!has_cell(cell)) return {};
  return {number(cell, 1 - at.half)};
}

std::vector<std::uint32_t> FieldPart::around(GridPoint at) const {
  std::vector<std::uint32_t> out;
  for (int r = at.row - 1; r <= at.row; ++r)
    for (int c = at.column - 1; c <= at.column; ++c) {
      if (!has_cell({r, c})) continue;
      for (const int half : {0, 1}) {
        const FieldTriangle t = triangles({r, c})[static_cast<std::size_t>(half)];
        if (std::any_of(t.begin(), t.end(),
                        [&](const GridPoint& g) { return g.row == at.row && g.column == at.column; }))
          out.push_back(number({r, c}, half));
      }
    }
  return out;
}

FieldPart::Owned FieldPart::owner_of_vertex(std::uint32_t triangle, int vertex) const {
  const GridPoint g = grid(triangle)[static_cast<std::size_t>(vertex % 3)];
  const int below = vertex < 3 ? 0 : 3;
  if (has_cell(g)) return {number(g, 0), below};
  if (has_cell({g.row, g.column - 1})) return {number({g.row, g.column - 1}, 0), below + 1};
  if (has_cell({g.row - 1, g.column - 1})) return {number({g.row - 1, g.column - 1}, 0), below + 2};
  return {number({g.row - 1, g.column}, 1), below + 2};
}

FieldPart::Owned FieldPart::owner_of_edge(std::uint32_t triangle, int edge) const {
  // Every edge within the field has a first half on one side and a second half on the other.
  const Corner at = place(triangle);
  if (edge > 2 || at.half == 0) return {triangle, edge};
  const auto other = beyond(triangle, edge);
  if (other.empty()) return {triangle, edge};
  constexpr std::array<int, 3> theirs{2, 0, 1};
  return {other[0], theirs[static_cast<std::size_t>(edge)]};
}

std::vector<std::uint32_t> FieldPart::near(const Vec3& low, const Vec3& high) const {
  std::vector<std::uint32_t> out;
  if (high.z() < -at_.field->base) return out;
  const CellRange cells = cells_near(*at_.field, low, high);
  for (int r = cells.row_begin; r < cells.row_end; ++r)
    for (int c = cells.column_begin; c < cells.column_end; ++c)
      for (const int half : {0, 1}) {
        const FieldTriangle t = triangles({r, c})[static_cast<std::size_t>(half)];
        double top = -std::numeric_limits<double>::infinity();
        for (const GridPoint& g : t) top = std::max(top, grid_point(*at_.field, g).z());
        if (low.z() <= top) out.push_back(number({r, c}, half));
      }
  return out;
}

const FieldTriangleParts& FieldPart::triangle(std::uint32_t k) const {
  auto& slot = made_[k];
  if (!slot) slot = make(k);
  return *slot;
}

std::unique_ptr<FieldTriangleParts> FieldPart::make(std::uint32_t k) const {
  auto out = std::make_unique<FieldTriangleParts>();
  const FieldTriangle t = grid(k);
  std::array<Vec3, 6> vertices;
  out->top = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 3; ++i) {
    Vec3 x = grid_point(*at_.field, t[i]);
    out->top = std::max(out->top, x.z());
    vertices[i] = at_.position + at_.rotation * x;
    x.z() = -at_.field->base;
    vertices[3 + i] = at_.position + at_.rotation * x;
  }
  for (const Vec3& v : vertices) out->middle += v / 6;
  const ConvexShape whole = ricochet::prism(at_, t);
  out->surface = make_part(whole);
  auto surface = std::make_shared<Polytope>(prism_polytope(vertices));
  mark_surface(k, *out, *surface);
  out->surface.polytope = std::move(surface);
  ConvexShape centred = whole;
  centred.position -= out->middle;
  out->prism = make_part(centred);
  std::array<Vec3, 6> about = vertices;
  for (Vec3& v : about) v -= out->middle;
  out->prism.polytope = std::make_shared<const Polytope>(prism_polytope(about));
  return out;
}

void FieldPart::mark_surface(std::uint32_t k, FieldTriangleParts& out, Polytope& surface) const {
  const FieldTriangle t = grid(k);
  const Vec3 n = surface.face(0).n, up = at_.rotation.col(2);
  out.faces[0] = out.faces[1] = true;
  const auto corner = [&](const GridPoint& g) {
    return (g.row == 0 || g.row == at_.field->rows - 1) && (g.column == 0 || g.column == at_.field->columns - 1);
  };
  // Into the field along its borders, from a corner of it.
  const auto along_borders = [&](const GridPoint& g) {
    return std::array<Vec3, 2>{(g.column == 0 ? 1 : -1) * at_.rotation.col(0),
                               (g.row == 0 ? 1 : -1) * at_.rotation.col(1)};
  };
  const auto add_neighbour = [&](int of, const Vec3& x) {
    surface.neighbours[static_cast<std::size_t>(of)].push_back(static_cast<int>(surface.vertices.size()));
    surface.vertices.push_back(x);
    surface.neighbours.emplace_back();
  };
  for (int i = 0; i < 3; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto next = beyond(k, i);
    PolytopeEdge& edge = surface.edges[at];
    if (next.empty()) {
      out.faces[2 + at] = true;
      out.edges[at] = true;
      out.edges[static_cast<std::size_t>(edge_below(i))] = true;
    } else {
      edge.inward[1] = normal(next[0]).cross(-edge.d).normalized();
      out.edges[at] = n.dot(edge.inward[1]) < -flat;
    }
    const GridPoint& g = t[at];
    surface.neighbours[at].clear();
    for (const GridPoint& other : neighbours(*at_.field, g)) add_neighbour(i, point(other));
    bool level = !on_border(*at_.field, g);
    if (!level) add_neighbour(i, surface.vertex(3 + i));
    for (const std::uint32_t other : around(g)) level = level && (normal(other) - n).norm() <= flat;
    out.vertices[at] = !level;
    const Owned owner = owner_of_vertex(k, i);
    if (!corner(g) || owner.triangle != k) continue;
    const auto ways = along_borders(g);
    out.edges[static_cast<std::size_t>(vertical_edge(i))] = out.vertices[3 + at] = true;
    surface.edges[static_cast<std::size_t>(vertical_edge(i))].inward = ways;
    surface.neighbours[3 + at].clear();
    for (const Vec3& way : {ways[0], ways[1], Vec3(up)}) add_neighbour(3 + i, surface.vertex(3 + i) + way);
  }
}

std::vector<FieldPart::Plane> FieldPart::planes_at_face(std::uint32_t k, int face) const {
  const Polytope& P = *triangle(k).surface.polytope;
  return {{P.face(face).n, P.vertex(P.face(face).loop[0])}};
}

std::vector<FieldPart::Plane> FieldPart::planes_at_edge(std::uint32_t k, int edge) const {
  const PolytopeEdge& e = triangle(k).surface.polytope->edge(edge);
  std::vector<Plane> out = planes_at_face(k, e.faces[0]);
  const auto next = edge < 3 ? beyond(k, edge) : std::vector<std::uint32_t>{};
  const auto more = next.empty() ? planes_at_face(k, e.faces[1]) : planes_at_face(next[0], 0);
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

std::vector<FieldPart::Plane> FieldPart::planes_at_vertex(std::uint32_t k, int vertex) const {
  std::vector<Plane> out;
  const auto add = [&](std::uint32_t of, int face) {
    const auto more = planes_at_face(of, face);
    out.insert(out.end(), more.begin(), more.end());
  };
  for (const std::uint32_t other : around(grid(k)[static_cast<std::size_t>(vertex % 3)])) {
    add(other, vertex < 3 ? 0 : 1);
    for (int side = 0; side < 3; ++side)
      if (beyond(other, side).empty()) add(other, 2 + side);
  }
  return out;
}

}  // namespace ricochet::motion
