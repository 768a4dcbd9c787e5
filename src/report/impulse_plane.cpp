#include "ricochet/report/impulse_plane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ricochet {
namespace {

const std::string grey = "#6a6a6a";
constexpr std::ptrdiff_t law_colours = 7;  // of the palette: all but black, in which the construction is drawn

Vec2 on_plane(const Section& section, const Vec3& P) {
  return {section.axes.col(1).dot(P), section.axes.col(0).dot(P)};
}

bool takes(std::string_view law, std::string_view parameter) {
  const LawInfo* info = find_law(law);
  return info != nullptr && std::any_of(info->parameters.begin(), info->parameters.end(),
                                        [&](const ParameterInfo& p) { return p.name == parameter; });
}

/// A law with all parameters except those that vary.
struct Sweep {
  const Contact& contact;
  std::string_view law, normal;
  LawParameters settings;
  bool two = false;  ///< e_t is swept too

  /// Absent if the law has no answer; fails on invalid parameters.
  [[nodiscard]] Expected<std::optional<Vec3>> at(double e, double e_t) const {
    LawParameters these = settings;
    if (const auto fine = set(these, normal, e); !fine) return tl::unexpected(fine.error());
    if (two)
      if (const auto fine = set(these, "e_t", e_t); !fine) return tl::unexpected(fine.error());
    const auto made = make_law(law, these);
    if (!made) return tl::unexpected(made.error());
    const auto outcome = collide(*made, contact);
    return outcome ? std::optional<Vec3>(outcome->P) : std::nullopt;
  }
};

Expected<Sweep> sweep_of(const Contact& contact, std::string_view law, const LawParameters& settings) {
  if (find_law(law) == nullptr) return fail(ErrorCode::unknown_name, "law", std::string(law), "is unknown");
  return Sweep{.contact = contact,
               .law = law,
               .normal = takes(law, "e_k") ? "e_k" : "e",
               .settings = settings,
               .two = takes(law, "e_t") && law != "pfeiffer-glocker"};
}

struct Letter {
  std::string_view name, text;
  double angle;
};
/// Names of the construction's points and their preferred directions.
constexpr std::array<Letter, 8> letters{{{"O", "$O$", 225},
                                         {"P_I", "$P_I$", 150},
                                         {"E", "2$P_I$", 150},
                                         {"F", "$F$", 45},
                                         {"A", "$A$", 180},
                                         {"B", "$B$", 0},
                                         {"C", "$C$", 90},
                                         {"D", "$D$", 270}}};

PlotCurve plain(std::vector<Vec2> points, bool closed, std::string name, Stroke stroke) {
  return {.name = std::move(name),
          .points = std::move(points),
          .stroke = std::move(stroke),
          .closed = closed,
          .counts = false};
}

/// A line of the section ends at the section's frame, or at O; the visible range may be larger, so end points at the
/// frame are moved far beyond it.
std::vector<Vec2> extended(const Section& section, const NamedCurve& curve) {
  if (curve.closed || curve.points.size() != 2) return curve.points;
  const Vec2& low = section.frame_low;
  const Vec2& high = section.frame_high;
  const double size = (high - low).norm();
  const Vec2 along = (curve.points[1] - curve.points[0]).normalized();
  const auto at_frame = [&](const Vec2& p) {
    return std::min((p - low).cwiseAbs().minCoeff(), (high - p).cwiseAbs().minCoeff()) < 1e-9 * size;
  };
  std::vector<Vec2> out = curve.points;
  if (at_frame(out[0])) out[0] -= 4 * size * along;
  if (at_frame(out[1])) out[1] += 4 * size * along;
  return out;
}

struct Extent {
  Vec2 low = Vec2::Constant(std::numeric_limits<double>::infinity());
  Vec2 high = -low;
  void take(const Vec2& p) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  [[nodiscard]] double size() const { return (high - low).norm(); }
};

/// Two parallel lines have their centre anywhere between them. As the limit of ellipses that grow longer it lies where
/// −M V has no part along the lines: W = λ t tᵀ and V along t.
Vec2 centre(const Section& section) {
  return std::isinf(section.ellipse.half_1) ? Vec2(-section.V / section.W.trace()) : section.ellipse.centre;
}

/// The visible range: the section's frame, extended to answers that are not too far away. An ellipse much larger than
/// all answers is not shown completely.
Extent shown(const Section& section, const ImpulsePlaneOptions& options) {
  Extent whole;
  whole.take(section.frame_low);
  whole.take(section.frame_high);
  Extent near;
  near.take(Vec2::Zero());
  near.take(section.point("E")->P);
  const Vec2 beyond = 0.4 * (section.frame_high - section.frame_low);
  for (const PlaneAnswer& answer : options.answers) {
    if (answer.path.empty()) continue;
    const Vec2& P = answer.path.back();
    if (((P - section.frame_low + beyond).array() < 0).any() || ((section.frame_high + beyond - P).array() < 0).any())
      continue;
    near.take(P);
    // With a margin to the frame.
    whole.take(P - 0.1 * beyond);
    whole.take(P + 0.1 * beyond);
  }
  for (const Reach& r : options.reaches)
    for (const Vec3& P : r.points) near.take(on_plane(section, P));
  if (options.answers.empty() && options.reaches.empty()) near.take(centre(section));
  const double core = 3.2 * near.size();
  if (const NamedCurve* region = section.curve("permissible"))
    for (const Vec2& p : region->points)
      if (p.norm() < core) near.take(p);
  // The ellipse is seen whole unless it dwarfs all answers. Parallel lines are unbounded.
  const double dwarfing = std::isinf(section.ellipse.half_1) ? 2.2 : 8;
  if (!(near.size() > 0) || whole.size() < dwarfing * near.size()) return whole;
  const double air = 0.2 * (near.high - near.low).maxCoeff();
  near.low.array() -= air;
  near.high.array() += air;
  return near;
}

/// Degenerates to a line: the reach of a law of two parameters where one has no effect.
bool is_thin(const std::vector<Vec2>& points) {
  Extent extent;
  double area = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec2& a = points[i];
    const Vec2& b = points[(i + 1) % points.size()];
    extent.take(a);
    area += (a.x() * b.y() - b.x() * a.y()) / 2;
  }
  return std::abs(area) <= 1e-5 * extent.size() * extent.size();
}

