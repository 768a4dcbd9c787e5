#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <thread>

#include "command_table.hpp"
#include "commands/commands.hpp"
#include "commands/fit_page.hpp"
#include "ricochet/fit/fit_json.hpp"
#include "ricochet/fit/rank_laws.hpp"
#include "ricochet/io/assignments.hpp"
#include "terminal/common_options.hpp"
#include "terminal/count_progress.hpp"
#include "terminal/impacts_input.hpp"
#include "terminal/output_file.hpp"
#include "terminal/refuse.hpp"
#include "terminal/table.hpp"

namespace ricochet::app {
namespace {

struct FitCommandOptions : ImpactsOptions {
  std::string file, law = "all", noise = "relative", format = "table", out;
  std::vector<std::string> sets, parameters;
  int bootstrap = 0, threads = 0;
  std::uint64_t seed = 1;
};

struct FittedLaw {
  std::string_view law;
  Expected<LawFit> fit;
};

std::string number(double x) { return std::isfinite(x) ? fmt::format("{:.4g}", x) : "inf"; }

std::string fits_table(const std::vector<FittedLaw>& fits, const ReducedRows& rows) {
  std::string out = rows.remark() + "\nmedian and rms: relative errors of the velocity after, in the mass norm\n\n";
  std::vector<std::vector<std::string>> table{
      {"law", "parameter", "value", "95 % interval", "bootstrap", "median", "rms", "remark"}};
  for (const FittedLaw& one : fits) {
    if (!one.fit) {
      table.push_back({std::string(one.law), "-", "", "", "", "", "", one.fit.error().message()});
      continue;
    }
    bool first = true;
    for (const EstimatedParameter& p : one.fit->parameters) {
      table.push_back(
          {first ? std::string(one.law) : "", p.name, fmt::format("{:.5g}", p.value),
           fmt::format("{} to {}", number(p.low), number(p.high)),
           p.bootstrap_low ? fmt::format("{} to {}", number(*p.bootstrap_low), number(*p.bootstrap_high)) : "-",
           first ? fmt::format("{:.4f}", one.fit->median) : "", first ? fmt::format("{:.4f}", one.fit->rms) : "",
           p.remark});
      first = false;
    }
    if (!one.fit->at_offset.empty()) {
      const OffsetSummary at = summarize_offsets(*one.fit);
      table.back().back() += fmt::format("  offsets {:.3g} m rms; median {:.4f} with them", at.rms, at.errors.median);
    }
    if (one.fit->noise) {
      const ComponentNoise& noise = *one.fit->noise;
      table.back().back() +=
          fmt::format("  noise {:.3g} m/s normal, {:.3g} m/s along the ground{}", noise.normal, noise.tangential,
                      noise.spin > 0 ? fmt::format(", {:.3g} rad/s", noise.spin) : "");
    }
    if (one.fit->refused > 0) table.back().back() += fmt::format("  refuses {} rows", one.fit->refused);
  }
  return out + ricochet::app::rows(table, 2, 7);
}

/// One line for each row of the file and law: the relative error, and the offset where there is one.
std::string fits_csv(const std::vector<FittedLaw>& fits, const ReducedRows& rows, bool offsets) {
  std::string out = fmt::format("row,law,error,best_error,restitution,impulse_ratio{}\n",
                                offsets ? ",offset_x,offset_y,offset_z,error_at_offset" : "");
  for (const FittedLaw& one : fits) {
    if (!one.fit) continue;
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
      const ReducedImpact& row = rows.rows[i];
      out += fmt::format("{},{},{},{},{},{}", row.measured.row, one.law, to_text(one.fit->errors[i]),
                         to_text(row.best_error), to_text(row.restitution), to_text(row.impulse_ratio));
      if (offsets) {
        const LawFit::AtOffset& at = one.fit->at_offset[i];
        out += fmt::format(",{},{},{},{}", to_text(at.offset.x()), to_text(at.offset.y()), to_text(at.offset.z()),
                           to_text(at.error));
      }
      out += '\n';
    }
  }
  return out;
}

int run_fit(const FitCommandOptions& options) {
  ReducedRows rows;
  if (const int status = read_rows(options.file, options, rows); status != 0) return status;
  const auto assignments = read_assignments(options.sets);
  if (!assignments) return refuse("--set", 0, assignments.error());
  FitOptions how;
  how.parameters = options.parameters;
  how.bootstrap = options.bootstrap;
  how.seed = options.seed;
  how.offset = options.offset;
  how.noise_by_component = options.noise == "components";
  if (how.offset > 0 && how.noise_by_component)
    return refuse("--offset", 0, Error{ErrorCode::conflict, "", "", "goes without --noise components"});
  for (const auto& [name, value] : *assignments)
    if (const auto fine = set(how.given, name, value); !fine) return refuse("--set", 0, fine.error());
  std::vector<FittedLaw> fits;
  const bool all = options.law == "all";
  if (!all && find_law(options.law) == nullptr) return refuse("--law", 0, unknown_law(options.law));
  for (const LawInfo& law : laws())
    if (all || law.name == options.law) fits.push_back({law.name, LawFit{}});
  {
    CountProgress progress("laws", fits.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      // Those at the end of the table take longest, and begin.
      for (std::size_t k = next++; k < fits.size(); k = next++) {
        const std::size_t i = fits.size() - 1 - k;
        fits[i].fit = fit_law(fits[i].law, rows.rows, how);
        progress.step();
      }
    };
    const auto count = static_cast<std::size_t>(
        options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency()));
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < std::min(count, fits.size()); ++i) others.emplace_back(work);
    work();
    for (std::thread& other : others) other.join();
  }
  if (!all && !fits[0].fit) {
    const Error& error = fits[0].fit.error();
    return refuse(error.path == "fit" ? "--fit" : get(how.given, error.path) ? "--set" : options.file, 0, error);
  }
  std::stable_sort(fits.begin(), fits.end(), [](const FittedLaw& a, const FittedLaw& b) {
    if (a.fit.has_value() != b.fit.has_value()) return a.fit.has_value();
    return a.fit && a.fit->median < b.fit->median;
  });
  if (options.format == "csv") return write_out(options.out, fits_csv(fits, rows, options.offset > 0));
  if (options.format == "table") return write_out(options.out, fits_table(fits, rows));
  if (options.format == "html") {
    std::vector<LawFit> found;
    for (const FittedLaw& one : fits)
      if (one.fit) found.push_back(*one.fit);
    const auto page = fits_page(found, rows.rows, options.file, rows.remark());
    return page ? write_out(options.out, *page) : refuse(options.file, 0, page.error());
  }
  Json document{{"source", options.file},
                {"rows", {{"read", rows.all.size()}, {"used", rows.rows.size()}, {"flagged", flag_counts(rows.all)}}}};
  Json array = Json::array();
  for (const FittedLaw& one : fits)
    array.push_back(one.fit ? to_json(*one.fit) : Json{{"law", one.law}, {"error", to_json(one.fit.error())}});
  document["laws"] = std::move(array);
  return write_out(options.out, pretty(document) + "\n");
}

}  // namespace

