#include <fmt/format.h>

#include <memory>
#include <thread>

#include "command_table.hpp"
#include "commands/commands.hpp"
#include "commands/rank_page.hpp"
#include "commands/rank_tosses.hpp"
#include "ricochet/fit/fit_json.hpp"
#include "ricochet/io/assignments.hpp"
#include "terminal/common_options.hpp"
#include "terminal/count_progress.hpp"
#include "terminal/impacts_input.hpp"
#include "terminal/output_file.hpp"
#include "terminal/refuse.hpp"
#include "terminal/table.hpp"

namespace ricochet::app {
namespace {

struct RankCommandOptions : ImpactsOptions {
  std::string file, test, format = "table", out;
  std::vector<std::string> laws, sets;
  int folds = 5, threads = 0;
  std::uint64_t seed = 1;
  TossCommandOptions tosses;
};

std::string parameters_text(const LawFit& fit) {
  std::string out;
  for (const EstimatedParameter& p : fit.parameters)
    out += fmt::format("{}{} {:.4g}{}", out.empty() ? "" : ", ", p.name, p.value, p.identifiable ? "" : "?");
  return out;
}

std::string ranking_table(const Ranking& ranking, const ReducedRows& rows, bool apart) {
  std::string out = fmt::format("{}; {} rows scored, {}\n", rows.remark(), ranking.tested,
                                apart ? "none of them fitted to" : "each by laws fitted to other rows");
  out +=
      "errors of the velocity after, relative, in the mass norm; m/s: median, unscaled; impulse: relative error of P,\n"
      "median; AIC: information criterion, smaller is better\n\n";
  std::vector<std::vector<std::string>> table{
      {"law", "median", "95 % interval", "mean", "p90", "m/s", "impulse", "AIC", "parameters (? not identifiable)"}};
  for (const LawScore& score : ranking.laws) {
    if (score.refused) {
      table.push_back({std::string(score.law), "-", "", "", "", "", "", "", score.refused->message()});
      continue;
    }
    table.push_back({std::string(score.law), fmt::format("{:.4f}", score.velocity.median),
                     fmt::format("{:.4f} to {:.4f}", score.velocity.median_low, score.velocity.median_high),
                     fmt::format("{:.4f}", score.velocity.mean), fmt::format("{:.4f}", score.velocity.p90),
                     fmt::format("{:.4f}", score.unscaled.median), fmt::format("{:.4f}", score.impulse.median),
                     fmt::format("{:.0f}", score.criterion), parameters_text(*score.fit)});
  }
  if (ranking.regression) {
    const RegressionScore& r = *ranking.regression;
    table.push_back({"(regression)", fmt::format("{:.4f}", r.velocity.median),
                     fmt::format("{:.4f} to {:.4f}", r.velocity.median_low, r.velocity.median_high),
                     fmt::format("{:.4f}", r.velocity.mean), fmt::format("{:.4f}", r.velocity.p90),
                     fmt::format("{:.4f}", r.unscaled.median), fmt::format("{:.4f}", r.impulse.median), "",
                     "free-form, no law: what the state before tells"});
  }
  if (ranking.noise_floor)
    table.push_back({"(noise floor)", fmt::format("{:.4f}", *ranking.noise_floor), "", "", "", "", "", "",
                     "what an exact law would miss"});
  table.push_back({"(best impulse)", fmt::format("{:.4f}", ranking.best_impulse.median),
                   fmt::format("{:.4f} to {:.4f}", ranking.best_impulse.median_low, ranking.best_impulse.median_high),
                   fmt::format("{:.4f}", ranking.best_impulse.mean), fmt::format("{:.4f}", ranking.best_impulse.p90),
                   "", "0", "", "no impulse at the point does better"});
  out += ricochet::app::rows(table, 1, 8);
  for (const LawScore& score : ranking.laws)
    if (score.with_offset)
      out += fmt::format(
                 "{}{}: {:.4f} with the most probable offset of each row, {:.3g} m rms, for which the velocity after "
                 "is used",
                 &score == ranking.laws.data() ? "\n" : "", score.law, score.with_offset->median,
                 summarize_offsets(*score.fit).rms) +
             "\n";
  out += fmt::format(
      "\nmeasured: e {:.3f} ({:.3f} to {:.3f}, 5 to 95 %); 95 % have a ratio of impulses below {:.3f}; for that mu "
      "{:.1f} % are permissible; {} of {} lie outside the region of FT9\n",
      ranking.restitution_median, ranking.restitution_low, ranking.restitution_high, ranking.mu,
      100 * ranking.permissible, ranking.density.outside, ranking.tested);
  return out;
}

std::string ranking_csv(const Ranking& ranking) {
  std::string out =
      "law,median,median_low,median_high,mean,p90,unscaled_median,impulse_median,information_criterion,parameters\n";
  for (const LawScore& score : ranking.laws)
    if (!score.refused)
      out += fmt::format("{},{},{},{},{},{},{},{},{},\"{}\"\n", score.law, to_text(score.velocity.median),
                         to_text(score.velocity.median_low), to_text(score.velocity.median_high),
                         to_text(score.velocity.mean), to_text(score.velocity.p90), to_text(score.unscaled.median),
                         to_text(score.impulse.median), to_text(score.criterion), parameters_text(*score.fit));
  return out;
}

/// Options that only one of the two kinds of data has.
int run_tosses(const RankCommandOptions& options) {
  for (const auto& [name, value] : {std::pair("DATA", &options.file), std::pair("--dataset", &options.dataset),
                                    std::pair("--mapping", &options.mapping), std::pair("--group", &options.group)})
    if (!value->empty()) return refuse(name, 0, Error{ErrorCode::conflict, "", "", "goes without --tosses"});
  if (options.offset != 0) return refuse("--offset", 0, Error{ErrorCode::conflict, "", "", "goes without --tosses"});
  TossCommandOptions tosses = options.tosses;
  tosses.test = options.test;
  tosses.format = options.format;
  tosses.output = options.out;
  tosses.laws = options.laws;
  tosses.sets = options.sets;
  tosses.folds = options.folds;
  tosses.threads = options.threads;
  tosses.seed = options.seed;
  return run_rank_tosses(tosses);
}

int run_rank(const RankCommandOptions& options) {
  if (!options.tosses.tosses.empty()) return run_tosses(options);
  if (options.file.empty()) return refuse("DATA", 0, Error{ErrorCode::missing, "", "", "or --tosses must be given"});
  if (!options.tosses.body.empty() || !options.tosses.fit.empty() || options.tosses.flight)
    return refuse("--tosses", 0, Error{ErrorCode::missing, "", "", "must be given with --body, --fit and --flight"});
  if (!options.group.empty() && !options.test.empty())
    return refuse("--group", 0, Error{ErrorCode::conflict, "", "", "goes without --test"});
  ReducedRows rows, test;
  if (const int status = read_rows(options.file, options, rows); status != 0) return status;
  if (!options.test.empty())
    if (const int status = read_rows(options.test, options, test); status != 0) return status;
  const auto assignments = read_assignments(options.sets);
  if (!assignments) return refuse("--set", 0, assignments.error());
  RankOptions how;
  if (!(options.laws.size() == 1 && options.laws[0] == "all")) how.laws = options.laws;
  how.folds = options.folds;
  how.grouped = !options.group.empty();
  how.seed = options.seed;
  how.offset = options.offset;
  how.threads = options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
  for (const auto& [name, value] : *assignments)
    if (const auto fine = set(how.given, name, value); !fine) return refuse("--set", 0, fine.error());
  Expected<Ranking> ranking;
  {
    CountProgress progress("fits", fits_to_rank(how, !test.rows.empty()));
    how.progress = [&] { progress.step(); };
    ranking = rank_laws(rows.rows, test.rows, how);
  }
  if (!ranking) return refuse(ranking.error().path == "folds" ? "--folds" : "--law", 0, ranking.error());
  if (options.format == "html") {
    const auto page = ranking_page(*ranking, options.file, rows.remark());
    return page ? write_out(options.out, *page) : refuse(options.file, 0, page.error());
  }
  if (options.format == "csv") return write_out(options.out, ranking_csv(*ranking));
  if (options.format == "table") return write_out(options.out, ranking_table(*ranking, rows, !options.test.empty()));
  Json document = to_json(*ranking);
  document["source"] = options.file;
  if (!options.test.empty()) document["test"] = options.test;
  return write_out(options.out, pretty(document) + "\n");
}

}  // namespace

void add_rank(Program& program, int& status) {
  const CommandLine command = add_command(program, "rank");
  auto options = std::make_shared<RankCommandOptions>();
  command.add_option("DATA", options->file, "CSV file of measured impacts, to which laws are fitted");
  command.add_option("--test", options->test, "CSV file on which they are scored; without it, folds of DATA")
      .type_name("FILE");
  command.add_option("--law", options->laws, "laws, by default all").type_name("NAME...");
  add_impacts_options(command, *options);
  add_set_option(command, options->sets, "a parameter that is not fitted; may be repeated");
  command.add_option("--folds", options->folds, "parts of DATA that are scored in turn, 5 by default").type_name("K");
  command
      .add_option("--group", options->group,
                  "column of numbers, such as that of the trajectory: its rows of one number are in one part")
      .type_name("COLUMN");
  command.add_option("--seed", options->seed, "of the choice of parts, 1 by default").type_name("N");
  command.add_option("--threads", options->threads, "all processors by default").between(0, 1024).type_name("N");
  add_format_option(command, options->format, {"table", "json", "csv", "html"},
                    "table by default; html is a page with figures");
  add_output_option(command, options->out);
  TossCommandOptions& tosses = options->tosses;
  command
      .add_option("--tosses", tosses.tosses,
                  "in place of DATA: folder with trajectories.csv of a cube, or such a file, of which each toss is "
                  "predicted from its first row")
      .type_name("DIR");
  command.add_option("--out", tosses.out, "folder for a CSV file of each predicted toss, predicted_tosses by default")
      .type_name("DIR");
  command.add_option("--body", tosses.body, "TOML file of the cube, by default the published one").type_name("FILE");
  command
      .add_option(
          "--fit", tosses.fit,
          "what is fitted: numbers of the law, mu_lasting, corner_radius, inertia, centre_z, gravity, ground, or "
          "none; the law's and mu_lasting by default")
      .type_name("NAME...");
  command.add_option("--fit-tosses", tosses.fit_tosses, "tosses that a fit uses at most, 60 by default")
      .between(std::size_t{1}, std::size_t{1000000})
      .type_name("N");
  command.add_flag("--flight", tosses.flight,
                   "start from all rows before the first contact, not from the first row alone");
  for (const char* name : {"--tosses", "--out", "--body", "--fit", "--fit-tosses", "--flight"})
    command.group(name, "Whole tosses");
  command.footer(
      "Examples:\n"
      "  ricochet rank impacts.csv --dataset planar-square\n"
      "  ricochet rank train.csv --test test.csv --dataset planar-ellipse --format json\n"
      "  ricochet rank impacts.csv --dataset planar-square --format html -o rank.html\n"
      "  ricochet rank --tosses cube_tosses --out predicted");
  command.callback([options, &status] { status = run_rank(*options); });
}

}  // namespace ricochet::app
