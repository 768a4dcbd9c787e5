#pragma once
/// The gap of two convex shapes (docs/mechanisms.md),
///   gap = max over unit n of −σ_B(−n) − σ_A(n),                                                          (G11)
/// computed with FCL and verified without it. Only in builds with FCL.

#include "ricochet/base/error.hpp"
#include "ricochet/geometry/convex_shape.hpp"

namespace ricochet {

struct SignedDistance {
  double gap = 0;                                 ///< negative: the shortest translation found that separates them
  Vec3 n = Vec3::UnitZ();                         ///< from A to B
  Vec3 on_A = Vec3::Zero(), on_B = Vec3::Zero();  ///< nearest points
  bool patch = false;                             ///< face on face: one of many equally near pairs
  double uncertainty = 0;  ///< upper bound on the true gap minus `gap`, from two points of the shapes
};

/// Fails where FCL gives no result verified to 1e-9 of the shapes' size, and for half spaces, which have a closed
/// form.
[[nodiscard]] Expected<SignedDistance> signed_distance(const ConvexShape& A, const ConvexShape& B);

/// The same without the verification: `gap` is a lower bound, `uncertainty` says how far above it the true gap may be.
[[nodiscard]] Expected<SignedDistance> estimate_distance(const ConvexShape& A, const ConvexShape& B);

/// Fails where the distance is not verified to 1e-9 of the shapes' size.
[[nodiscard]] Expected<void> check_certain(const SignedDistance& found, const ConvexShape& A, const ConvexShape& B);

}  // namespace ricochet
