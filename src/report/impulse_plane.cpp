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

PlaneAnswer on_section(const Section& section, std::string name, const Outcome& outcome) {
  PlaneAnswer out{.name = std::move(name), .path = {}};
  const double size = outcome.P.norm();
  const auto take = [&](const Vec3& P) {
    out.path.push_back(on_plane(section, P));
    if (size > 0) out.off_plane = std::max(out.off_plane, std::abs(section.axes.col(2).dot(P)) / size);
  };
  for (const auto& point : outcome.path) take(point.P);
  if (out.path.empty()) {
    take(Vec3::Zero());
    take(outcome.P);
  }
  return out;
}

Expected<Reach> reach(const Contact& contact, std::string_view law, const Settings& settings) {
  const LawInfo* info = find_law(law);
  if (info == nullptr) return fail("law", std::string(law), "is unknown");
  Reach out{.name = std::string(law), .points = {}};
  const std::string_view normal = takes(law, "e_k") ? "e_k" : "e";
  out.closed = takes(law, "e_t") && law != "pfeiffer-glocker";
  const auto ask = [&](double e, double e_t) -> Expected<void> {
    Settings these = settings;
    if (const auto fine = set(these, normal, e); !fine) return fine;
    if (out.closed)
      if (const auto fine = set(these, "e_t", e_t); !fine) return fine;
    const auto made = make_law(law, these);
    if (!made) return tl::unexpected(made.error());
    if (const auto outcome = collide(*made, contact)) out.points.push_back(outcome->P);
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
