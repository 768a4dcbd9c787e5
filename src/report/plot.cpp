#include "ricochet/report/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ricochet/base/error_path.hpp"
#include "ricochet/base/text.hpp"
#include "ricochet/report/plot_labels.hpp"

namespace ricochet {
namespace {

constexpr double text_size = 10, legend_size = 9.5, before_text = 28, dot_radius = 2.5;
const std::string grey = "#6a6a6a";

/// What differs between a printed figure and a pane of a screen.
struct Format {
  enum class Legend { right, below, automatic };
  double width, height;
  double scale = 1;            ///< of letters, marks and margins
  double letter_width = 1.04;  ///< relative to Helvetica; typefaces that stand in for it may be somewhat wider
  Legend legend = Legend::right;
  bool title = true;
  bool mark_outside = true;  ///< in the legend, where nobody can move the frame
};

/// From the numbers of the plot to the page.
struct Frame {
  Vec2 low, high;            // range, after the logarithm where there is one
  Vec2 page_low, page_high;  // page_low is the upper left corner
  bool x_log, y_log;

  [[nodiscard]] Vec2 range(const Vec2& p) const {
    return {x_log ? std::log10(p.x()) : p.x(), y_log ? std::log10(p.y()) : p.y()};
  }
  [[nodiscard]] Vec2 page(const Vec2& p) const {
    const Vec2 at = (range(p) - low).cwiseQuotient(high - low);
    const Vec2 size = page_high - page_low;
    return {page_low.x() + at.x() * size.x(), page_high.y() - at.y() * size.y()};
  }
};

Expected<void> check_point(const Plot& plot, const Vec2& p, const std::string& name) {
  const std::string where = fmt::format("({}, {})", to_text(p.x()), to_text(p.y()));
  if (!p.allFinite())
    return fail(ErrorCode::out_of_range, join_path("plot", name), where, "must be finite to be drawn");
  if ((plot.x_log && p.x() <= 0) || (plot.y_log && p.y() <= 0))
    return fail(ErrorCode::out_of_range, join_path("plot", name), where, "must be positive on a logarithmic axis");
  return {};
}

Expected<void> check_all(const Plot& plot) {
  for (const PlotCurve& curve : plot.curves)
    for (const Vec2& p : curve.points)
      if (const auto fine = check_point(plot, p, curve.name); !fine) return fine;
  for (const PlotPoint& point : plot.points)
    if (const auto fine = check_point(plot, point.at, point.name); !fine) return fine;
  return {};
}

/// The range of what counts, with a margin; an empty range is widened.
Expected<Frame> range_of(const Plot& plot) {
  Frame frame{.low = Vec2::Constant(1e300),
              .high = Vec2::Constant(-1e300),
              .page_low = Vec2::Zero(),
              .page_high = Vec2::Zero(),
              .x_log = plot.x_log,
              .y_log = plot.y_log};
  const auto take = [&](const Vec2& p) {
    frame.low = frame.low.cwiseMin(frame.range(p));
    frame.high = frame.high.cwiseMax(frame.range(p));
  };
  for (const PlotCurve& curve : plot.curves)
    if (curve.counts) std::for_each(curve.points.begin(), curve.points.end(), take);
  for (const PlotPoint& point : plot.points) take(point.at);
  if (plot.low) frame.low = frame.range(*plot.low);
  if (plot.high) frame.high = frame.range(*plot.high);
  if (!(frame.low.array() <= frame.high.array()).all())
    return fail(ErrorCode::invalid, "plot", "", "has nothing to draw");
  const double all = (frame.high - frame.low).maxCoeff();
  for (int i = 0; i < 2; ++i) {
    const double extent = frame.high(i) - frame.low(i);
    const double pad = extent > 0 ? 0.06 * extent : all > 0 ? 0.1 * all : 0.1 * std::abs(frame.low(i)) + 1e-3;
    if (!plot.low) frame.low(i) -= pad;
    if (!plot.high) frame.high(i) += pad;
    if (frame.high(i) <= frame.low(i)) return fail(ErrorCode::invalid, "plot", "", "has an empty range");
  }
  return frame;
}

std::string number(double x, double step) {
  if (x == 0) return "0";
  // As many decimals as the step has digits: two for 0.25, one for 0.2.
  int decimals = 0;
  for (double rest = step; decimals < 12 && std::abs(rest - std::round(rest)) > 1e-6 * rest; rest *= 10) ++decimals;
  const bool plain = std::abs(x) < 1e5 && decimals <= 4;
  std::string text = plain ? fmt::format("{:.{}f}", x, decimals) : fmt::format("{:.3g}", x);
  if (text.starts_with('-')) text.replace(0, 1, "−");
  return text;
}

std::string power(double exponent) {
  return fmt::format("10$^{{{}{:.0f}}}$", exponent < 0 ? "−" : "", std::abs(exponent));
}

struct Tick {
  double at;  // in the range
  std::string name;
};

std::vector<Tick> ticks_of(double low, double high, bool logarithmic, int wanted) {
  std::vector<Tick> out;
  if (logarithmic) {
    const int step = std::max(1, static_cast<int>(std::ceil((high - low) / wanted)));
    const int last = static_cast<int>(std::floor(high));
    for (int t = static_cast<int>(std::ceil(low / step)) * step; t <= last; t += step)
      out.push_back({double(t), power(t)});
    return out;
  }
  const std::vector<double> at = ticks(low, high, wanted);
  const double step = at.size() > 1 ? at[1] - at[0] : 1;
  for (const double t : at) out.push_back({t, number(t, step)});
  return out;
}

void draw_axes(const Plot& plot, const Frame& frame, double scale, Drawing& drawing) {
  if (plot.bare) return;
  const double letters = scale * text_size, tick_length = scale * 4;
  const Vec2 size = frame.page_high - frame.page_low;
  const auto x_page = [&](double x) {
    return frame.page_low.x() + (x - frame.low.x()) / (frame.high.x() - frame.low.x()) * size.x();
  };
  const auto y_page = [&](double y) {
    return frame.page_high.y() - (y - frame.low.y()) / (frame.high.y() - frame.low.y()) * size.y();
  };
  const auto line = [&](const Vec2& a, const Vec2& b, double width, const std::string& colour) {
    drawing.elements.emplace_back(Line{.points = {a, b}, .stroke = {.colour = colour, .width = width}});
  };
  for (const Tick& tick :
       ticks_of(frame.low.x(), frame.high.x(), plot.x_log, static_cast<int>(size.x() / (45 * scale)))) {
    const double x = x_page(tick.at);
    line({x, frame.page_high.y()}, {x, frame.page_high.y() - tick_length}, 0.8, grey);
    // A long number at the end of the axis stays on the page.
    const double half = 0.6 * text_width(tick.name, letters - scale);
    const double middle = std::max(half, std::min(x, drawing.width - half));
    drawing.elements.emplace_back(Text{.at = {middle, frame.page_high.y() + letters + 3 * scale},
                                       .text = tick.name,
                                       .size = letters - scale,
                                       .anchor = Text::Anchor::middle,
                                       .colour = grey});
  }
  for (const Tick& tick :
       ticks_of(frame.low.y(), frame.high.y(), plot.y_log, static_cast<int>(size.y() / (40 * scale)))) {
    const double y = y_page(tick.at);
    line({frame.page_low.x(), y}, {frame.page_low.x() + tick_length, y}, 0.8, grey);
    drawing.elements.emplace_back(Text{.at = {frame.page_low.x() - 5 * scale, y + 0.35 * letters},
                                       .text = tick.name,
                                       .size = letters - scale,
                                       .anchor = Text::Anchor::end,
                                       .colour = grey});
  }
  drawing.elements.emplace_back(Line{.points = {frame.page_low,
                                                {frame.page_high.x(), frame.page_low.y()},
                                                frame.page_high,
                                                {frame.page_low.x(), frame.page_high.y()}},
                                     .closed = true,
                                     .stroke = {.colour = grey, .width = 0.8}});
  if (plot.axes_through_origin && !plot.x_log && frame.low.x() < 0 && frame.high.x() > 0)
    line({x_page(0), frame.page_high.y()}, {x_page(0), frame.page_low.y()}, 0.6, "#b0b0b0");
  if (plot.axes_through_origin && !plot.y_log && frame.low.y() < 0 && frame.high.y() > 0)
    line({frame.page_low.x(), y_page(0)}, {frame.page_high.x(), y_page(0)}, 0.6, "#b0b0b0");
  const Vec2 middle = (frame.page_low + frame.page_high) / 2;
  drawing.elements.emplace_back(Text{.at = {middle.x(), frame.page_high.y() + 2.9 * letters},
                                     .text = plot.x_label,
                                     .size = letters + scale,
                                     .anchor = Text::Anchor::middle});
  // Beside a low frame only the symbol and the unit have room.
  const std::size_t comma = plot.y_label.rfind(", ");
  const bool fits = text_width(plot.y_label, letters + scale) < 1.25 * size.y() || comma == std::string::npos;
  drawing.elements.emplace_back(Text{.at = {14 * scale, middle.y()},
                                     .text = fits ? plot.y_label : plot.y_label.substr(comma + 2),
                                     .size = letters + scale,
                                     .anchor = Text::Anchor::middle,
                                     .turn = -90});
}

struct LegendEntry {
  std::string name;
  const PlotCurve* curve = nullptr;
  const PlotPoint* point = nullptr;
};

std::vector<LegendEntry> legend_of(const Plot& plot) {
  std::vector<LegendEntry> out;
  for (const PlotCurve& curve : plot.curves)
    if (!curve.name.empty() && !curve.named_there) out.push_back({curve.name, &curve, nullptr});
  for (const PlotPoint& point : plot.points)
    if (point.in_legend) out.push_back({point.name, nullptr, &point});
  for (const std::string& note : plot.notes) out.push_back({note, nullptr, nullptr});
  return out;
}

void draw_entry(const LegendEntry& entry, const Vec2& at, double scale, Drawing& drawing) {
  const double x = at.x(), y = at.y(), swatch = 22 * scale, middle = y - 3 * scale;
  if (entry.curve != nullptr) {
    const PlotCurve& c = *entry.curve;
    if (!c.fill.empty()) {
      const double top = y - 6 * scale, bottom = y + 2 * scale;
      drawing.elements.emplace_back(Line{.points = {{x, top}, {x + swatch, top}, {x + swatch, bottom}, {x, bottom}},
                                         .closed = true,
                                         .stroke = c.stroke,
                                         .fill = c.fill,
                                         .opacity = c.opacity,
                                         .law = c.law});
    } else {
      drawing.elements.emplace_back(
          Line{.points = {{x, middle}, {x + swatch, middle}}, .stroke = c.stroke, .arrow = c.arrow, .law = c.law});
    }
  } else if (entry.point != nullptr) {
    drawing.elements.emplace_back(Dot{.at = {x + swatch / 2, middle},
                                      .radius = scale * dot_radius,
                                      .colour = entry.point->colour,
                                      .form = entry.point->form,
                                      .law = entry.point->law});
  }
  drawing.elements.emplace_back(
      Text{.at = {x + before_text * scale, y}, .text = entry.name, .size = scale * legend_size});
}

/// Positions of the legend's entries: below each other beside the frame, or in rows under it.
struct LegendPlaces {
  std::vector<Vec2> at;  ///< from the upper left corner of the legend
  Vec2 size = Vec2::Zero();
};

double width_of(const LegendEntry& entry, const Format& format) {
  return before_text * format.scale + format.letter_width * text_width(entry.name, legend_size * format.scale);
}

/// Below each other where `width_below` is 0; else in rows of that width. On screens rows have equal columns where
/// there is room for three.
LegendPlaces lay_out(const std::vector<LegendEntry>& legend, const Format& format, double width_below) {
  const double scale = format.scale;
  const double step = 1.5 * text_size * scale, gap = 14 * scale;
  double widest = 0;
  if (format.legend == Format::Legend::automatic)
    for (const LegendEntry& entry : legend) widest = std::max(widest, width_of(entry, format));
  if (3 * widest + 2 * gap > width_below) widest = 0;
  LegendPlaces out;
  Vec2 next(0, text_size * scale);
  for (const LegendEntry& entry : legend) {
    const double width = std::max(widest, width_of(entry, format));
    if (width_below > 0 && next.x() > 0 && next.x() + width > width_below) next = {0, next.y() + step};
    out.at.push_back(next);
    out.size = out.size.cwiseMax(next + Vec2(width, 4 * scale));
    if (width_below > 0) {
      next.x() += width + gap;
    } else {
      next.y() += step;
    }
  }
  return out;
}

const std::string outside = ", outside";

bool in_range(const Frame& frame, const Vec2& p) {
  const Vec2 at = frame.range(p);
  return (at.array() >= frame.low.array()).all() && (at.array() <= frame.high.array()).all();
}

bool in_frame(const Frame& frame, const Vec2& at) {
  return (at.array() >= frame.page_low.array() - 0.5).all() && (at.array() <= frame.page_high.array() + 0.5).all();
}

void draw_curves(const Plot& plot, const Frame& frame, Drawing& drawing) {
  for (const PlotCurve& curve : plot.curves) {
    Line line{.points = {},
              .closed = curve.closed,
              .stroke = curve.stroke,
              .fill = curve.fill,
              .opacity = curve.opacity,
              .arrow = curve.arrow,
              .clipped = true,
              .law = curve.law};
    line.points.reserve(curve.points.size());
    for (const Vec2& p : curve.points) line.points.push_back(frame.page(p));
    drawing.elements.emplace_back(std::move(line));
  }
}

void draw_names(const Plot& plot, const Frame& frame, double scale, double letter_width, Drawing& drawing) {
  LabelObstacles there{.frame = {frame.page_low, frame.page_high},
                       .dots = {},
                       .lines = {},
                       .scale = scale,
                       .letter_width = letter_width};
  std::vector<PointName> points;
  for (const PlotPoint& point : plot.points) {
    const Vec2 at = frame.page(point.at);
    if (!in_frame(frame, at)) continue;
    if (point.dot) there.dots.push_back(at);
    if (!point.name.empty() && !point.in_legend)
      points.push_back({spelt_name(point.name), at, point.angle, point.colour});
  }
  std::vector<LineName> lines;
  for (const DrawingElement& shape : drawing.elements) {
    const auto* line = std::get_if<Line>(&shape);
    if (line == nullptr || line->stroke.colour.empty()) continue;
    there.lines.push_back(line->points);
    if (line->closed && !line->points.empty()) there.lines.back().push_back(line->points.front());
  }
  for (const PlotCurve& curve : plot.curves) {
    if (!curve.named_there || curve.name.empty() || curve.points.size() != 2) continue;
    const Vec2 a = frame.page(curve.points[0]), b = frame.page(curve.points[1]);
    const auto [from, to] = clip_to(there.frame, a, b);
    if (from < to) lines.push_back({curve.name, a + from * (b - a), a + to * (b - a), grey});
  }
  PlacedNames placed = place_names(points, lines, there);
  for (Line& leader : placed.leaders) drawing.elements.emplace_back(std::move(leader));
  for (Text& text : placed.texts) drawing.elements.emplace_back(std::move(text));
}

/// The part of the range that is in the frame after zooming.
void zoom(Frame& frame, double by, const Vec2& shift) {
  const Vec2 size = frame.page_high - frame.page_low, extent = frame.high - frame.low;
  const Vec2 first = (frame.page_low - shift) / by, last = (frame.page_high - shift) / by;
  const auto x_at = [&](double page) { return frame.low.x() + (page - frame.page_low.x()) / size.x() * extent.x(); };
  const auto y_at = [&](double page) { return frame.low.y() + (frame.page_high.y() - page) / size.y() * extent.y(); };
  const Vec2 low(x_at(first.x()), y_at(last.y())), high(x_at(last.x()), y_at(first.y()));
  frame.low = low;
  frame.high = high;
}

/// Numbers may be finite and their place on the page not, as in a range of 1e300.
Expected<void> check_frame(const Plot& plot, const Frame& frame) {
  const auto finite = [&](const Vec2& p) { return frame.page(p).allFinite(); };
  const bool fine =
      std::all_of(
          plot.curves.begin(), plot.curves.end(),
          [&](const PlotCurve& curve) { return std::all_of(curve.points.begin(), curve.points.end(), finite); }) &&
      std::all_of(plot.points.begin(), plot.points.end(), [&](const PlotPoint& point) { return finite(point.at); });
  if (fine && (frame.low.array() < frame.high.array()).all()) return {};
  return fail(ErrorCode::out_of_range, "plot", "", "spans numbers too far apart to be drawn");
}

struct Laid {
  Drawing drawing;
  Frame frame;
  PlotRange range;
};

Expected<Laid> lay_out_plot(const Plot& plot, const Format& format, const PlotPane* pane) {
  if (const auto fine = check_all(plot); !fine) return tl::unexpected(fine.error());
  auto found = range_of(plot);
  if (!found) return tl::unexpected(found.error());
  Frame frame = *found;
  if (pane != nullptr && pane->range) {
    frame.low = pane->range->low;
    frame.high = pane->range->high;
  }
  const PlotRange range{frame.low, frame.high};
  const double scale = format.scale;
  std::vector<LegendEntry> legend = legend_of(plot);
  const double top = scale * (plot.title.empty() || !format.title ? 12 : 30);
  const double bottom = scale * (plot.bare ? 10 : 42), margin = scale * 12;
  double left = scale * (plot.bare ? 12 : 58);
  // A point may be beyond a range that was given; room is kept to say so before the frame is known.
  std::vector<LegendEntry> widest = legend;
  for (LegendEntry& entry : widest)
    if (format.mark_outside && entry.point != nullptr && !in_range(frame, entry.point->at)) entry.name += outside;
  bool below = format.legend == Format::Legend::below;
  if (format.legend == Format::Legend::automatic) {
    const LegendPlaces beside = lay_out(widest, format, 0);
    below = format.width - margin - beside.size.x() < 275 * scale || top + beside.size.y() > format.height;
  }
  const LegendPlaces places = lay_out(widest, format, below ? format.width - 2 * margin : 0);

  Drawing drawing{.width = format.width,
                  .height = format.height,
                  .id = plot.id,
                  .title = plot.title,
                  .description = plot.description};
  frame.page_low = Vec2(left, top);
  frame.page_high = Vec2(format.width - margin, format.height - bottom);
  if (below) {
    frame.page_high.y() -= places.size.y();
  } else if (!legend.empty()) {
    frame.page_high.x() -= places.size.x() + margin;
  }
  if (!plot.bare) {
    // Long numbers beside the axis push the frame to the right.
    const auto wanted = static_cast<int>((frame.page_high.y() - frame.page_low.y()) / (40 * scale));
    for (const Tick& tick : ticks_of(frame.low.y(), frame.high.y(), plot.y_log, wanted))
      left = std::max(left, format.letter_width * text_width(tick.name, scale * (text_size - 1)) + scale * 26);
    frame.page_low.x() = left;
  }
  // Whatever the pane, there is a frame to draw in.
  if (pane != nullptr) frame.page_high = frame.page_high.cwiseMax(frame.page_low + Vec2::Constant(10 * scale));
  const Vec2 page = frame.page_high - frame.page_low;
  if (plot.equal_scales) {
    // The range grows about its middle until both scales are the same.
    const Vec2 extent = frame.high - frame.low;
    const double per_point = extent.cwiseQuotient(page).maxCoeff();
    const Vec2 middle = (frame.low + frame.high) / 2;
    frame.low = middle - per_point * page / 2;
    frame.high = middle + per_point * page / 2;
  }
  if (pane != nullptr) zoom(frame, pane->zoom, pane->shift);
  if (const auto fine = check_frame(plot, frame); !fine) return tl::unexpected(fine.error());
  drawing.clip_low = frame.page_low;
  drawing.clip_high = frame.page_high;
  drawing.elements.emplace_back(
      Line{.points = {{0, 0}, {format.width, 0}, {format.width, format.height}, {0, format.height}},
           .closed = true,
           .stroke = {.colour = ""},
           .fill = "#ffffff"});
  draw_axes(plot, frame, scale, drawing);
  draw_curves(plot, frame, drawing);
  for (const PlotPoint& point : plot.points) {
    const Vec2 at = frame.page(point.at);
    if (point.dot && in_frame(frame, at))
      drawing.elements.emplace_back(Dot{.at = at,
                                        .radius = scale * dot_radius * point.size,
                                        .colour = point.colour,
                                        .form = point.form,
                                        .law = point.law});
  }
  draw_names(plot, frame, scale, pane != nullptr ? pane->letter_width : 1, drawing);
  if (format.title && !plot.title.empty())
    drawing.elements.emplace_back(
        Text{.at = {frame.page_low.x(), 19}, .text = plot.title, .size = text_size + 2, .bold = true});
  const Vec2 corner =
      below ? Vec2(margin, format.height - scale * 8 - places.size.y()) : Vec2(frame.page_high.x() + margin, top);
  for (std::size_t i = 0; i < legend.size(); ++i) {
    LegendEntry& entry = legend[i];
    if (format.mark_outside && entry.point != nullptr && !in_frame(frame, frame.page(entry.point->at)))
      entry.name += outside;
    draw_entry(entry, corner + places.at[i], scale, drawing);
  }
  return Laid{std::move(drawing), frame, range};
}

}  // namespace

std::string spelt_name(const std::string& name) {
  const bool word =
      !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
  std::string out = name;
  if (word) std::replace(out.begin(), out.end(), '-', ' ');
  return out;
}

std::vector<double> ticks(double low, double high, int wanted) {
  const double rough = (high - low) / std::max(wanted, 2);
  if (!(rough > 0) || !std::isfinite(rough)) return {};
  const double decade = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * decade;
  for (const double nice : {1.0, 2.0, 2.5, 5.0}) {
    if (nice * decade >= rough) {
      step = nice * decade;
      break;
    }
  }
  std::vector<double> out;
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i) out.push_back(i * step);
  return out;
}

