#pragma once
/// The first time at which the gap of two moving shapes closes (docs/simulation.md (MO5) to (MO8)).

#include <functional>
#include <vector>

#include "motion/feature.hpp"
#include "motion/piece.hpp"

namespace ricochet::motion {

struct MovingShape {
  const ShapePart* part = nullptr;
  const Piece* piece = nullptr;
};

struct LastingFeature {
  Feature feature;
  bool swapped = false;  ///< its body a has the shape B of the search
};

struct GapSearch {
  double from = 0, to = 0;              ///< [s]
  double rounding = 0;                  ///< of a gap: a smaller one is zero [m]
  double touching = 0;                  ///< a gap up to this is zero at the start [m]
  double still = 0;                     ///< a rate up to this is zero at the start [m/s]
  std::vector<int> skipped_corners;     ///< of b on a half space of a, or rims on a plane: in lasting contact
  std::vector<LastingFeature> lasting;  ///< of shapes with faces or ends
};

struct GapFound {
  bool closes = false;
  double time = 0;
};

/// Number of the lowest point of a cylinder's rim among `skipped_corners`.
[[nodiscard]] inline int rim_corner(int end) { return 8 + end; }

/// Whether and when the gap closes. Half spaces must come first. Fails where the distance of the shapes cannot be
/// computed.
[[nodiscard]] Expected<GapFound> first_contact(const MovingShape& A, const MovingShape& B, const GapSearch& search);

}  // namespace ricochet::motion
