#include "ricochet/geometry/height_field.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ricochet {
namespace {

double step(double half, int points) { return 2 * half / (points - 1); }

/// First and last grid line about low and high.
std::pair<int, int> lines(double low, double high, double half, int points) {
  if (points < 2 || low > half || high < -half || !(low <= high)) return {0, 0};
  const double d = step(half, points);
  const double last = points - 1;
  const double begin = std::clamp(std::floor((low + half) / d), 0.0, last - 1);
  const double end = std::clamp(std::ceil((high + half) / d), begin + 1, last);
  return {static_cast<int>(begin), static_cast<int>(end)};
}

}  // namespace

Vec3 grid_point(const HeightField& field, GridPoint at) {
  const auto i =
      static_cast<std::size_t>(at.row) * static_cast<std::size_t>(field.columns) + static_cast<std::size_t>(at.column);
  return {step(field.half_x, field.columns) * at.column - field.half_x,
          step(field.half_y, field.rows) * at.row - field.half_y, field.heights[i]};
}

CellRange cells_near(const HeightField& field, const Vec3& low, const Vec3& high) {
  const auto [row_begin, row_end] = lines(low.y(), high.y(), field.half_y, field.rows);
  const auto [column_begin, column_end] = lines(low.x(), high.x(), field.half_x, field.columns);
  return {.row_begin = row_begin, .row_end = row_end, .column_begin = column_begin, .column_end = column_end};
}

std::array<FieldTriangle, 2> triangles(GridPoint cell) {
  const GridPoint right{cell.row, cell.column + 1};
  const GridPoint up{cell.row + 1, cell.column};
  const GridPoint across{cell.row + 1, cell.column + 1};
  return {FieldTriangle{cell, right, across}, FieldTriangle{cell, across, up}};
}

std::vector<GridPoint> neighbours(const HeightField& field, GridPoint at) {
  std::vector<GridPoint> out;
  constexpr std::array<std::pair<int, int>, 6> ways{{{0, 1}, {1, 1}, {1, 0}, {0, -1}, {-1, -1}, {-1, 0}}};
  for (const auto& [row, column] : ways) {
    const GridPoint next{at.row + row, at.column + column};
    if (next.row >= 0 && next.row < field.rows && next.column >= 0 && next.column < field.columns) out.push_back(next);
  }
  return out;
}

bool on_border(const HeightField& field, GridPoint at) {
  return at.row == 0 || at.row == field.rows - 1 || at.column == 0 || at.column == field.columns - 1;
}

ConvexShape prism(const PlacedField& at, const FieldTriangle& triangle) {
  auto hull = std::make_shared<Hull>();
  hull->vertices.reserve(6);
  for (const GridPoint& corner : triangle) hull->vertices.push_back(grid_point(*at.field, corner));
  for (std::size_t k = 0; k < 3; ++k)
    hull->vertices.emplace_back(hull->vertices[k].x(), hull->vertices[k].y(), -at.field->base);
  Vec3 middle = Vec3::Zero();
  for (const Vec3& v : hull->vertices) middle += v / 6;
  for (Vec3& v : hull->vertices) v -= middle;
  hull->faces = {{0, 1, 2}, {3, 5, 4}, {0, 3, 4}, {0, 4, 1}, {1, 4, 5}, {1, 5, 2}, {2, 5, 3}, {2, 3, 0}};
  hull->radius = radius_of(*hull);
  ConvexShape out;
  out.core = ConvexShape::Core::hull;
  out.hull = std::move(hull);
  out.position = at.position + at.rotation * middle;
  out.rotation = at.rotation;
  return out;
}

bool holds(const HeightField& field, const Vec3& x) {
  if (x.z() < -field.base || std::abs(x.x()) > field.half_x || std::abs(x.y()) > field.half_y) return false;
  const CellRange cells = cells_near(field, x, x);
  const GridPoint cell{cells.row_begin, cells.column_begin};
  const Vec3 a = grid_point(field, cell);
  const double s = (x.x() - a.x()) / step(field.half_x, field.columns);
  const double t = (x.y() - a.y()) / step(field.half_y, field.rows);
  const double across = grid_point(field, {cell.row + 1, cell.column + 1}).z();
  // To the right of the line of division, and to the left of it.
  const double height = s >= t ? a.z() + s * (grid_point(field, {cell.row, cell.column + 1}).z() - a.z()) +
                                     t * (across - grid_point(field, {cell.row, cell.column + 1}).z())
                               : a.z() + t * (grid_point(field, {cell.row + 1, cell.column}).z() - a.z()) +
                                     s * (across - grid_point(field, {cell.row + 1, cell.column}).z());
  return x.z() <= height;
}

Hull hull_of(const HeightField& field) {
  Hull hull;
  hull.vertices.reserve(field.heights.size() + 4);
  for (int r = 0; r < field.rows; ++r)
    for (int c = 0; c < field.columns; ++c) hull.vertices.push_back(grid_point(field, {r, c}));
  for (const double x : {-field.half_x, field.half_x})
    for (const double y : {-field.half_y, field.half_y}) hull.vertices.emplace_back(x, y, -field.base);
  index_vertices(hull);
  return hull;
}

}  // namespace ricochet
