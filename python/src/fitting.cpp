#include <pybind11/numpy.h>
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

std::vector<ReducedImpact> all_rows_of(const std::string& path, const std::string& dataset, const std::string& mapping,
                                       const std::string& group = {}) {
  ImpactMapping columns;
  if (!dataset.empty()) {
    columns = value_or_raise(dataset_mapping(dataset));
  } else if (!mapping.empty()) {
    columns = value_or_raise(read_impact_mapping(mapping));
  }
  columns.group = group;
  std::vector<ReducedImpact> out;
  for (const MeasuredImpact& impact : value_or_raise(read_impacts(path, columns)))
    out.push_back(value_or_raise(ricochet::reduce(impact)));
  return out;
}

/// The rows that are single-point impacts.
std::vector<ReducedImpact> rows_of(const std::string& path, const std::string& dataset, const std::string& mapping,
                                   const std::string& group = {}) {
  std::vector<ReducedImpact> out = all_rows_of(path, dataset, mapping, group);
  std::erase_if(out, [](const ReducedImpact& row) { return !row.usable(); });
  if (out.empty()) raise(Error{ErrorCode::invalid, path, "", "has no row that is a single-point impact"});
  return out;
}

template <class Of>
py::array_t<double> numbers(const std::vector<ReducedImpact>& rows, Of of) {
  py::array_t<double> out(static_cast<py::ssize_t>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) out.mutable_at(static_cast<py::ssize_t>(i)) = of(rows[i]);
  return out;
}
template <class Of>
py::array_t<double> vectors(const std::vector<ReducedImpact>& rows, Of of) {
  py::array_t<double> out({static_cast<py::ssize_t>(rows.size()), py::ssize_t{3}});
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (int k = 0; k < 3; ++k) out.mutable_at(static_cast<py::ssize_t>(i), k) = of(rows[i])(k);
  return out;
}

py::object reduce(const std::string& path, const std::string& dataset, const std::string& mapping) {
  const std::vector<ReducedImpact> rows = all_rows_of(path, dataset, mapping);
  const auto count = static_cast<py::ssize_t>(rows.size());
  py::array_t<std::int64_t> row(count);
  py::array_t<bool> usable(count);
  py::array_t<double> W({count, py::ssize_t{3}, py::ssize_t{3}});
  py::dict out, margins, flags;
  for (py::ssize_t i = 0; i < count; ++i) {
    const ReducedImpact& here = rows[static_cast<std::size_t>(i)];
    row.mutable_at(i) = static_cast<std::int64_t>(here.measured.row);
    usable.mutable_at(i) = here.usable();
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) W.mutable_at(i, a, b) = here.contact.W(a, b);
  }
  for (const ReducedImpact::Flag& flag : ReducedImpact::flags) {
    py::array_t<bool> raised(count);
    for (py::ssize_t i = 0; i < count; ++i) raised.mutable_at(i) = rows[static_cast<std::size_t>(i)].*flag.raised;
    flags[py::str(std::string(flag.name))] = raised;
  }
  margins["energy"] = numbers(rows, [](const ReducedImpact& r) { return r.margins.energy; });
  margins["separation"] = numbers(rows, [](const ReducedImpact& r) { return r.margins.separation; });
  margins["compression"] = numbers(rows, [](const ReducedImpact& r) { return r.margins.compression; });
  out["row"] = row;
  out["W"] = W;
  out["V"] = vectors(rows, [](const ReducedImpact& r) { return r.contact.V; });
  out["n"] = vectors(rows, [](const ReducedImpact& r) { return r.contact.n; });
  out["spin"] = vectors(rows, [](const ReducedImpact& r) { return r.contact.spin; });
  out["P"] = vectors(rows, [](const ReducedImpact& r) { return r.P; });
  out["margins"] = margins;
  out["restitution"] = numbers(rows, [](const ReducedImpact& r) { return r.restitution; });
  out["impulse_ratio"] = numbers(rows, [](const ReducedImpact& r) { return r.impulse_ratio; });
  out["best_error"] = numbers(rows, [](const ReducedImpact& r) { return r.best_error; });
  out["energy_ratio"] = numbers(rows, [](const ReducedImpact& r) { return r.energy_ratio; });
  out["flags"] = flags;
  out["usable"] = usable;
  return out;
}

py::object fit(const std::string& path, const std::string& law, const std::string& dataset, const std::string& mapping,
               const std::vector<std::string>& parameters, int bootstrap, std::uint64_t seed, double offset,
               const std::string& noise, const py::dict& given) {
  if (noise != "relative" && noise != "components")
    raise(Error{ErrorCode::out_of_range, "noise", noise, "must be relative or components"});
  const std::vector<ReducedImpact> rows = rows_of(path, dataset, mapping);
  FitOptions options;
  options.parameters = parameters;
  options.given = parameters_from(given);
  options.bootstrap = bootstrap;
  options.seed = seed;
  options.offset = offset;
  options.noise_by_component = noise == "components";
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
py::object reduce(const std::string&, const std::string&, const std::string&) { no_ceres("reduce"); }
py::object fit(const std::string&, const std::string&, const std::string&, const std::string&,
               const std::vector<std::string>&, int, std::uint64_t, double, const std::string&, const py::dict&) {
  no_ceres("fit");
}
py::object rank(const std::string&, const std::string&, const std::vector<std::string>&, const std::string&,
                const std::string&, int, const std::string&, std::uint64_t, int, double, const py::dict&) {
  no_ceres("rank");
}

#endif

}  // namespace

void bind_fitting(py::module_& m) {
  m.def("reduce", &reduce);
  m.def("fit", &fit);
  m.def("rank", &rank);
#ifdef RICOCHET_HAVE_FIT
  m.attr("have_fit") = true;
#else
  m.attr("have_fit") = false;
#endif
}

}  // namespace ricochet::python