void add_fit(Program& program, int& status) {
  const CommandLine command = add_command(program, "fit");
  auto options = std::make_shared<FitCommandOptions>();
  command.add_option("DATA", options->file, "CSV file of measured impacts (docs/fitting.md)").required();
  command.add_option("--law", options->law, "a law, or all (default)").type_name("NAME");
  add_impacts_options(command, *options);
  command.add_option("--fit", options->parameters, "parameters to fit, by default every number that is not set")
      .type_name("NAME...");
  add_set_option(command, options->sets, "a parameter that is not fitted; may be repeated");
  command
      .add_option("--noise", options->noise,
                  "of the velocities after: relative to the speed before and alike in all directions (default), or one "
                  "deviation along the normal, one along the ground and one of the spin, all estimated")
      .among({"relative", "components"})
      .type_name("MODEL");
  command.add_option("--bootstrap", options->bootstrap, "samples of rows for a second interval, 0 by default")
      .between(0, 100'000)
      .type_name("N");
  command.add_option("--seed", options->seed, "of the bootstrap, 1 by default").type_name("N");
  command.add_option("--threads", options->threads, "all processors by default").between(0, 1024).type_name("N");
  add_format_option(command, options->format, {"table", "json", "csv", "html"},
                    "table by default; csv has the error of every row, html is a page with residual plots");
  add_output_option(command, options->out);
  command.footer(
      "Examples:\n"
      "  ricochet fit impacts.csv --dataset planar-square\n"
      "  ricochet fit impacts.csv --mapping columns.toml --law routh --bootstrap 200\n"
      "  ricochet fit impacts.csv --law routh --offset 0.001 --format html -o fit.html\n"
      "  ricochet fit impacts.csv --law routh --noise components\n"
      "  ricochet fit impacts.csv --law routh --set restitution=stronge --format json");
  command.callback([options, &status] { status = run_fit(*options); });
}

}  // namespace ricochet::app
