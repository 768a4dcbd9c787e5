#pragma once
/// A height field: heights on a grid, with a solid below them. docs/robots.md.

#include <array>
#include <memory>
#include <vector>

#include "ricochet/base/linear.hpp"
#include "ricochet/geometry/convex_shape.hpp"

namespace ricochet {

/// In its own axes: column c is at x = −half_x + 2 half_x c/(columns − 1), row r at y likewise. Each cell is two
/// triangles, divided from its corner of least x and y to that of greatest. The solid is what is between them and
/// z = −base.
struct HeightField {
  int rows = 0, columns = 0;      ///< at least 2 each
  double half_x = 0, half_y = 0;  ///< [m]
  double base = 0;                ///< [m], positive
  std::vector<double> heights;    ///< z [m], row by row
};

/// A field somewhere.
struct PlacedField {
  std::shared_ptr<const HeightField> field;
  Vec3 position = Vec3::Zero();
  Mat3 rotation = Mat3::Identity();
};

/// Grid points by row and column.
struct GridPoint {
  int row = 0, column = 0;
};

/// A triangle of the surface, its corners against the clock seen from above.
using FieldTriangle = std::array<GridPoint, 3>;

/// Cells from the first row and column to, without, the last.
struct CellRange {
  int row_begin = 0, row_end = 0, column_begin = 0, column_end = 0;
};

[[nodiscard]] Vec3 grid_point(const HeightField& field, GridPoint at);

/// The cells of which some part is in the box from `low` to `high` of the field's x and y.
[[nodiscard]] CellRange cells_near(const HeightField& field, const Vec3& low, const Vec3& high);

/// The two triangles of a cell.
[[nodiscard]] std::array<FieldTriangle, 2> triangles(GridPoint cell);

/// The grid points that share a triangle with this one.
[[nodiscard]] std::vector<GridPoint> neighbours(const HeightField& field, GridPoint at);

/// Whether the grid ends here.
[[nodiscard]] bool on_border(const HeightField& field, GridPoint at);

/// What is below a triangle, down to the base: a convex hull with faces, about its middle.
[[nodiscard]] ConvexShape prism(const PlacedField& at, const FieldTriangle& triangle);

/// Whether a point in the field's axes is in the solid.
[[nodiscard]] bool holds(const HeightField& field, const Vec3& x);

/// The convex hull of the whole, without faces: its support function.
[[nodiscard]] Hull hull_of(const HeightField& field);

}  // namespace ricochet
