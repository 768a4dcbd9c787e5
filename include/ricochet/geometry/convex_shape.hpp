#pragma once
/// A convex shape by its support function σ(n) = max n·x over its points, which bounds every distance
/// (docs/mechanisms.md (G11)).

#include <cstdint>
#include <memory>
#include <vector>

#include "ricochet/base/linear.hpp"
#include "ricochet/geometry/hull.hpp"
#include "ricochet/geometry/shape.hpp"

namespace ricochet {

/// A core, and a ball of radius `margin` swept over it: a sphere is a point, a capsule a segment. The distance of cores
/// is easier to compute and stays positive while only the margins overlap.
struct ConvexShape {
  enum class Core : std::uint8_t {
    half_space,  ///< all below z = 0
    point,
    segment,    ///< along z, half length size.z
    ellipsoid,  ///< half axes
    cylinder,   ///< along z, radius size.x, half length size.z; a disc without
    box,        ///< half edges
    hull,
  };
  Core core = Core::point;
  Vec3 size = Vec3::Zero();
  double margin = 0;
  std::shared_ptr<const Hull> hull;
  Vec3 position = Vec3::Zero();
  Mat3 rotation = Mat3::Identity();
};

/// The shape of a body whose centre of mass is at `position`, in world axes. A plane is the half space below it; a rod
/// without thickness is a segment, a wheel a disc with the radius of its tyre as margin, a height field its hull.
/// `shape` must not be `none`, and a mesh must have its hull.
[[nodiscard]] ConvexShape place(const Shape& shape, const Vec3& position, const Mat3& rotation);

/// Farthest point of the core along n.
[[nodiscard]] Vec3 core_support(const ConvexShape& shape, const Vec3& n);

/// Radius of a ball about the position that holds the core; infinite for a half space.
[[nodiscard]] double core_radius(const ConvexShape& shape);

/// −σ_B(−n) − σ_A(n): the width of the widest slab across n between the two; a lower bound of their distance.
[[nodiscard]] double slab(const ConvexShape& A, const ConvexShape& B, const Vec3& n);

/// The best slab across the shapes' own axes and the line of their centres.
struct Slab {
  double width = 0;
  Vec3 n = Vec3::UnitZ();  ///< from A to B
};
[[nodiscard]] Slab best_own_slab(const ConvexShape& A, const ConvexShape& B);

/// Kinks of σ near n: the normals of flat faces, and the directions of straight edges across n.
struct Kinks {
  std::vector<Vec3> normals, edges;
};
[[nodiscard]] Kinks kinks_near(const ConvexShape& shape, const Vec3& n);

/// The points of the core that are farthest along n.
struct SupportFace {
  int dimension = 0;         ///< 0 a point, 1 an edge, 2 a face
  Vec3 edge = Vec3::Zero();  ///< unit direction, of an edge
};
[[nodiscard]] SupportFace support_face(const ConvexShape& shape, const Vec3& n);

/// Second derivative of the core's σ at n, where it exists: how the support point moves as n turns.
[[nodiscard]] Mat3 support_curvature(const ConvexShape& shape, const Vec3& n);

/// Points whose hull is the core or, for round cores, approximates it to a hundredth of its size.
[[nodiscard]] std::vector<Vec3> outline(const ConvexShape& shape);

/// The largest violation by x of the inequalities that describe the core; 0 inside.
[[nodiscard]] double outside(const ConvexShape& shape, const Vec3& x);

}  // namespace ricochet
