#pragma once
/// Names on a plot, each where nothing else is: beside its point, or on its line.

#include <string>
#include <vector>

#include "ricochet/report/drawing.hpp"

namespace ricochet {

/// On the page.
struct PointName {
  std::string text;
  Vec2 at;
  double angle = 45;  ///< where it would best stand, seen from the point: degrees, 0 to the right, 90 above
  std::string colour = "#000000";
};

struct LineName {
  std::string text;
  Vec2 from, to;  ///< the part of the line that is seen
  std::string colour = "#000000";
};

/// What is there already.
struct Surroundings {
  Box frame;                             ///< names stay inside
  std::vector<Vec2> dots;                ///< never covered
  std::vector<std::vector<Vec2>> lines;  ///< crossed only where there is no better place
};

struct PlacedNames {
  std::vector<Text> texts;
  std::vector<Line> leaders;  ///< from a point to its name, where that stands apart
};

/// Points closer together than a dot share one name, "$A$, $B$". A name on a line that has no room is left out; one
/// beside a point never is.
[[nodiscard]] PlacedNames place_names(const std::vector<PointName>& points, const std::vector<LineName>& lines,
                                      const Surroundings& surroundings);

/// The part of a line that lies in a box, as shares of its length; none: first > second.
[[nodiscard]] std::pair<double, double> clip_to(const Box& box, const Vec2& from, const Vec2& to);

}  // namespace ricochet
