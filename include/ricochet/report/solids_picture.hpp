#pragma once
/// Bodies of known outline with their contacts and velocities, in parallel projection, for mechanisms and scenes of
/// many contacts.

#include <string>
#include <vector>

#include "ricochet/base/linear.hpp"
#include "ricochet/report/drawing.hpp"

namespace ricochet {

/// Seen as the convex hull of its corners, each of them a ball of `radius`: one corner makes a ball, two a rod or a
/// capsule, eight a box.
struct DrawnSolid {
  std::string name;
  std::vector<Vec3> corners;
  double radius = 0;
  bool fixed = false;
  bool struck = false;  ///< highlighted
};

/// A face of a fixed body at one point; the solid is on the side opposite to n.
struct Ground {
  std::string name;
  Vec3 point = Vec3::Zero();
  Vec3 n = Vec3::UnitZ();
};

struct SolidArrow {
  Vec3 from = Vec3::Zero();
  Vec3 velocity = Vec3::Zero();
  bool contact = false;  ///< of a contact point and not of a body's centre
};

struct SolidTouch {
  Vec3 point = Vec3::Zero();
  double share = 0;        ///< largest impulse: the size of a dot is proportional to its impulse
  std::string title = {};  ///< tooltip
};

struct SolidsPicture {
  std::string title;
  std::vector<DrawnSolid> solids;
  std::vector<Ground> grounds = {};
  std::vector<SolidTouch> touches = {};
  std::vector<Vec3> hinges = {};
  std::vector<SolidArrow> arrows = {};
};

/// The projection of space onto the page.
struct SolidsView {
  Vec3 right = Vec3::UnitX(), up = Vec3::UnitZ();  ///< orthonormal
  Vec3 centre = Vec3::Zero();                      ///< in the middle of the page
  double scale = 1;                                ///< points for a metre
  double width = 420, height = 330;                ///< of the page
  double fastest = 0;                              ///< speed of the longest arrow [m/s]
};

/// Fits all solids, contacts and hinges with room for arrows; `fastest` is the largest speed of the picture.
[[nodiscard]] SolidsView view_of(const SolidsPicture& picture, const Vec3& right, const Vec3& up);

/// A ground is drawn where it is seen from its edge.
[[nodiscard]] Drawing draw_solids(const SolidsPicture& picture, const SolidsView& view);

}  // namespace ricochet
