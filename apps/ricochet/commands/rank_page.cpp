#include "commands/rank_page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ricochet/report/page.hpp"
#include "ricochet/report/plot.hpp"

namespace ricochet::app {
namespace {

std::string digits(double x) { return fmt::format("{:.4f}", x); }

std::vector<std::string> score_row(std::string name, const ErrorSummary& velocity, const ErrorSummary& unscaled,
                                   const ErrorSummary& impulse) {
  return {std::move(name),
          digits(velocity.median),
          fmt::format("{:.4f} to {:.4f}", velocity.median_low, velocity.median_high),
          digits(velocity.mean),
          digits(velocity.p90),
          digits(unscaled.median),
          digits(impulse.median)};
}

PageTable scores_table(const Ranking& ranking) {
  PageTable out{.heads = {"law", "median", "95 % interval", "mean", "90 %", "median [m/s]", "impulse, median",
                          "information criterion"},
                .rows = {}};
  for (const LawScore& score : ranking.laws) {
    if (score.refused) {
      out.rows.push_back({std::string(score.law), score.refused->message()});
      out.classes.emplace_back("none");
      continue;
    }
    auto row = score_row(std::string(score.law), score.velocity, score.unscaled, score.impulse);
    row.push_back(fmt::format("{:.0f}", score.criterion));
    out.rows.push_back(std::move(row));
    out.classes.emplace_back();
  }
  if (ranking.regression) {
    const RegressionScore& r = *ranking.regression;
    out.rows.push_back(score_row("free-form regression", r.velocity, r.unscaled, r.impulse));
    out.rows.back().emplace_back();
    out.classes.emplace_back();
  }
  out.rows.push_back(
      {"best impulse", digits(ranking.best_impulse.median),
       fmt::format("{:.4f} to {:.4f}", ranking.best_impulse.median_low, ranking.best_impulse.median_high),
       digits(ranking.best_impulse.mean), digits(ranking.best_impulse.p90), "", "", ""});
  out.classes.emplace_back();
  if (ranking.noise_floor) {
    out.rows.push_back({"noise floor", digits(*ranking.noise_floor), "", "", "", "", "", ""});
    out.classes.emplace_back();
  }
  return out;
}

PageTable parameters_table(const Ranking& ranking) {
  PageTable out{.heads = {"law", "parameters, fitted to all rows"}, .rows = {}, .words = {1}};
  for (const LawScore& score : ranking.laws) {
    if (score.refused) continue;
    std::string parameters;
    for (const EstimatedParameter& p : score.fit->parameters)
      parameters += fmt::format("{}{} {:.4g}{}", parameters.empty() ? "" : ", ", p.name, p.value,
                                p.identifiable ? "" : " (not identifiable)");
    out.rows.push_back({std::string(score.law), std::move(parameters)});
  }
  return out;
}

/// Share of rows whose error is below x.
PlotCurve distribution(std::string name, std::vector<double> errors, std::string colour, double end) {
  std::sort(errors.begin(), errors.end());
  PlotCurve out{.name = std::move(name), .points = {Vec2(0, 0)}};
  out.stroke.colour = std::move(colour);
  out.stroke.width = 1.4;
  constexpr std::size_t most = 200;
  const std::size_t step = std::max<std::size_t>(1, errors.size() / most);
  for (std::size_t i = 0; i < errors.size() && errors[i] <= end; i += step)
    out.points.emplace_back(errors[i], static_cast<double>(i + 1) / static_cast<double>(errors.size()));
  return out;
}

Plot distributions(const Ranking& ranking) {
  Plot out{.id = "errors",
           .x_label = "relative error of the velocity after",
           .y_label = "share of impacts below",
           .width = 520,
           .height = 380};
  const double end = 4 * (ranking.laws.empty() || ranking.laws[0].refused ? ranking.best_impulse.median
                                                                          : ranking.laws[0].velocity.median);
  std::size_t shown = 0;
  for (const LawScore& score : ranking.laws) {
    if (score.refused || shown == 6) break;
    out.curves.push_back(distribution(std::string(score.law), score.errors, palette(shown++), end));
  }
  if (ranking.regression) out.curves.push_back(distribution("regression", ranking.regression->errors, "#000000", end));
  out.low = Vec2(0, 0);
  out.high = Vec2(end, 1);
  return out;
}

/// Each cell as dark as it is full.
Plot density_plot(const Ranking& ranking) {
  Plot out{.id = "region",
           .x_label = "friction, as a share of that of the cone (positive: against the slip)",
           .y_label = "rebound: 0 none, 1 no energy lost",
           .width = 460,
           .height = 380};
  std::size_t fullest = 1;
  for (const std::size_t count : ranking.density.count) fullest = std::max(fullest, count);
  constexpr double dx = 2.0 / RegionDensity::across, dy = 1.0 / RegionDensity::up;
  for (int j = 0; j < RegionDensity::up; ++j)
    for (int i = 0; i < RegionDensity::across; ++i) {
      const std::size_t count = ranking.density.at(i, j);
      if (count == 0) continue;
      const double x = -1 + i * dx, y = j * dy;
      PlotCurve cell{.points = {Vec2(x, y), Vec2(x + dx, y), Vec2(x + dx, y + dy), Vec2(x, y + dy)}};
      cell.closed = true;
      cell.fill = palette(0);
      cell.opacity = 0.08 + 0.92 * static_cast<double>(count) / static_cast<double>(fullest);
      cell.stroke.colour = "";
      out.curves.push_back(std::move(cell));
    }
  PlotCurve border{.points = {Vec2(-1, 0), Vec2(1, 0), Vec2(1, 1), Vec2(-1, 1)}};
  border.closed = true;
  out.curves.push_back(std::move(border));
  out.low = Vec2(-1.1, -0.05);
  out.high = Vec2(1.1, 1.05);
  return out;
}

}  // namespace

Expected<std::string> ranking_page(const Ranking& ranking, const std::string& source, const std::string& remark) {
  auto errors = draw(distributions(ranking));
  if (!errors) return tl::unexpected(errors.error());
  auto region = draw(density_plot(ranking));
  if (!region) return tl::unexpected(region.error());
  Page page{
      .title = "Laws against measured impacts",
      .subtitle = fmt::format("{}: {}; {} rows scored, each by laws fitted to others", source, remark, ranking.tested),
      .sections = {}};
  page.sections.push_back(
      {.id = "laws",
       .title = "Errors of the laws",
       .text = "Errors are those of the velocity after, in the mass norm: relative to the velocity before, and over "
               "the root of the mass in m/s. No impulse at the point does better than the best impulse. The noise "
               "floor is what an exact law would miss if noise were alike in all measured directions. The regression "
               "knows no mechanics, and shows how much the state before impact tells. A smaller information "
               "criterion is better.",
       .tables = {scores_table(ranking), parameters_table(ranking)},
       .figures = {{*std::move(errors), "Distribution of the errors of the best laws."}}});
  page.sections.push_back(
      {.id = "region",
       .title = "Where the measured impulses lie",
       .text = fmt::format("{:.1f} % of the measured impulses are permissible with mu = {:.3f}, which contains 95 % of "
                           "them. Restitution is {:.3f} in the median, {:.3f} to {:.3f} for 5 to 95 %.",
                           100 * ranking.permissible, ranking.mu, ranking.restitution_median, ranking.restitution_low,
                           ranking.restitution_high),
       .figures = {{*std::move(region),
                    fmt::format("Density of the measured impulses over the permissible region, in coordinates that "
                                "are the same for every contact; {} of {} lie outside.",
                                ranking.density.outside, ranking.tested)}}});
  return to_html(page);
}

}  // namespace ricochet::app
