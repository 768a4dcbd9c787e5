#pragma once
/// Two convex surfaces that touch at one point, each by the part of it that is there: docs/simulation.md (MO31) to
/// (MO34). A part has a number: of a polytope vertex k has 2k and edge k has 2k + 1, of a cylinder its rims have 0 (at
/// −z of its axes) and 1, its side 2, and an ellipsoid is 0.

#include <optional>

#include "motion/crossed_curves.hpp"
#include "motion/feature.hpp"

namespace ricochet::motion {

inline constexpr int cylinder_side = 2;
[[nodiscard]] inline int vertex_part(int vertex) { return 2 * vertex; }
[[nodiscard]] inline int edge_part(int edge) { return 2 * edge + 1; }

/// Whether the shape has a part of this number.
[[nodiscard]] bool has_part(const ShapePart& part, int number);

/// Of a feature of kind `surfaces`; nothing where the two parts do not determine a normal, as a corner on an edge.
[[nodiscard]] std::optional<ContactFrame> surface_frame(const Feature& feature, const ShapePart& part_a,
                                                        const ShapePart& part_b, const Pose& a, const Pose& b);
/// The normal, and the radii of rims, from which those of a feature of kind `surfaces` are searched, become those of
/// now.
void follow(Feature& feature, const ShapePart& part_a, const ShapePart& part_b, const Pose& a, const Pose& b);
/// Of a feature of kind `chord`.
[[nodiscard]] ContactFrame chord_frame(const Feature& feature, const Pose& a, const Pose& b);

/// Of a feature of kind `lens`.
[[nodiscard]] ContactFrame lens_frame(const Feature& feature, const ShapePart& part_b, const Pose& a, const Pose& b);

/// As `extent`, of features of which one shape at least is curved. A rim that comes to lie along a line ends exactly
/// there, and is found up to a slack, so that the other rim of its cylinder is found with it.
[[nodiscard]] double curved_extent(const Feature& feature, const ShapePart& part_a, const ShapePart& part_b,
                                   const Pose& a, const Pose& b, double rim_slack = 0);
/// Of a rim that touches a line, an edge or the side of a cylinder: the sine of the angle by which it turns down there,
/// (MO45). Where it vanishes the end is along the line, and the other end of the chord touches as well.
[[nodiscard]] std::optional<double> turned_down(const Feature& feature, const ShapePart& part_a,
                                                const ShapePart& part_b, const Pose& a, const Pose& b);
[[nodiscard]] bool has_curved_parts(const Feature& feature, const ShapePart& part_a, const ShapePart& part_b);

/// Features of two shapes of which one at least is curved and none a half space; `touch` is where they are nearest.
[[nodiscard]] std::vector<FoundFeature> curved_features(const BodyShape& a, const BodyShape& b, const Touch& touch,
                                                        double reach);

/// The same where a plane of one of them, a face or a flat end, or one between two cylinders separates them or nearly
/// does; nothing where none does, or where they are farther apart than `reach`.
[[nodiscard]] std::vector<FoundFeature> flat_features(const BodyShape& a, const BodyShape& b, double reach);

/// Where a rim of one shape may cross a rim, an edge or the axis of the side of another.
struct CurveCrossing {
  Feature feature;
  CrossedCurves at;
};
[[nodiscard]] std::vector<CurveCrossing> curve_crossings(const BodyShape& a, const BodyShape& b);

/// How far x is inside a face of a polytope, as the least distance from its edges.
[[nodiscard]] double inside_face(const Polytope& P, const PolytopeFace& face, const Vec3& x);
/// How far the neighbours of a vertex stay behind the plane through it across n; n in axes of P, outward.
[[nodiscard]] double vertex_cone(const Polytope& P, int vertex, const Vec3& n);
/// How far beyond an edge or a face a contact is still on it, and how far an edge may fall behind a plane: what
/// rounding and the tolerance of touching add [m].
[[nodiscard]] double inside_slack(const ShapePart& a, const ShapePart& b);
[[nodiscard]] double cone_slack(const ShapePart& a, const ShapePart& b);

/// Vertices, edges and faces that may touch where n is the normal, outward, axes of P.
struct NearParts {
  std::vector<int> vertices, edges, faces;
};
[[nodiscard]] NearParts near_parts(const Polytope& P, const Vec3& n, double band);

}  // namespace ricochet::motion
