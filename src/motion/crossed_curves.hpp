#pragma once
/// Two surfaces that touch by curves which cross: rims, edges and, at the distance of their radius, the axes of round
/// sides, docs/simulation.md (MO43) and (MO44). Unlike the normals of (MO32), these are as good where a flat end is
/// nearly along the other curve.

#include <optional>

#include "motion/feature.hpp"

namespace ricochet::motion {

struct CrossedCurves {
  Vec3 n = Vec3::UnitZ(), n_rate = Vec3::Zero();          ///< from a to b
  Vec3 on_a = Vec3::Zero(), on_a_rate = Vec3::Zero();     ///< points of the surfaces; the rate of the geometric point
  Vec3 on_b = Vec3::Zero();                               ///< as above
  Vec3 radius_a = Vec3::Zero(), radius_b = Vec3::Zero();  ///< unit vectors from the centres of rims, or zero
  double s_a = 0, s_b = 0;                                ///< places on lines, as in (MO32) [m]
  double gap = 0;
};

/// Of a feature of kind `surfaces`, from the point at which its hints put it; nothing where one of its parts is no
/// curve or where the two do not cross.
[[nodiscard]] std::optional<CrossedCurves> crossed_curves(const Feature& feature, const ShapePart& part_a,
                                                          const ShapePart& part_b, const Pose& a, const Pose& b);

}  // namespace ricochet::motion
