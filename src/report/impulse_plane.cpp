#include "ricochet/report/impulse_plane.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ricochet {
namespace {

Vec2 on_plane(const Section& section, const Vec3& P) {
  return {section.axes.col(1).dot(P), section.axes.col(0).dot(P)};
}

bool takes(std::string_view law, std::string_view parameter) {
  const LawInfo* info = find_law(law);
  return info != nullptr && std::any_of(info->parameters.begin(), info->parameters.end(),
                                        [&](const ParameterInfo& p) { return p.name == parameter; });
}

/// A law with all parameters but those that are swept.
struct Sweep {
  const Contact& contact;
  std::string_view law, normal;
  Settings settings;
  bool two = false;  ///< e_t is swept too

  /// Absent where the law has no answer; fails on parameters that it cannot take.
  [[nodiscard]] Expected<std::optional<Vec3>> at(double e, double e_t) const {
    Settings these = settings;
    if (const auto fine = set(these, normal, e); !fine) return tl::unexpected(fine.error());
    if (two)
      if (const auto fine = set(these, "e_t", e_t); !fine) return tl::unexpected(fine.error());
    const auto made = make_law(law, these);
    if (!made) return tl::unexpected(made.error());
    const auto outcome = collide(*made, contact);
    return outcome ? std::optional<Vec3>(outcome->P) : std::nullopt;
  }
};

Expected<Sweep> sweep_of(const Contact& contact, std::string_view law, const Settings& settings) {
  if (find_law(law) == nullptr) return fail("law", std::string(law), "is unknown");
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
/// Names of the construction's points, and where each has room.
constexpr std::array<Letter, 9> letters{{{"O", "$O$", 225},
                                         {"P_I", "$P_I$", 150},
                                         {"E", "2$P_I$", 150},
                                         {"centre", "$C$", 0},
                                         {"F", "$F$", 45},
                                         {"A", "$A$", 180},
                                         {"B", "$B$", 0},
                                         {"C", "$n$-most", 90},
                                         {"D", "$D$", 270}}};

PlotCurve plain(const NamedCurve& curve, std::string name, Stroke stroke) {
  return {.name = std::move(name),
          .points = curve.points,
          .stroke = std::move(stroke),
          .closed = curve.closed,
          .counts = false};
}

}  // namespace

PlaneAnswer on_section(const Section& section, std::string name, std::span<const Vec3> path) {
  PlaneAnswer out{.name = std::move(name), .path = {}};
  const double size = path.empty() ? 0 : path.back().norm();
  for (const Vec3& P : path) {
    out.path.push_back(on_plane(section, P));
    if (size > 0) out.off_plane = std::max(out.off_plane, std::abs(section.axes.col(2).dot(P)) / size);
  }
  return out;
}

Expected<Reach> reach(const Contact& contact, std::string_view law, const Settings& settings) {
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

Expected<ReachSheet> reach_sheet(const Contact& contact, std::string_view law, const Settings& settings, int rows,
                                 int columns) {
  if (rows < 2) return fail("rows", std::to_string(rows), "must be at least 2");
  if (columns < 2) return fail("columns", std::to_string(columns), "must be at least 2");
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
  Plot plot{.x_label = "impulse against the initial slip, $P_t$ [N s]",
            .y_label = "normal impulse, $P_n$ [N s]",
            .width = 560,
            .height = 420,
            .equal_scales = true};
  plot.low = section.frame_low;
  plot.high = section.frame_high;
  if (const auto* region = section.curve("permissible"))
    plot.curves.push_back({.name = "permissible",
                           .points = region->points,
                           .stroke = {.colour = ""},
                           .closed = true,
                           .fill = "#9ecae1",
                           .opacity = 0.35,
                           .counts = false});
  std::size_t colour = 0;
  for (const Reach& r : options.reaches) {
    const std::string c = palette(colour++);
    std::vector<Vec2> points;
    for (const Vec3& P : r.points) points.push_back(on_plane(section, P));
    plot.curves.push_back({.name = r.name + (r.closed ? ": any $e$, $e_t$" : ": any $e$"),
                           .points = std::move(points),
                           .stroke = {.colour = c, .width = r.closed ? 1 : 2.2},
                           .closed = r.closed,
                           .fill = r.closed ? c : std::string(),
                           .opacity = 0.25,
                           .counts = false});
  }
  bool energy_named = false;
  for (const NamedCurve& curve : section.curves) {
    if (curve.name == "energy") {
      plot.curves.push_back(plain(curve, energy_named ? "" : "energy kept", {.colour = "#222222", .width = 1.4}));
      energy_named = true;
    } else if (curve.name == "maximum compression") {
      plot.curves.push_back(plain(curve, "maximum compression", {.colour = "#444444", .dash = {6, 3}}));
    } else if (curve.name == "sticking") {
      plot.curves.push_back(plain(curve, "sticking, $V_t$ = 0", {.colour = "#444444", .dash = {1.5, 2.5}}));
    } else if (curve.name == "friction left" || curve.name == "friction right") {
      plot.curves.push_back(
          plain(curve, curve.name == "friction left" ? "friction cone" : "", {.colour = "#8c510a", .width = 1.2}));
    } else if (options.construction && curve.name.starts_with("e = ")) {
      plot.curves.push_back(plain(curve, "", {.colour = "#bbbbbb", .width = 0.7}));
    }
  }
  if (options.construction) {
    for (const NamedPoint& point : section.points)
      for (const Letter& letter : letters)
        if (letter.name == point.name && point.name != "C" && point.name != "D")
          plot.points.push_back({.name = std::string(letter.text), .at = point.P, .angle = letter.angle});
  }
  for (const PlaneAnswer& answer : options.answers) {
    const std::string c = palette(colour++);
    plot.curves.push_back({.points = answer.path, .stroke = {.colour = c, .width = 1.6}, .counts = false});
    if (!answer.path.empty())
      plot.points.push_back({.name = answer.name + (answer.off_plane > 1e-6 ? " (shadow)" : ""),
                             .at = answer.path.back(),
                             .colour = c,
                             .form = static_cast<Dot::Form>(colour % 5),
                             .in_legend = true});
  }
  return plot;
}

}  // namespace ricochet
