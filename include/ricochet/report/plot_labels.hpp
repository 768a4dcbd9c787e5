#pragma once
/// Placement of names on a plot without overlap: beside a point or on a line.

#include <string>
#include <vector>

#include "ricochet/report/drawing.hpp"

namespace ricochet {

/// On the page.
struct PointName {
  std::string text;
  Vec2 at;
  double angle = 45;  ///< preferred direction from the point: degrees, 0 to the right, 90 above
  std::string colour = "#000000";
};

struct LineName {
  std::string text;
  Vec2 from, to;  ///< the visible part of the line
  std::string colour = "#000000";
};

/// Occupied areas.
struct LabelObstacles {
  Box frame;                             ///< names stay inside
  std::vector<Vec2> dots;                ///< never covered
  std::vector<std::vector<Vec2>> lines;  ///< crossed only if there is no better position
  double scale = 1;                      ///< of letters and dots, relative to a printed figure
  double letter_width = 1;               ///< of the typeface, relative to Helvetica
};

struct PlacedNames {
  std::vector<Text> texts;
  std::vector<Line> leaders;  ///< leader line from a point to its name, if needed
};

/// Points closer together than a dot share one name, "$A$, $B$". A name on a line without room is omitted; one beside a
/// point never is.
[[nodiscard]] PlacedNames place_names(const std::vector<PointName>& points, const std::vector<LineName>& lines,
                                      const LabelObstacles& obstacles);

/// The part of a line inside a box, as fractions of its length; empty if first > second.
[[nodiscard]] std::pair<double, double> clip_to(const Box& box, const Vec2& from, const Vec2& to);

}  // namespace ricochet
