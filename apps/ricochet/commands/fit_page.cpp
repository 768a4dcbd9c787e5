#include "commands/fit_page.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "ricochet/report/page.hpp"
#include "ricochet/report/plot.hpp"

namespace ricochet::app {
namespace {

PageTable parameters_table(std::span<const LawFit> fits) {
  PageTable out{.heads = {"law", "parameter", "value", "95 % interval", "by bootstrap", "median error", "remark"},
                .rows = {}};
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
  constexpr std::size_t most = 400;
  const std::size_t stride = std::max<std::size_t>(1, rows.size() / most);
  for (std::size_t i = 0; i < rows.size(); i += stride) {
    const ReducedImpact& row = rows[i];
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

Plot residual_plot(const LawFit& fit, std::span<const Residual> residuals, bool by_speed) {
  Plot out{.id = fmt::format("{}-{}", fit.law, by_speed ? "speed" : "incidence"),
           .x_label = by_speed ? "speed of the contact point [m/s]" : "incidence of the contact point [degrees]",
           .y_label = "predicted minus measured, relative",
           .width = 480,
           .height = 340,
           .legend_below = true};
  constexpr std::array names{"along the normal", "along the slip", "spin"};
  double widest = 0;
  for (const Residual& r : residuals) widest = std::max(widest, r.speed);
  const double end = 5 * std::max(fit.scale, 1e-12);
  for (int k = 0; k < 3; ++k) {
    bool first = true;
    for (const Residual& r : residuals) {
      if (std::abs(r.missed(k)) > end) continue;
      PlotPoint point{.at = Vec2(by_speed ? r.speed : r.incidence, r.missed(k)),
                      .colour = palette(static_cast<std::size_t>(k))};
      point.size = 0.45;
      if (first) {
        point.name = names.at(static_cast<std::size_t>(k));
        point.in_legend = true;
      }
      first = false;
      out.points.push_back(std::move(point));
    }
  }
  out.low = Vec2(0, -end);
  out.high = Vec2(by_speed ? 1.05 * widest : 90, end);
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
                        "are outliers, beyond four deviations in norm. A law that misses nothing but noise shows no "
                        "trend.",
                        fit.scale, fit.outliers, fit.rows)};
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
