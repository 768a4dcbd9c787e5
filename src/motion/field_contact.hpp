#pragma once
/// Where a convex shape touches a height field and when it does: docs/simulation.md (MO37) to (MO39).

#include "motion/field_part.hpp"
#include "motion/gap_search.hpp"

namespace ricochet::motion {

/// A height field, and the number that its first triangle has among the shapes of its body.
struct BodyField {
  std::uint32_t body = 0, first = 0;
  const FieldPart* field = nullptr;
  Pose pose;
};

/// How near and how deep contacts are looked for.
struct FieldReach {
  double reach = 0;  ///< largest gap [m]
  double depth = 0;  ///< largest overlap [m]
  /// A corner that is on a face is in contact though its neighbours are below that face by this share of their
  /// distance.
  double tilt = 0;
};

/// Features of the field and the shape with a gap up to `reach`.
[[nodiscard]] Expected<std::vector<FoundFeature>> field_features(const BodyField& a, const BodyShape& b,
                                                                 const FieldReach& reach);

/// The least gap of the shape and a prism of the field, negative for an overlap; infinite beyond `reach` [m].
[[nodiscard]] Expected<double> field_gap(const BodyField& a, const BodyShape& b, double reach);

/// Whether and when the gap closes. `lasting`: contacts of the shape with the field that last.
[[nodiscard]] Expected<GapFound> first_field_contact(const BodyField& a, const MovingShape& B, const GapSearch& search,
                                                     const std::vector<Feature>& lasting);

}  // namespace ricochet::motion