std::string palette(std::size_t i) {
  static const std::array<std::string, 8> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#e69f00", "#56b4e9", "#7f3c8d", "#000000"};
  return colours[i % colours.size()];
}

void share_range(Plot& one, Plot& other) {
  const auto first = range_of(one), second = range_of(other);
  // A plot without a range is skipped here; drawing it reports the error.
  if (!first || !second) return;
  const auto number_of = [](const Plot& plot, const Vec2& p) {
    return Vec2(plot.x_log ? std::pow(10, p.x()) : p.x(), plot.y_log ? std::pow(10, p.y()) : p.y());
  };
  one.low = other.low = number_of(one, first->low.cwiseMin(second->low));
  one.high = other.high = number_of(one, first->high.cwiseMax(second->high));
}

Expected<Drawing> draw(const Plot& plot) {
  const Format format{.width = plot.width,
                      .height = plot.height,
                      .legend = plot.legend_below ? Format::Legend::below : Format::Legend::right};
  return lay_out_plot(plot, format, nullptr).map([](Laid laid) { return std::move(laid.drawing); });
}

Expected<PlotPicture> draw_in(const PlotPane& pane, const Plot& plot) {
  const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  for (const auto& [name, value] : {std::pair<const char*, double>{"width", pane.width},
                                    {"height", pane.height},
                                    {"scale", pane.scale},
                                    {"letter_width", pane.letter_width},
                                    {"zoom", pane.zoom}})
    if (!positive(value)) return fail(ErrorCode::out_of_range, name, to_text(value), "must be finite and above 0");
  if (!pane.shift.allFinite()) return fail(ErrorCode::out_of_range, "shift", "", "must be finite");
  if (const auto& range = pane.range)
    if (!(range->low.allFinite() && range->high.allFinite() && (range->low.array() < range->high.array()).all()))
      return fail(ErrorCode::out_of_range, "range", "", "must be finite and go from low to high");
  const Format format{.width = pane.width,
                      .height = pane.height,
                      .scale = pane.scale,
                      .letter_width = pane.letter_width,
                      .legend = Format::Legend::automatic,
                      .title = false,
                      .mark_outside = false};
  return lay_out_plot(plot, format, &pane).map([](Laid laid) {
    const Frame& frame = laid.frame;
    return PlotPicture{std::move(laid.drawing), {frame.page_low, frame.page_high}, laid.range, {frame.low, frame.high}};
  });
}

Vec2 PlotPicture::page(const Plot& plot, const Vec2& p) const {
  return Frame{.low = shown.low,
               .high = shown.high,
               .page_low = frame.low,
               .page_high = frame.high,
               .x_log = plot.x_log,
               .y_log = plot.y_log}
      .page(p);
}

}  // namespace ricochet
