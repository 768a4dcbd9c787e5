#pragma once
/// The gap of two convex shapes (docs/mechanisms.md),
///   gap = max over unit n of −σ_B(−n) − σ_A(n),                                                          (G11)
/// found with FCL and judged without it. Only in builds with FCL.

#include "convex_shape.hpp"
#include "ricochet/base/error.hpp"

namespace ricochet {

struct ConvexGap {
  double gap = 0;                                 ///< negative: the shortest shift found that parts them
  Vec3 n = Vec3::UnitZ();                         ///< from A to B
  Vec3 on_A = Vec3::Zero(), on_B = Vec3::Zero();  ///< nearest points
  bool patch = false;                             ///< flat on flat: one pair of many that are as near
  double uncertainty = 0;  ///< how far the true gap may be above `gap`, by the distance of two points of the shapes
};

/// Fails where FCL gives no answer that is certain to 1e-9 of the shapes' size, and for half spaces, whose gap is a
/// formula.
[[nodiscard]] Expected<ConvexGap> convex_gap(const ConvexShape& A, const ConvexShape& B);

}  // namespace ricochet
