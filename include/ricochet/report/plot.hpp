#pragma once
/// Curves, regions and points over two axes, laid out as a drawing: ranges, ticks, labels, legend.

#include <optional>
#include <string>
#include <vector>

#include "ricochet/base/error.hpp"
#include "ricochet/report/drawing.hpp"

namespace ricochet {

struct PlotCurve {
  std::string name = {};  ///< its line in the legend; empty for none
  std::vector<Vec2> points;
  Stroke stroke = {};
  bool closed = false;
  std::string fill = {};
  double opacity = 1;
  bool arrow = false;
  bool counts = true;        ///< for the range of the axes; a line that only passes through does not
  bool named_there = false;  ///< a straight line whose name stands on it, and not in the legend
};

struct PlotPoint {
  std::string name = {};  ///< beside the point; or in the legend, if in_legend
  Vec2 at;
  std::string colour = "#000000";
  Dot::Form form = Dot::Form::disc;
  bool in_legend = false;
  double angle = 45;  ///< where the name best stands, seen from the point: degrees, 0 to the right, 90 above
  bool dot = true;    ///< else the name alone
};

struct Plot {
  std::string id = "figure";
  std::string title = {};
  std::string description = {};
  std::string x_label = {}, y_label = {};
  double width = 460, height = 360;
  bool equal_scales = false;
  bool bare = false;          ///< no frame, ticks or axes
  bool legend_below = false;  ///< else to the right
  bool x_log = false, y_log = false;
  bool axes_through_origin = true;          ///< where 0 is in the range; never with logarithms
  std::optional<Vec2> low = {}, high = {};  ///< range; from the curves and points where absent
  std::vector<PlotCurve> curves = {};
  std::vector<PlotPoint> points = {};
};

/// A point outside the range is not drawn, and its line in the legend says so. Fails on a number that is not finite, on
/// a logarithmic axis with a value that is not positive, and on nothing to draw.
[[nodiscard]] Expected<Drawing> draw(const Plot& plot);

/// Gives both plots the range of all that counts in either, so that they have one scale.
void share_range(Plot& one, Plot& other);

/// Round numbers that divide [low, high] into about `wanted` parts.
[[nodiscard]] std::vector<double> ticks(double low, double high, int wanted);

/// Colours that can be told apart, by colour-blind readers too (Okabe and Ito), taken in turn.
[[nodiscard]] std::string palette(std::size_t i);

}  // namespace ricochet
