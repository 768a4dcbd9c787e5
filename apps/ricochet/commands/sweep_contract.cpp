#include "commands/sweep_contract.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ricochet/base/text.hpp"
#include "ricochet/batch/collide.hpp"
#include "ricochet/batch/contract.hpp"
#include "ricochet/io/json.hpp"
#include "ricochet/law/law_table.hpp"
#include "terminal/count_progress.hpp"
#include "terminal/output_file.hpp"
#include "terminal/refuse.hpp"
#include "terminal/table.hpp"

namespace ricochet::app {
namespace {

constexpr std::array all_promises{Promise::energy, Promise::separation, Promise::compression, Promise::friction,
                                  Promise::finite, Promise::equation,   Promise::work};

struct LawReport {
  std::string law;
  ContractReport report;
};

Json sweep_json(const ContractOptions& options, const std::vector<LawReport>& reports) {
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

std::string sweep_table(const ContractOptions& options, const std::vector<LawReport>& reports) {
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

}  // namespace

int run_contract(const ContractOptions& options) {
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

}  // namespace ricochet::app