/// Answers at one place are discs around each other, so that every one of them is seen.
void ring_coinciding(Plot& plot) {
  Extent extent;
  if (plot.low && plot.high) extent = {*plot.low, *plot.high};
  for (std::size_t i = 0; i < plot.points.size(); ++i) {
    if (plot.points[i].law.empty()) continue;
    int above = 0;
    for (std::size_t j = i + 1; j < plot.points.size(); ++j)
      if (!plot.points[j].law.empty() && (plot.points[j].at - plot.points[i].at).norm() < 2e-3 * extent.size()) ++above;
    if (above == 0) continue;
    plot.points[i].size = 1 + 0.6 * above;
    plot.points[i].form = Dot::Form::disc;
  }
}

}  // namespace

std::pair<std::string, Dot::Form> look_of(std::string_view law, std::size_t number) {
  const LawInfo* info = find_law(law);
  const std::size_t i = info != nullptr ? static_cast<std::size_t>(info - laws().data()) : number;
  return {palette(i % static_cast<std::size_t>(law_colours)), static_cast<Dot::Form>(i % 5)};
}

PlaneAnswer on_section(const Section& section, std::string name, std::span<const Vec3> path) {
  PlaneAnswer out{.name = std::move(name), .path = {}};
  const double size = path.empty() ? 0 : path.back().norm();
  for (const Vec3& P : path) {
    out.path.push_back(on_plane(section, P));
    if (size > 0) out.off_plane = std::max(out.off_plane, std::abs(section.axes.col(2).dot(P)) / size);
  }
  return out;
}

Expected<Reach> reach(const Contact& contact, std::string_view law, const LawParameters& settings) {
  const auto sweep = sweep_of(contact, law, settings);
  if (!sweep) return tl::unexpected(sweep.error());
  Reach out{.name = std::string(law), .points = {}, .closed = sweep->two};
  const auto ask = [&](double e, double e_t) -> Expected<void> {
    const auto P = sweep->at(e, e_t);
    if (!P) return tl::unexpected(P.error());
    if (*P) out.points.push_back(**P);
    return {};
  };
  constexpr int steps = 48;
  // Around the rectangle of (e, e_t); or along e alone.
  for (int side = 0; side < (out.closed ? 4 : 1); ++side) {
    for (int i = 0; i < steps + (out.closed ? 0 : 1); ++i) {
      const double s = double(i) / steps;
      const double e = side == 0 ? s : side == 1 ? 1 : side == 2 ? 1 - s : 0;
      const double e_t = side == 0 ? -1 : side == 1 ? -1 + 2 * s : side == 2 ? 1 : 1 - 2 * s;
      if (const auto fine = ask(e, e_t); !fine) return tl::unexpected(fine.error());
    }
  }
  return out;
}

Expected<ReachSheet> reach_sheet(const Contact& contact, std::string_view law, const LawParameters& settings, int rows,
                                 int columns) {
  if (rows < 2) return fail(ErrorCode::out_of_range, "rows", std::to_string(rows), "must be at least 2");
  if (columns < 2) return fail(ErrorCode::out_of_range, "columns", std::to_string(columns), "must be at least 2");
  const auto sweep = sweep_of(contact, law, settings);
  if (!sweep) return tl::unexpected(sweep.error());
  ReachSheet out{.name = std::string(law), .rows = sweep->two ? rows : 1, .columns = columns, .points = {}};
  for (int i = 0; i < out.rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      const auto P = sweep->at(double(j) / (columns - 1), -1 + 2 * double(i) / (rows - 1));
      if (!P) return tl::unexpected(P.error());
      out.points.push_back(*P);
    }
  }
  return out;
}

