#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "command_table.hpp"
#include "commands/commands.hpp"
#include "ricochet/base/text.hpp"
#include "ricochet/batch/collide.hpp"
#include "ricochet/batch/contract.hpp"
#include "ricochet/io/json.hpp"
#include "ricochet/law/law_table.hpp"
#include "terminal/common_options.hpp"
#include "terminal/count_progress.hpp"
#include "terminal/output_file.hpp"
#include "terminal/refuse.hpp"
#include "terminal/table.hpp"

namespace ricochet::app {
namespace {

struct SweepOptions {
  std::string what, format = "table", out;
  std::vector<std::string> laws;
  std::size_t count = 100'000, first = 0, seed = 1;
  int threads = 0;
  bool device = false;
};

constexpr std::array all_promises{Promise::energy, Promise::separation, Promise::compression, Promise::friction,
                                  Promise::finite, Promise::equation,   Promise::work};

struct LawReport {
  std::string law;
  ContractReport report;
};

Json sweep_json(const SweepOptions& options, const std::vector<LawReport>& reports) {
  Json laws = Json::array();
  for (const LawReport& one : reports) {
    Json refused = Json::object(), kept = Json::object();
    for (std::size_t code = 0; code < one.report.refused.size(); ++code)
      if (one.report.refused[code] > 0)
        refused[std::string(name(static_cast<ErrorCode>(code)))] = one.report.refused[code];
    for (const Promise p : all_promises) {
      const PromiseRecord& record = one.report[p];
      if (record.checked == 0) continue;
      Json entry{{"checked", record.checked},
                 {"violated", record.violated},
                 {"worst", record.worst},
                 {"worst_at", record.worst_at}};
      if (record.first_violated) entry["first_violated"] = *record.first_violated;
      kept[std::string(name(p))] = std::move(entry);
    }
    laws.push_back({{"law", one.law},
                    {"drawn", one.report.drawn},
                    {"answered", one.report.answered},
                    {"refused", std::move(refused)},
                    {"violations", one.report.violations()},
                    {"promises", std::move(kept)}});
  }
  return {{"seed", options.seed}, {"first", options.first}, {"count", options.count}, {"laws", std::move(laws)}};
}

std::string sweep_table(const SweepOptions& options, const std::vector<LawReport>& reports) {
  std::string out = fmt::format(
      "collisions {} to {} of seed {}; smallest margin of each promise, relative to its terms: negative by rounding, "
      "or "
      "violated\n\n",
      options.first, options.first + options.count - 1, options.seed);
  std::vector<std::vector<std::string>> table{{"law", "answered", "refused", "violations"}};
  for (const Promise p : all_promises)
    if (p != Promise::finite) table[0].emplace_back(name(p));
  for (const LawReport& one : reports) {
    std::vector<std::string> row{one.law, std::to_string(one.report.answered),
                                 std::to_string(one.report.drawn - one.report.answered),
                                 std::to_string(one.report.violations())};
    for (const Promise p : all_promises)
      if (p != Promise::finite)
        row.push_back(one.report[p].checked == 0 ? "-" : fmt::format("{:.1e}", one.report[p].worst));
    table.push_back(std::move(row));
  }
  return out + rows(table, 1);
}

int run_sweep(const SweepOptions& options) {
  std::vector<std::string> laws = options.laws;
  if (laws.empty())
    for (const LawInfo& info : ricochet::laws())
      if (info.domain == LawDomain::contact) laws.emplace_back(info.name);
  std::vector<LawReport> reports;
  bool device = options.device;
  if (device) {
    if (const auto there = cuda_device(); !there) {
      fmt::print(stderr, "ricochet: {}; the processor takes its place\n", there.error().message());
      device = false;
    }
  }
  // Small enough for a bar that moves, large enough for all threads, or for a device.
  const std::size_t part = std::size_t{1} << (device ? 24U : 17U);
  const std::size_t parts = (options.count + part - 1) / part;
  CountProgress progress("parts", parts * laws.size());
  for (const std::string& law : laws) {
    LawReport one{law, {}};
    for (std::size_t k = 0; k < parts; ++k) {
      const auto report = check_contract({.law = law,
                                          .seed = options.seed,
                                          .first = options.first + k * part,
                                          .count = std::min(part, options.count - k * part),
                                          .threads = static_cast<unsigned>(options.threads),
                                          .device = device});
      if (!report) return refuse("--law", report.error());
      one.report.add(*report);
      progress.step();
    }
    reports.push_back(std::move(one));
  }
  const int status = write_out(options.out, options.format == "json" ? pretty(sweep_json(options, reports)) + "\n"
                                                                     : sweep_table(options, reports));
  int kept = 0;
  for (const LawReport& one : reports)
    for (const Promise p : all_promises)
      if (one.report[p].violated > 0) {
        fmt::print(stderr, "{}: {} of {} break the promise of {}, the first at index {}\n", one.law,
                   one.report[p].violated, one.report[p].checked, name(p), *one.report[p].first_violated);
        kept = 1;
      }
  return status == 0 ? kept : status;
}

}  // namespace

void add_sweep(Program& program, int& status) {
  const CommandLine command = add_command(program, "sweep");
  auto options = std::make_shared<SweepOptions>();
  command.add_option("WHAT", options->what, "contract: what each law promises, on random and extreme collisions")
      .required()
      .among({"contract"});
  command.add_option("--law", options->laws, "laws, by default all").type_name("NAME...");
  command.add_option("--count", options->count, "collisions for each law, 100000 by default")
      .between(std::size_t{1}, std::size_t{1} << 50U)
      .type_name("N");
  command
      .add_option("--first", options->first, "index of the first, 0 by default; parts of a range add up to the whole")
      .type_name("N");
  command.add_option("--seed", options->seed, "1 by default").type_name("N");
  command.add_option("--threads", options->threads, "all processors by default").between(0, 1024).type_name("N");
  command.add_flag("--device", options->device, "on the CUDA device, for laws with a closed form");
  add_format_option(command, options->format, {"table", "json"});
  add_output_option(command, options->out);
  command.footer(
      "Examples:\n"
      "  ricochet sweep contract --count 1000000\n"
      "  ricochet sweep contract --law chatterjee-ruina --law brach --count 1000000000 --format json\n\n"
      "Exits with 1 where a promise is broken.");
  command.callback([options, &status] { status = run_sweep(*options); });
}

}  // namespace ricochet::app
