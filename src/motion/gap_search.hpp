#pragma once
/// The first time at which the gap of two moving shapes closes (docs/simulation.md (MO5) to (MO8)).

#include <functional>
#include <limits>
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
  bool notes_grazing = false;           ///< whether a gap that only touches is to be reported
};

struct GapFound {
  bool closes = false;
  double time = 0;
  /// When the gap, once open, comes within `touching` of zero; infinite where it does not, or nobody asked.
  double grazes = std::numeric_limits<double>::infinity();
};

/// Notes when a gap that was open is within `touching` of zero and does not fall any more.
class GrazingNote {
 public:
  explicit GrazingNote(const GapSearch& search) : search_(search) {}
  void see(double t, double gap, double rate) {
    if (gap > search_.touching) {
      open_ = true;
    } else if (open_ && rate >= 0 && search_.notes_grazing && t < found_.grazes) {
      found_.grazes = t;
    }
  }
  [[nodiscard]] GapFound none() const { return found_; }

 private:
  const GapSearch& search_;
  bool open_ = false;
  GapFound found_;
};

/// Number of the lowest point of a cylinder's rim among `skipped_corners`.
[[nodiscard]] inline int rim_corner(int end) { return 8 + end; }

/// Whether and when the gap closes. Half spaces must come first. Fails where the distance of the shapes cannot be
/// computed.
[[nodiscard]] Expected<GapFound> first_contact(const MovingShape& A, const MovingShape& B, const GapSearch& search);

}  // namespace ricochet::motion
