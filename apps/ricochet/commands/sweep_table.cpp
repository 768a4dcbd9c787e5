#include "commands/sweep_table.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ricochet/law/outcome.hpp"
#include "ricochet/sweep/outputs.hpp"
#include "ricochet/sweep/sweep_json.hpp"
#include "terminal/table.hpp"

namespace ricochet::app {
namespace {

std::string counts_line(const sweep::LawStatistics& law) {
  std::string out = fmt::format("{} answered, {} of them permissible", law.answered, law.permissible);
  for (std::size_t k = 0; k < law.refused.size(); ++k)
    if (law.refused[k] > 0) out += fmt::format(", {} refused as {}", law.refused[k], name(static_cast<ErrorCode>(k)));
  out += "\nmodes:";
  bool first = true;
  for (std::size_t k = 0; k < law.modes.size(); ++k) {
    if (law.modes[k] == 0) continue;
    out += fmt::format("{} {} {}", first ? "" : ",", law.modes[k], name(static_cast<Mode>(k)));
    first = false;
  }
  return out + (first ? " none\n" : "\n");
}

std::string number(double x) { return fmt::format("{:.6g}", x); }

}  // namespace

std::string sweep_table(const sweep::Sweep& sweep, const sweep::Statistics& total) {
  const sweep::SweepSpec& spec = sweep.spec();
  std::string out;
  if (!spec.title.empty()) out += spec.title + "\n";
  out += fmt::format("{} samples, {}", spec.count, name(spec.sampling));
  if (spec.sampling != sweep::Sampling::grid) out += fmt::format(", seed {}", spec.seed);
  out += fmt::format("; {} collisions\n", spec.count * sweep.collisions_of_sample() * spec.laws.size());
  for (std::size_t l = 0; l < spec.laws.size(); ++l) {
    const sweep::LawStatistics& law = total.laws[l];
    out += fmt::format("\n{}: {}", spec.laws[l], counts_line(law));
    std::vector<std::vector<std::string>> table{{"output", "mean", "deviation", "min", "max"}};
    std::vector<std::vector<std::string>> indices{{"output", "input", "first", "error", "total", "error"}};
    for (std::size_t k = 0; k < spec.outputs.size(); ++k) {
      const std::string label(sweep::output_names[spec.outputs[k]]);
      const sweep::Moments& m = law.outputs[k].moments;
      if (m.count == 0) {
        table.push_back({label, "-", "-", "-", "-"});
        continue;
      }
      table.push_back({label, number(m.mean), number(std::sqrt(m.variance())), number(m.least), number(m.greatest)});
      if (!spec.indices || !(law.outputs[k].indices.both.variance() > 0)) continue;
      for (std::size_t a = 0; a < spec.axes.size(); ++a) {
        const sweep::SensitivityIndex index = sensitivity_index(law.outputs[k].indices, a);
        std::vector<std::string> row{label, spec.axes[a].field};
        for (const double x : {index.first, index.first_error, index.total, index.total_error})
          row.push_back(fmt::format("{:.4f}", x));
        indices.push_back(std::move(row));
      }
    }
    out += rows(table, 1);
    if (spec.indices) out += "\nsensitivity indices\n" + rows(indices, 2);
  }
  return out;
}

}  // namespace ricochet::app
