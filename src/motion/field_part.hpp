#pragma once
/// A height field of a fixed body, triangle by triangle: docs/simulation.md (MO37) to (MO39).

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "motion/feature.hpp"
#include "ricochet/geometry/height_field.hpp"

namespace ricochet::motion {

/// What is below a triangle is a prism: vertices 0 to 2 above and 3 to 5 below them, face 0 above, 1 below, 2 + k below
/// the edge k from vertex k to k + 1, edges 0 to 2 above.
struct FieldTriangleParts {
  ShapePart surface;  ///< axes of the body; its polytope has the normals of the whole field's edges and vertices
  ShapePart prism;    ///< about its own middle, convex
  Vec3 middle = Vec3::Zero();  ///< of the prism, axes of the body
  /// What is on the surface of the field and not flat.
  std::array<bool, 5> faces{};
  std::array<bool, 9> edges{};
  std::array<bool, 6> vertices{};
  double top = 0;  ///< largest height, axes of the field
};

class FieldPart {
 public:
  /// `at`: in axes of the body.
  explicit FieldPart(PlacedField at);

  [[nodiscard]] const PlacedField& at() const { return at_; }
  [[nodiscard]] std::uint32_t triangle_count() const;
  /// Kept from the first time that it is asked for, at one address.
  [[nodiscard]] const FieldTriangleParts& triangle(std::uint32_t k) const;

  /// A vertex or an edge above, by the one triangle that names it for all that have it.
  struct Owned {
    std::uint32_t triangle = 0;
    int part = 0;
  };
  [[nodiscard]] Owned owner_of_vertex(std::uint32_t triangle, int vertex) const;
  [[nodiscard]] Owned owner_of_edge(std::uint32_t triangle, int edge) const;

  /// Triangles whose prisms a box of the field's axes may meet.
  [[nodiscard]] std::vector<std::uint32_t> near(const Vec3& low, const Vec3& high) const;
  /// Planes of the triangles that meet at a part of the surface of this one, as they limit its normals; axes of the
  /// body.
  struct Plane {
    Vec3 n, p;
  };
  [[nodiscard]] std::vector<Plane> planes_at_face(std::uint32_t k, int face) const;
  [[nodiscard]] std::vector<Plane> planes_at_edge(std::uint32_t k, int edge) const;
  [[nodiscard]] std::vector<Plane> planes_at_vertex(std::uint32_t k, int vertex) const;

  /// Slopes between neighbouring triangles below this are none.
  static constexpr double flat = 1e-6;

 private:
  struct Corner {
    GridPoint cell;
    int half = 0;  ///< of the two triangles of the cell
  };
  [[nodiscard]] Corner place(std::uint32_t k) const;
  [[nodiscard]] std::uint32_t number(GridPoint cell, int half) const;
  [[nodiscard]] FieldTriangle grid(std::uint32_t k) const;
  [[nodiscard]] bool has_cell(GridPoint cell) const;
  [[nodiscard]] Vec3 point(GridPoint at) const;  ///< axes of the body
  [[nodiscard]] Vec3 normal(std::uint32_t k) const;
  /// The triangle beyond an edge above; none at the border.
  [[nodiscard]] std::vector<std::uint32_t> beyond(std::uint32_t k, int edge) const;
  [[nodiscard]] std::vector<std::uint32_t> around(GridPoint at) const;
  [[nodiscard]] std::unique_ptr<FieldTriangleParts> make(std::uint32_t k) const;
  void mark_surface(std::uint32_t k, FieldTriangleParts& out, Polytope& surface) const;

  PlacedField at_;
  mutable std::unordered_map<std::uint32_t, std::unique_ptr<FieldTriangleParts>> made_;
};

}  // namespace ricochet::motion
