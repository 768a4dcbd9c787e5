#pragma once
/// The first contact of two polyhedral shapes: docs/simulation.md (MO8), (MO27), (MO28).

#include "motion/gap_search.hpp"

namespace ricochet::motion {

/// Of two sharp shapes that do not touch, by the directions that separate them.
[[nodiscard]] Expected<GapFound> sharp_polytopes(const MovingShape& A, const MovingShape& B, const GapSearch& search);

/// How long the plane along the edges that separate best stays between two shapes, round ones too; 0 without such
/// edges.
[[nodiscard]] double safe_across_edges(const MovingShape& A, const Pose& a, const MovingShape& B, const Pose& b,
                                       double t, double to);

/// Of two shapes in lasting contact: the first time at which the plane of that contact no longer separates them.
[[nodiscard]] Expected<GapFound> touching_polytopes(const MovingShape& A, const MovingShape& B,
                                                    const GapSearch& search);

}  // namespace ricochet::motion
