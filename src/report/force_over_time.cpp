#include "ricochet/report/force_over_time.hpp"

#include <algorithm>
#include <cmath>

namespace ricochet {

Plot force_over_time(const compliant::Process& process) {
  const bool si = process.dimensional;
  Plot plot{.x_label = si ? "time [s]" : "time, in units of $(c_n W_{nn})^{−1/2}$",
            .y_label = si ? "force [N]" : "force, dimensionless",
            .width = 520,
            .height = 340};
  double largest = 0;
  for (const compliant::ProcessPoint& p : process.points) largest = std::max(largest, p.force.cwiseAbs().maxCoeff());
  struct Part {
    const char* name;
    double width;
  };
  constexpr std::array<Part, 3> parts{{{"normal, $F_n$", 2}, {"against the slip, $F_t$", 1.6}, {"across, $F_b$", 1.6}}};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    PlotCurve curve{.name = parts[i].name, .points = {}, .stroke = {.colour = palette(i), .width = parts[i].width}};
    double size = 0;
    for (const compliant::ProcessPoint& p : process.points) {
      curve.points.emplace_back(p.time, p.force(row));
      size = std::max(size, std::abs(p.force(row)));
    }
    // A planar impact has no third force, only rounding errors.
    if (i == 2 && size <= 1e-12 * largest) continue;
    plot.curves.push_back(std::move(curve));
  }
  // Where springs oscillate through many phases, rings and names would cover the curves: then the changes of phase are
  // not marked.
  constexpr std::size_t most_marked = 12;
  if (process.phases.size() > most_marked) return plot;
  for (std::size_t k = 1; k < process.points.size(); ++k) {
    const compliant::ProcessPoint& p = process.points[k];
    if (p.phase == process.points[k - 1].phase) continue;
    const compliant::ProcessPhase& before = process.phases[static_cast<std::size_t>(process.points[k - 1].phase)];
    const compliant::ProcessPhase& after = process.phases[static_cast<std::size_t>(p.phase)];
    const bool turned = before.loading != after.loading;
    plot.points.push_back({.name = turned && before.sticks == after.sticks ? (after.loading ? "loads" : "unloads")
                                   : after.sticks                          ? "sticks"
                                                                           : "slips",
                           .at = {process.points[k - 1].time, process.points[k - 1].force(1)},
                           .form = Dot::Form::ring});
  }
  return plot;
}

}  // namespace ricochet
