#pragma once
/// Curves, regions and points over two axes, laid out as a drawing: ranges, ticks, labels, legend. The same layout
/// serves printed figures and panes of a screen, which may be of any size, zoomed, and drawn again with every move of a
/// drag.

#include <optional>
#include <string>
#include <vector>

#include "ricochet/base/error.hpp"
#include "ricochet/report/drawing.hpp"

namespace ricochet {

/// The input of the collision that dragging a curve or a point changes.
enum class PlotHandle { none, e, mu, V };

struct PlotCurve {
  std::string name = {};  ///< its entry in the legend; empty for none
  std::vector<Vec2> points;
  Stroke stroke = {};
  bool closed = false;
  std::string fill = {};
  double opacity = 1;
  bool arrow = false;
  bool counts = true;        ///< counts for the range of the axes; an auxiliary line does not
  bool named_there = false;  ///< a straight line with its name on it instead of in the legend
  std::string law = {};      ///< whose answer or reach it shows, for readers that give each law a colour of their own
  PlotHandle handle = PlotHandle::none;
};

struct PlotPoint {
  std::string name = {};  ///< beside the point; or in the legend, if in_legend
  Vec2 at;
  std::string colour = "#000000";
  Dot::Form form = Dot::Form::disc;
  bool in_legend = false;
  double angle = 45;  ///< preferred direction of the name from the point: degrees, 0 to the right, 90 above
  bool dot = true;    ///< otherwise only the name
  double size = 1;    ///< of the dot, relative to others
  std::string law = {};
  PlotHandle handle = PlotHandle::none;
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
  bool axes_through_origin = true;          ///< if 0 is in the range; never on logarithmic axes
  std::optional<Vec2> low = {}, high = {};  ///< range; from the curves and points where absent
  std::vector<PlotCurve> curves = {};
  std::vector<PlotPoint> points = {};
  std::vector<std::string> notes = {};  ///< lines of the legend that explain a sign used in names
};

/// A range of both axes; logarithms where an axis is logarithmic.
struct PlotRange {
  Vec2 low, high;
};

/// A place on a screen.
struct PlotPane {
  double width = 460, height = 360;
  double scale = 1.2;                   ///< of letters, marks and margins, relative to a printed figure
  double letter_width = 1;              ///< of the typeface, relative to Helvetica
  std::optional<PlotRange> range = {};  ///< instead of the plot's own: axes that stand still while something is dragged
  double zoom = 1;                      ///< what is at p on the page without zoom is at zoom p + shift
  Vec2 shift = Vec2::Zero();
};

struct PlotPicture {
  Drawing drawing;  ///< lines that are clipped are the plot's curves, in their order
  Box frame;        ///< on the page
  PlotRange range;  ///< before equal scales and zoom; as PlotPane::range it keeps the axes still
  PlotRange shown;  ///< at the edges of the frame

  /// From the numbers of the plot to the page.
  [[nodiscard]] Vec2 page(const Plot& plot, const Vec2& p) const;
};

/// A point outside the range is not drawn, and its legend entry says so. Fails on a number that is not finite, on a
/// nonpositive value on a logarithmic axis, and on an empty plot.
[[nodiscard]] Expected<Drawing> draw(const Plot& plot);

/// Without the title; the legend goes to the right, or below where the frame would become too narrow.
[[nodiscard]] Expected<PlotPicture> draw_in(const PlotPane& pane, const Plot& plot);

/// A name as it is shown: names of events are one word each in files.
[[nodiscard]] std::string spelt_name(const std::string& name);

/// Gives both plots the combined range, so that they share one scale.
void share_range(Plot& one, Plot& other);

/// Round numbers that divide [low, high] into about `wanted` parts.
[[nodiscard]] std::vector<double> ticks(double low, double high, int wanted);

/// Distinguishable colours, also for colour-blind readers (Okabe and Ito), used in turn.
[[nodiscard]] std::string palette(std::size_t i);

}  // namespace ricochet
