#pragma once
/// The first contact of two polyhedral shapes: docs/simulation.md (MO8), (MO27), (MO28).

#include <array>
#include <cstddef>

#include "motion/gap_search.hpp"

namespace ricochet::motion {

/// A line on which two faces of a shape meet and between which the shape is, axes of the body: an edge, a tangent of a
/// rim or, without faces and at the distance of its radius, the axis of a round side.
struct Ridge {
  Vec3 point = Vec3::Zero(), d = Vec3::UnitX();
  double length = 0, margin = 0;
  std::array<Vec3, 2> inward{Vec3::Zero(), Vec3::Zero()};  ///< unit, across d, into each face
  std::size_t faces = 0;

  void add_face(const Vec3& into) { inward[faces++] = into; }
};

[[nodiscard]] Ridge ridge_of(const MovingShape& A, int edge);

/// How long the plane along two ridges stays between their shapes; 0 where it does not now. It touches both wedges now.
[[nodiscard]] double safe_across_ridges(const MovingShape& A, const Pose& a, const Ridge& of_a, const MovingShape& B,
                                        const Pose& b, const Ridge& of_b, double t, double to);

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
