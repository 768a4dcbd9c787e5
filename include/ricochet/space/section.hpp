#pragma once
/// The plane constructions of CR98 section 3.3 (Fig. 3a), ready to draw.
///
/// What is drawn is the section P_3 = 0 of impulse space: the plane of n and of the direction that opposes the initial
/// slip. Cut by it, energy, separation and friction are those of the planar problem with the 2 × 2 block of W (not of
/// M), so that the section is the planar sub-problem of that mobility. For a planar contact (axis 3 uncoupled) it is
/// the whole problem and `centre` is P_II; otherwise the ellipse is a slice whose centre is not P_II.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/contact/contact.hpp"

namespace ricochet {

/// Drawing coordinates: x = P_2 (against the initial slip), y = P_n.
struct NamedPoint {
  std::string name;
  Vec2 P;
};

struct NamedCurve {
  std::string name;
  std::vector<Vec2> points;
  bool closed = false;
};

struct SectionEllipse {
  Vec2 centre;
  Vec2 axis_1, axis_2;    ///< unit, the longer half-axis first
  double half_1, half_2;  ///< half_1 is infinite where W's block is singular: two parallel lines (CR98 Fig. 8)
};

struct Section {
  Mat2 W;  ///< block of W in drawing coordinates
  Vec2 V;  ///< (−s, V_n)
  double mu = 0;
  double energy = 0;    ///< energy lost at the centre [J]
  bool planar = false;  ///< axis 3 is uncoupled: the section is complete
  bool bounded = true;  ///< otherwise unbounded curves are cut at the frame
  Vec2 frame_low, frame_high;
  SectionEllipse ellipse;
  /// O, P_I, centre, E = 2 P_I always; A, B (V⁺ along −x, +x), C, D (V⁺ along n, −n) and F = 2 centre where the ellipse
  /// is bounded. These are the letters of Fig. 3a; Fig. 1 has A for P_I, B for 2 P_I and C for the centre.
  std::vector<NamedPoint> points;
  /// "energy" (two of them when half_1 is infinite), "maximum compression", "sticking", "friction left", "friction
  /// right", "e = …", "permissible" (a closed curve).
  std::vector<NamedCurve> curves;
  Mat3 axes;  ///< columns n, t_2, t_3 in input coordinates

  /// Input coordinates of a point of the drawing.
  [[nodiscard]] Vec3 lift(const Vec2& P) const { return axes.col(1) * P.x() + axes.col(0) * P.y(); }
  [[nodiscard]] const NamedPoint* point(std::string_view wanted) const;
  [[nodiscard]] const NamedCurve* curve(std::string_view wanted) const;
};

struct SectionOptions {
  int samples = 256;                       ///< points on the ellipse, and on the curved side of the region; 8 or more
  std::vector<double> e_lines = {0.5, 1};  ///< restitution lines to draw; 0 is the line of maximum compression
};

/// Fails on a contact that does not approach (V), on μ out of range (mu) and on options out of range.
[[nodiscard]] Expected<Section> section(const Contact& contact, double mu, const SectionOptions& options = {});

}  // namespace ricochet
