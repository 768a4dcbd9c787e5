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
std::vector<ReducedImpact> rows_of(const std::string& path, const std::string& dataset, const std::string& mapping) {
  ImpactMapping columns;
  if (!dataset.empty()) {
    columns = value_or_raise(dataset_mapping(dataset));
  } else if (!mapping.empty()) {
    columns = value_or_raise(read_impact_mapping(mapping));
  }
  std::vector<ReducedImpact> out;
  for (const MeasuredImpact& impact : value_or_raise(read_impacts(path, columns))) {
    ReducedImpact reduced = value_or_raise(reduce(impact));
    if (reduced.usable()) out.push_back(std::move(reduced));
  }
  if (out.empty()) raise(Error{ErrorCode::invalid, path, "", "has no row that is a single-point impact"});
  return out;
}

py::object fit(const std::string& path, const std::string& law, const std::string& dataset, const std::string& mapping,
               const std::vector<std::string>& parameters, int bootstrap, std::uint64_t seed, const py::dict& given) {
  const std::vector<ReducedImpact> rows = rows_of(path, dataset, mapping);
  FitOptions options;
  options.parameters = parameters;
  options.given = parameters_from(given);
  options.bootstrap = bootstrap;
  options.seed = seed;
  const auto unlocked = [&] {
    const py::gil_scoped_release released;
    return fit_law(law, rows, options);
  };
  const LawFit found = value_or_raise(unlocked());
  Json out = to_json(found);
  out["errors"] = found.errors;
  return to_python(out);
}

py::object rank(const std::string& path, const std::string& test, const std::vector<std::string>& laws,
                const std::string& dataset, const std::string& mapping, int folds, std::uint64_t seed, int threads,
                const py::dict& given) {
  const std::vector<ReducedImpact> rows = rows_of(path, dataset, mapping);
  const std::vector<ReducedImpact> scored =
      test.empty() ? std::vector<ReducedImpact>{} : rows_of(test, dataset, mapping);
  RankOptions options;
  options.laws = laws;
  options.folds = folds;
  options.seed = seed;
  options.threads = threads;
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
               const std::vector<std::string>&, int, std::uint64_t, const py::dict&) {
  no_ceres("fit");
}
py::object rank(const std::string&, const std::string&, const std::vector<std::string>&, const std::string&,
                const std::string&, int, std::uint64_t, int, const py::dict&) {
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