Plot impulse_plane(const Section& section, const ImpulsePlaneOptions& options) {
  Plot plot{.x_label = "impulse against the initial slip, $P·t$ [N s]",
            .y_label = "normal impulse, $P_n$ [N s]",
            .width = 560,
            .height = 420,
            .equal_scales = true};
  const Extent range = shown(section, options);
  plot.low = range.low;
  plot.high = range.high;
  if (const auto* region = section.curve("permissible"))
    plot.curves.push_back({.name = "permissible",
                           .points = region->points,
                           .stroke = {.colour = ""},
                           .closed = true,
                           .fill = "#9ecae1",
                           .opacity = 0.35,
                           .counts = false});
  // Surfaces lie below the construction, curves above it; the first of several curves is the widest, so that coinciding
  // curves remain visible.
  std::vector<PlotCurve> curves;
  for (std::size_t i = 0; i < options.reaches.size(); ++i) {
    const Reach& r = options.reaches[i];
    const std::string colour = look_of(r.name, i).first;
    std::vector<Vec2> points;
    points.reserve(r.points.size());
    for (const Vec3& P : r.points) points.push_back(on_plane(section, P));
    const bool surface = r.closed && !is_thin(points);
    PlotCurve curve = plain(std::move(points), r.closed, r.name + (r.closed ? ": any $e$, $e_t$" : ": any $e$"),
                            {.colour = colour, .width = surface ? 1.0 : 2.0});
    curve.law = r.name;
    if (!surface) {
      curves.push_back(std::move(curve));
      continue;
    }
    curve.fill = colour;
    curve.opacity = 0.25;
    plot.curves.push_back(std::move(curve));
  }
  bool energy_named = false;
  for (const NamedCurve& curve : section.curves) {
    const auto add = [&](std::string name, Stroke stroke) -> PlotCurve& {
      return plot.curves.emplace_back(
          plain(extended(section, curve), curve.closed, std::move(name), std::move(stroke)));
    };
    if (curve.name == "energy") {
      add(energy_named ? "" : "energy kept", {.colour = "#222222", .width = 1.4});
      energy_named = true;
    } else if (curve.name == "maximum compression") {
      add("maximum compression", {.colour = "#444444", .dash = {6, 3}});
    } else if (curve.name == "sticking") {
      add("sticking, $V_t$ = 0", {.colour = "#444444", .dash = {1.5, 2.5}});
    } else if (curve.name == "friction left" || curve.name == "friction right") {
      add(curve.name == "friction left" ? "friction cone" : "", {.colour = "#8c510a", .width = 1.2}).handle =
          PlotHandle::mu;
    } else if (options.construction && curve.name.starts_with("e = ")) {
      const bool own = options.e && curve.name == fmt::format("e = {}", *options.e);
      PlotCurve& line = own ? add(fmt::format("$e$ = {:.3g}", *options.e), {.colour = grey, .width = 1.2})
                            : add("$e$" + curve.name.substr(1), {.colour = "#bbbbbb", .width = 0.7});
      line.named_there = true;
      line.handle = PlotHandle::e;
    }
  }
  for (std::size_t i = 0; i < curves.size(); ++i) {
    curves[i].stroke.width += 0.9 * static_cast<double>(curves.size() - 1 - i);
    plot.curves.push_back(std::move(curves[i]));
  }
  if (options.construction) {
    for (const NamedPoint& point : section.points) {
      // With answers, there is no room for the labels of the summits.
      if (!options.answers.empty() && (point.name == "C" || point.name == "D")) continue;
      for (const Letter& letter : letters)
        if (letter.name == point.name)
          plot.points.push_back({.name = std::string(letter.text), .at = point.P, .angle = letter.angle});
      if (point.name == "centre")
        plot.points.push_back({.name = section.planar ? "$P_{II}$" : "centre", .at = centre(section), .angle = 0});
    }
  }
  bool shadows = false;
  for (std::size_t i = 0; i < options.answers.size(); ++i) {
    const PlaneAnswer& answer = options.answers[i];
    const auto [colour, form] = look_of(answer.name, i);
    // There are more laws than colours: the second law of a colour is dashed.
    const LawInfo* info = find_law(answer.name);
    const bool second = info != nullptr && info - laws().data() >= law_colours;
    plot.curves.push_back(
        {.points = answer.path,
         .stroke = {.colour = colour, .width = 1.6, .dash = second ? std::vector<double>{7, 2} : std::vector<double>{}},
         .counts = false,
         .law = answer.name});
    if (answer.path.empty()) continue;
    const bool shadow = answer.off_plane > 1e-6;
    shadows = shadows || shadow;
    plot.points.push_back({.name = answer.name + (!shadow               ? ""
                                                  : options.short_names ? " ∗"
                                                                        : " (shadow)"),
                           .at = answer.path.back(),
                           .colour = colour,
                           .form = form,
                           .in_legend = true,
                           .law = answer.name});
  }
  ring_coinciding(plot);
  if (shadows && options.short_names) plot.notes.emplace_back("∗ leaves the plane; its shadow");
  return plot;
}

}  // namespace ricochet
