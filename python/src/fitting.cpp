#include <pybind11/stl.h>

#include "module.hpp"
#include "raise.hpp"
#ifdef RICOCHET_HAVE_FIT
#include "ricochet/fit/fit_json.hpp"
#include "ricochet/fit/read_impacts.hpp"
#endif

namespace ricochet::python {
namespace {

#ifdef RICOCHET_HAVE_FIT

/// The rows that are single-point impacts.
std::vector<ReducedImpact> rows_of(const std::string& path, const std::string& dataset, const std::string& mapping,
                                   const std::string& group = {}) {
  ImpactMapping columns;
  if (!dataset.empty()) {
    columns = value_or_raise(dataset_mapping(dataset));
  } else if (!mapping.empty()) {
    columns = value_or_raise(read_impact_mapping(mapping));
  }
  columns.group = group;
  std::vector<ReducedImpact> out;
  for (const MeasuredImpact& impact : value_or_raise(read_impacts(path, columns))) {
    ReducedImpact reduced = value_or_raise(reduce(impact));
    if (reduced.usable()) out.push_back(std::move(reduced));
  }
  if (out.empty()) raise(Error{ErrorCode::invalid, path, "", "has no row that is a single-point impact"});
  return out;
}

py::object fit(const std::string& path, const std::string& law, const std::string& dataset, const std::string& mapping,
               const std::vector<std::string>& parameters, int bootstrap, std::uint64_t seed, double offset,
               const py::dict& given) {
  const std::vector<ReducedImpact> rows = rows_of(path, dataset, mapping);
  FitOptions options;
  options.parameters = parameters;
  options.given = parameters_from(given);
  options.bootstrap = bootstrap;
  options.seed = seed;
  options.offset = offset;
  const auto unlocked = [&] {
    const py::gil_scoped_release released;
    return fit_law(law, rows, options);
  };
  const LawFit found = value_or_raise(unlocked());
  Json out = to_json(found);
  out["errors"] = found.errors;
  if (!found.at_offset.empty()) {
    Json offsets = Json::array();
    for (const LawFit::AtOffset& at : found.at_offset) offsets.push_back({at.offset.x(), at.offset.y(), at.offset.z()});
    out["offsets"] = std::move(offsets);
  }
  return to_python(out);
}

py::object rank(const std::string& path, const std::string& test, const std::vector<std::string>& laws,
                const std::string& dataset, const std::string& mapping, int folds, const std::string& group,
                std::uint64_t seed, int threads, double offset, const py::dict& given) {
  if (!group.empty() && !test.empty()) raise(Error{ErrorCode::conflict, "group", group, "goes without test"});
  const std::vector<ReducedImpact> rows = rows_of(path, dataset, mapping, group);
  const std::vector<ReducedImpact> scored =
      test.empty() ? std::vector<ReducedImpact>{} : rows_of(test, dataset, mapping);
  RankOptions options;
  options.laws = laws;
  options.folds = folds;
  options.grouped = !group.empty();
  options.seed = seed;
  options.threads = threads;
  options.offset = offset;
  options.given = parameters_from(given);
  const auto unlocked = [&] {
    const py::gil_scoped_release released;
    return rank_laws(rows, scored, options);
  };
  return to_python(to_json(value_or_raise(unlocked())));
}

#else

[[noreturn]] void no_ceres(const char* name) {
  raise(Error{ErrorCode::unavailable, name, "", "needs Ceres (libceres-dev), which was absent when this was built"});
}
py::object fit(const std::string&, const std::string&, const std::string&, const std::string&,
               const std::vector<std::string>&, int, std::uint64_t, double, const py::dict&) {
  no_ceres("fit");
}
py::object rank(const std::string&, const std::string&, const std::vector<std::string>&, const std::string&,
                const std::string&, int, const std::string&, std::uint64_t, int, double, const py::dict&) {
  no_ceres("rank");
}

#endif

}  // namespace

void bind_fitting(py::module_& m) {
  m.def("fit", &fit);
  m.def("rank", &rank);
#ifdef RICOCHET_HAVE_FIT
  m.attr("have_fit") = true;
#else
  m.attr("have_fit") = false;
#endif
}

}  // namespace ricochet::python
