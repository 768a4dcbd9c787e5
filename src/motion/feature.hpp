#pragma once
/// Where two bodies touch, as a function of their poses (docs/simulation.md (MO11) to (MO14), (MO23) to (MO25), (MO31)
/// to (MO34)): a point, a contour on a plane, two centres, two edges, a point and an edge or two curved surfaces, with
/// the rates at which point and normal move.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "motion/polytope.hpp"
#include "ricochet/geometry/half_space_contact.hpp"
#include "ricochet/motion/simulation.hpp"

namespace ricochet::motion {

/// A shape of a body, with what is asked of it again and again.
struct ShapePart {
  ConvexShape shape;          ///< in body axes
  std::vector<Vec3> corners;  ///< whose hull is the core, in body axes; empty for round cores and half spaces
  double radius = 0;          ///< of a ball about the centre of mass; infinite for a half space
  double curvature = 0;       ///< bound on the second derivative of a round core's support function [m]
  bool centred = false;       ///< a ball about the centre of mass
  std::shared_ptr<const Polytope> polytope;  ///< of a polyhedral core, in body axes

  [[nodiscard]] bool half_space() const { return shape.core == ConvexShape::Core::half_space; }
  [[nodiscard]] bool point() const { return shape.core == ConvexShape::Core::point; }
  [[nodiscard]] bool round() const { return corners.empty() && !half_space(); }
};
[[nodiscard]] ShapePart make_part(const ConvexShape& shape);
[[nodiscard]] ConvexShape placed(const ShapePart& part, const Pose& at);

struct Feature {
  enum class Kind : std::uint8_t {
    plane_point,
    plane_round,
    plane_rim,
    centres,
    edges,
    line_point,
    surfaces,
    chord,  ///< an edge of b across a flat end of a, where it meets the rim
    lens,   ///< flat ends of both, where their rims cross
  };
  Kind kind = Kind::plane_point;
  std::uint32_t a = 0, b = 0;              ///< bodies; a has the plane, or the line of line_point
  std::uint32_t shape_a = 0, shape_b = 0;  ///< their shapes
  int corner = -1;                         ///< of b on a half space of a, or end of a chord
  int part_a = -1, part_b = -1;            ///< vertex, edge, face, end or surface of each shape, as the kind says
  Vec3 n = Vec3::UnitZ();                  ///< of the plane, axes of a, outward; or along the edge of a; or near n
  /// Point of the plane, centre, end of the edge, or near the radius of a's rim at which surfaces touch; axes of a.
  Vec3 p = Vec3::Zero();
  /// Point of b, the centre of its rim, end of its edge, or near the radius of its rim at which surfaces touch; axes of
  /// b.
  Vec3 c = Vec3::Zero();
  Vec3 axis = Vec3::UnitZ();   ///< of a rim, or along the edge of b: n × axis is from a to b; axes of b
  Vec3 lowest = Vec3::Zero();  ///< of a rim: near the way to its lowest point, axes of b; zero: not known
  double rim = 0;              ///< radius of the rim, or of the flat end of a [m]
  double margin_a = 0, margin_b = 0;

  [[nodiscard]] bool same(const Feature& o) const {
    return kind == o.kind && a == o.a && b == o.b && shape_a == o.shape_a && shape_b == o.shape_b &&
           corner == o.corner && part_a == o.part_a && part_b == o.part_b;
  }
};

struct ContactFrame {
  Vec3 point, n;            ///< n from a to b
  Vec3 point_rate, n_rate;  ///< of the geometric point, not of a material one
  double gap = 0;
  Vec3 V;  ///< of b's material point relative to a's
};
[[nodiscard]] ContactFrame frame(const Feature& feature, const ShapePart& part_a, const ShapePart& part_b,
                                 const Pose& a, const Pose& b);

/// Not negative while the feature touches where its edges and faces are: (MO26), (MO34). Infinite without limits [m].
[[nodiscard]] double extent(const Feature& feature, const ShapePart& part_a, const ShapePart& part_b, const Pose& a,
                            const Pose& b);

/// Whether the shapes have the vertices, edges and faces that the feature names.
[[nodiscard]] bool has_parts(const Feature& feature, const ShapePart& part_a, const ShapePart& part_b);

/// Two unit vectors across the axis of a flat end: along which it turns down as it moves, if it does, and across that;
/// otherwise those of its shape. World axes.
[[nodiscard]] std::array<Vec3, 2> flat_axes(const Mat3& rotation, double r, const Vec3& n, const Pose& a,
                                            const Pose& b);

/// Features of two shapes whose gap is at most `reach`. Fails where lasting contact of such shapes has no closed form
/// here; `n` and `point` are then still known to the caller by `Touch`.
struct FoundFeature {
  Touch touch;      ///< from a to b
  Feature feature;  ///< valid if `lasting`
  bool lasting = true;
};
struct BodyShape {
  std::uint32_t body = 0, index = 0;
  const ShapePart* part = nullptr;
  Pose pose;
};
[[nodiscard]] Expected<std::vector<FoundFeature>> features(const BodyShape& a, const BodyShape& b, double reach);

/// As `features`, of two shapes with polytopes.
[[nodiscard]] Expected<std::vector<FoundFeature>> polytope_features(const BodyShape& a, const BodyShape& b,
                                                                    double reach);

/// Nearest points of two shapes, with the normal from the first to the second. Sharp ones that hardly touch have a
/// normal that separates them.
[[nodiscard]] Expected<Touch> nearest(const ConvexShape& A, const ConvexShape& B);
[[nodiscard]] Expected<Touch> nearest(const ShapePart& A, const Pose& at_A, const ShapePart& B, const Pose& at_B);

/// B in the axes of A.
[[nodiscard]] RelativePose relative_pose(const Pose& at_A, const Pose& at_B);

}  // namespace ricochet::motion
