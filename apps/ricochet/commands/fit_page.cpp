#include "commands/fit_page.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "ricochet/report/page.hpp"
#include "ricochet/report/plot.hpp"

namespace ricochet::app {
namespace {

PageTable parameters_table(std::span<const LawFit> fits) {
  PageTable out{.heads = {"law", "parameter", "value", "95 % interval", "by bootstrap", "median error", "remark"},
                .rows = {},
                .words = {1, 6}};
  for (const LawFit& fit : fits)
    for (const EstimatedParameter& p : fit.parameters) {
      const bool first = &p == fit.parameters.data();
      out.rows.push_back({first ? std::string(fit.law) : "", p.name, fmt::format("{:.5g}", p.value),
                          fmt::format("{:.4g} to {:.4g}", p.low, p.high),
                          p.bootstrap_low ? fmt::format("{:.4g} to {:.4g}", *p.bootstrap_low, *p.bootstrap_high) : "",
                          first ? fmt::format("{:.4f}", fit.median) : "", p.remark});
    }
  return out;
}

/// What a law leaves of a row, predicted minus measured, relative: along the normal, along the slip, and of the spin
/// about the axis across both.
struct Residual {
  double incidence = 0;  ///< of the contact point [degrees]
  double speed = 0;      ///< of the contact point [m/s]
  Vec3 missed = Vec3::Zero();
};

std::vector<Residual> residuals_of(const Law& law, std::span<const ReducedImpact> rows) {
  std::vector<Residual> out;
  for (const ReducedImpact& row : rows) {
    const Contact& c = row.contact;
    const auto outcome = collide(law, c);
    if (!outcome) continue;
    const ReducedImpact::Vec6 r = row.A * outcome->P - row.b;
    const Vec3 slip = c.V - c.n * c.n.dot(c.V);
    const Vec3 t = slip.norm() > 0 ? Vec3(slip.normalized()) : Vec3(c.n.unitOrthogonal());
    out.push_back({.incidence = std::atan2(slip.norm(), -c.n.dot(c.V)) * 180 / std::numbers::pi,
                   .speed = c.V.norm(),
                   .missed = {c.n.dot(r.head<3>()), t.dot(r.head<3>()), c.n.cross(t).dot(r.tail<3>())}});
  }
  return out;
}

/// Of so many rows at most a point is drawn.
constexpr std::size_t most_points = 400;

std::size_t stride_of(std::size_t rows) { return std::max<std::size_t>(1, (rows + most_points - 1) / most_points); }

/// Medians of a component over parts of the rows, equally many in each: what a law misses without the noise.
std::vector<Vec2> trend(std::vector<Vec2> points) {
  constexpr std::size_t fewest = 15, most_parts = 10;
  std::sort(points.begin(), points.end(), [](const Vec2& a, const Vec2& b) { return a.x() < b.x(); });
  const std::size_t parts = std::min(most_parts, points.size() / fewest);
  std::vector<Vec2> out;
  for (std::size_t k = 0; k < parts; ++k) {
    std::vector<double> x, y;
    for (std::size_t i = k * points.size() / parts; i < (k + 1) * points.size() / parts; ++i) {
      x.push_back(points[i].x());
      y.push_back(points[i].y());
    }
    out.emplace_back(quantile(std::move(x), 0.5), quantile(std::move(y), 0.5));
  }
  return out;
}

Plot residual_plot(const LawFit& fit, std::span<const Residual> residuals, bool by_speed) {
  Plot out{.id = fmt::format("{}-{}", fit.law, by_speed ? "speed" : "incidence"),
           .x_label = by_speed ? "speed of the contact point [m/s]" : "incidence of the contact point [degrees]",
           .y_label = "predicted minus measured, relative",
           .width = 480,
           .height = 340,
           .legend_below = true};
  constexpr std::array names{"along the normal", "along the slip", "spin"};
  const double end = 5 * std::max(fit.scale, 1e-12);
  const std::size_t stride = stride_of(residuals.size());
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (int k = 0; k < 3; ++k) {
    const std::string colour = palette(static_cast<std::size_t>(k));
    bool named = false;
    std::vector<Vec2> all;
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      const Residual& r = residuals[i];
      all.emplace_back(by_speed ? r.speed : r.incidence, r.missed(k));
      least = std::min(least, all.back().x());
      most = std::max(most, all.back().x());
      if (i % stride != 0 || std::abs(r.missed(k)) > end) continue;
      PlotPoint point{.at = all.back(), .colour = colour};
      point.size = 0.4;
      if (!named) {
        point.name = names.at(static_cast<std::size_t>(k));
        point.in_legend = named = true;
      }
      out.points.push_back(std::move(point));
    }
    PlotCurve curve{.points = trend(std::move(all))};
    if (curve.points.size() < 2) continue;
    curve.stroke = {.colour = colour, .width = 2};
    out.curves.push_back(std::move(curve));
  }
  const double margin = most > least ? 0.04 * (most - least) : 1;
  out.low = Vec2(std::max(0.0, least - margin), -end);
  out.high = Vec2(most + margin, end);
  return out;
}

}  // namespace

Expected<std::string> fits_page(std::span<const LawFit> fits, std::span<const ReducedImpact> rows,
                                const std::string& source, const std::string& remark) {
  Page page{
      .title = "Laws fitted to measured impacts", .subtitle = fmt::format("{}: {}", source, remark), .sections = {}};
  page.sections.push_back(
      {.id = "parameters",
       .title = "Parameters",
       .text = "Robust least squares of the velocity after. Errors are relative to the velocity before, in the "
               "mass norm.",
       .tables = {parameters_table(fits)}});
  constexpr std::size_t most_laws = 4;
  for (const LawFit& fit : fits.first(std::min(most_laws, fits.size()))) {
    const auto law = make_law(fit.law, fit.settings);
    if (!law) return tl::unexpected(law.error());
    const std::vector<Residual> residuals = residuals_of(*law, rows);
    PageSection section{
        .id = std::string(fit.law),
        .title = fmt::format("Residuals of {}", fit.law),
        .text =
            fmt::format("What the law misses, up to five times the deviation {:.3g} of a component; {} of {} rows "
                        "are outliers, beyond four deviations in norm. The lines are medians over parts of all rows; a "
                        "law that misses nothing but noise leaves them at zero.{}",
                        fit.scale, fit.outliers, fit.rows,
                        stride_of(residuals.size()) > 1
                            ? fmt::format(" Points are those of one row in {}.", stride_of(residuals.size()))
                            : "")};
    for (const bool by_speed : {false, true}) {
      auto drawing = draw(residual_plot(fit, residuals, by_speed));
      if (!drawing) return tl::unexpected(drawing.error());
      section.figures.push_back({*std::move(drawing), by_speed ? "By speed." : "By incidence."});
    }
    page.sections.push_back(std::move(section));
  }
  return to_html(page);
}

}  // namespace ricochet::app
