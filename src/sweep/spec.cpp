#include "ricochet/sweep/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ricochet/base/error_path.hpp"
#include "ricochet/law/registry.hpp"
#include "ricochet/sweep/inputs.hpp"
#include "ricochet/sweep/outputs.hpp"

namespace ricochet::sweep {

std::string_view name(Sampling sampling) {
  switch (sampling) {
    case Sampling::grid: return "grid";
    case Sampling::random: return "random";
    case Sampling::sobol: return "sobol";
  }
  return "unknown";
}

std::string_view name(ColumnFormat format) {
  switch (format) {
    case ColumnFormat::none: return "none";
    case ColumnFormat::csv: return "csv";
    case ColumnFormat::hdf5: return "hdf5";
  }
  return "unknown";
}

namespace {

/// Numbers at the ends of the axis, or all of its values. A normal distribution has no ends; what it draws beyond those
/// of a law is refused one by one.
std::vector<double> ends(const Distribution& d) {
  if (d.kind == DistributionKind::values) return d.values;
  if (d.kind == DistributionKind::normal) return {};
  return {d.low, d.high};
}

/// Whether the law, or one of the laws that it is composed of, has the parameter.
const ParameterInfo* parameter_of(const LawInfo& law, std::string_view parameter) {
  for (const ParameterInfo& info : law.parameters)
    if (info.name == parameter) return &info;
  return nullptr;
}

Expected<void> check_parameter(const SweepSpec& spec, const Axis& axis, const Field& field, const std::string& path) {
  bool used = false;
  for (const std::string& law_name : spec.laws) {
    const LawInfo& law = *find_law(law_name);
    used |= law_name == "composite";
    const ParameterInfo* info = parameter_of(law, field.parameter());
    if (info == nullptr) continue;
    used = true;
    for (const double x : ends(axis.distribution)) {
      if (info->bounds.contains(x)) continue;
      const char* key = axis.distribution.kind == DistributionKind::values ? "values" : "range";
      return fail(ErrorCode::out_of_range, join_path(path, key), to_text(x),
                  fmt::format("{} of {} must be {}", axis.field, law_name, allowed_text(*info)));
    }
  }
  if (!used)
    return fail(ErrorCode::conflict, join_path(path, "field"), axis.field, "no law of this sweep has the parameter");
  return {};
}

}  // namespace

Expected<void> check(SweepSpec& spec) {
  if (spec.laws.empty() && spec.base.law) spec.laws = {*spec.base.law};
  if (spec.laws.empty())
    return fail(ErrorCode::missing, "sweep.law", "", "missing; a sweep needs a law, here or in [base]");
  for (std::size_t k = 0; k < spec.laws.size(); ++k) {
    const LawInfo* info = find_law(spec.laws[k]);
    if (info == nullptr || info->domain != LawDomain::contact) {
      Error error = unknown_law(spec.laws[k]);
      error.path = "sweep.law";
      return tl::unexpected(std::move(error));
    }
    if (std::find(spec.laws.begin(), spec.laws.begin() + static_cast<std::ptrdiff_t>(k), spec.laws[k]) !=
        spec.laws.begin() + static_cast<std::ptrdiff_t>(k))
      return fail(ErrorCode::conflict, "sweep.law", spec.laws[k], "given twice");
  }
  if (spec.axes.empty()) return fail(ErrorCode::missing, "axis", "", "missing; a sweep needs one [[axis]] or more");
  if (spec.sampling == Sampling::grid && spec.indices)
    return fail(ErrorCode::conflict, "sweep.indices", "true", "needs sampling random or sobol");
  std::vector<Field> fields;
  std::uint64_t grid = 1;
  for (std::size_t k = 0; k < spec.axes.size(); ++k) {
    const Axis& axis = spec.axes[k];
    const std::string path = entry_path("axis", k);
    Expected<Field> field = Field::find(axis.field, spec.base);
    if (!field) {
      field.error().path = join_path(path, "field");
      return tl::unexpected(std::move(field.error()));
    }
    if (const auto same = std::find(fields.begin(), fields.end(), *field); same != fields.end())
      return fail(ErrorCode::conflict, join_path(path, "field"), axis.field,
                  fmt::format("is the same input as that of {}",
                              entry_path("axis", static_cast<std::size_t>(same - fields.begin()))));
    if (field->is_parameter())
      if (const auto fine = check_parameter(spec, axis, *field, path); !fine) return fine;
    fields.push_back(*field);
    if (spec.sampling != Sampling::grid) continue;
    if (axis.distribution.kind == DistributionKind::normal)
      return fail(ErrorCode::conflict, join_path(path, "distribution"), "normal",
                  "has no ends that a grid could begin with; give a range or values");
    if (axis.points == 0)
      return fail(ErrorCode::missing, join_path(path, "points"), "", "missing; a range of a grid needs their number");
    if (axis.points > most_samples / grid)
      return fail(ErrorCode::out_of_range, join_path(path, "points"), std::to_string(axis.points),
                  fmt::format("the grid must have at most {} points", most_samples));
    grid *= axis.points;
  }
  if (spec.sampling == Sampling::grid) spec.count = grid;
  return {};
}

}  // namespace ricochet::sweep
