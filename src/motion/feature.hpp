#pragma once
/// Where two bodies touch, as a function of their poses (docs/simulation.md (MO11) to (MO14)): a point, a contour on a
/// plane or two centres, with the rates at which point and normal move.

#include <cstdint>
#include <vector>

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

  [[nodiscard]] bool half_space() const { return shape.core == ConvexShape::Core::half_space; }
  [[nodiscard]] bool point() const { return shape.core == ConvexShape::Core::point; }
  [[nodiscard]] bool round() const { return corners.empty() && !half_space(); }
};
[[nodiscard]] ShapePart make_part(const ConvexShape& shape);
[[nodiscard]] ConvexShape placed(const ShapePart& part, const Pose& at);

struct Feature {
  enum class Kind : std::uint8_t { plane_point, plane_round, plane_rim, centres };
  Kind kind = Kind::plane_point;
  std::uint32_t a = 0, b = 0;              ///< bodies; a has the plane
  std::uint32_t shape_a = 0, shape_b = 0;  ///< their shapes
  int corner = -1;                         ///< of b on a half space of a
  Vec3 n = Vec3::UnitZ();                  ///< of the plane, axes of a, outward
  Vec3 p = Vec3::Zero();                   ///< point of the plane, or centre, axes of a
  Vec3 c = Vec3::Zero();                   ///< point of b, or the centre of its rim, axes of b
  Vec3 axis = Vec3::UnitZ();               ///< of a rim, axes of b
  double rim = 0;                          ///< radius of the rim [m]
  double margin_a = 0, margin_b = 0;

  [[nodiscard]] bool same(const Feature& o) const {
    return a == o.a && b == o.b && shape_a == o.shape_a && shape_b == o.shape_b && corner == o.corner;
  }
};

struct ContactFrame {
  Vec3 point, n;            ///< n from a to b
  Vec3 point_rate, n_rate;  ///< of the geometric point, not of a material one
  double gap = 0;
  Vec3 V;  ///< of b's material point relative to a's
};
[[nodiscard]] ContactFrame frame(const Feature& feature, const ShapePart& part_b, const Pose& a, const Pose& b);

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

/// Nearest points of two shapes, with the normal from the first to the second.
[[nodiscard]] Expected<Touch> nearest(const ConvexShape& A, const ConvexShape& B);

}  // namespace ricochet::motion
