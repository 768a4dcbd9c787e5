#include "terminal/impacts_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "ricochet/base/counted.hpp"
#include "ricochet/io/input.hpp"
#include "terminal/refuse.hpp"

namespace ricochet::app {

void add_layout_options(const CommandLine& command, ImpactsOptions& options) {
  command
      .add_option("--dataset", options.dataset,
                  "layout of a published set: planar-ellipse, planar-square, cube-impacts, sphere or table-tennis")
      .type_name("NAME");
  command.add_option("--mapping", options.mapping, "TOML file that says which columns are which quantities")
      .type_name("FILE");
}

void add_impacts_options(const CommandLine& command, ImpactsOptions& options) {
  add_layout_options(command, options);
  command
      .add_option("--offset", options.offset,
                  "deviation of the contact points along the ground [m]: each row has an offset with that prior; 0 by "
                  "default, points are known")
      .type_name("SIGMA");
}

std::string ReducedRows::remark() const {
  std::string out = counted(all.size(), "row");
  if (rows.size() == all.size()) return out + ", all used";
  out += fmt::format(", {} left out:", all.size() - rows.size());
  std::string_view between = " ";
  for (const ReducedImpact::Flag& flag : ReducedImpact::flags) {
    const auto count =
        std::count_if(all.begin(), all.end(), [&](const ReducedImpact& row) { return row.*flag.raised; });
    if (count == 0) continue;
    out += fmt::format("{}{} {}", between, count, flag.meaning);
    between = ", ";
  }
  return out;
}

int read_all_rows(const std::string& file, const ImpactsOptions& options, ReducedRows& out) {
  if (!options.dataset.empty() && !options.mapping.empty())
    return refuse("--mapping", 0, Error{ErrorCode::conflict, "", "", "goes without --dataset"});
  if (!(options.offset >= 0 && std::isfinite(options.offset)))
    return refuse("--offset", 0,
                  Error{ErrorCode::out_of_range, "", to_text(options.offset), "must be zero or more, finite"});
  ImpactMapping mapping;
  if (!options.dataset.empty()) {
    auto named = dataset_mapping(options.dataset);
    if (!named) return refuse("--dataset", 0, named.error());
    mapping = *std::move(named);
  } else if (!options.mapping.empty()) {
    auto input = Input::open(options.mapping);
    if (!input) return refuse(options.mapping, 0, input.error());
    const auto text = input->rest(std::size_t{1} << 20U);
    if (!text) return refuse(options.mapping, 0, text.error());
    auto read = read_impact_mapping(*text);
    if (!read) return refuse(options.mapping, read.error().line, read.error().error);
    mapping = *std::move(read);
  }
  mapping.group = options.group;
  const auto impacts = read_impacts(file, mapping);
  if (!impacts) return refuse(impacts.error());
  for (const MeasuredImpact& impact : *impacts) {
    auto reduced = reduce(impact);
    if (!reduced) return refuse(file, static_cast<long long>(impact.row) + 1, reduced.error());
    out.all.push_back(*std::move(reduced));
  }
  std::copy_if(out.all.begin(), out.all.end(), std::back_inserter(out.rows),
               [](const ReducedImpact& row) { return row.usable(); });
  return 0;
}

int read_rows(const std::string& file, const ImpactsOptions& options, ReducedRows& out) {
  if (const int status = read_all_rows(file, options, out); status != 0) return status;
  if (out.rows.empty())
    return refuse(file, 0, Error{ErrorCode::invalid, "", "", "has no row that is a single-point impact"});
  return 0;
}

}  // namespace ricochet::app
