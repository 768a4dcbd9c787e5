#include "raise.hpp"

#include <pybind11/stl.h>

namespace ricochet::python {
namespace {

[[noreturn]] void raise_with(const Error& error, py::ssize_t index, const std::string& file, long long line) {
  const py::object type = py::module_::import("ricochet._errors").attr("RicochetError");
  const py::object index_or_none = index < 0 ? py::object(py::none()) : py::object(py::int_(index));
  const py::object instance = type(std::string(name(error.code)), error.path, error.value, error.allowed,
                                   error.message(), index_or_none, file, line);
  PyErr_SetObject(type.ptr(), instance.ptr());
  throw py::error_already_set();
}

}  // namespace

void raise(const Error& error, py::ssize_t index) { raise_with(error, index, "", 0); }
void raise(const Fault& fault) { raise_with(fault.error, -1, fault.file, fault.line); }

py::object to_python(const std::string& json) { return py::module_::import("json").attr("loads")(json); }

Value value_from(const std::string& name, const py::handle& given) {
  if (py::isinstance<py::str>(given)) return given.cast<std::string>();
  try {
    if (parameter_kind(name) == ParameterKind::vector) return given.cast<std::vector<double>>();
    return given.cast<double>();
  } catch (const py::cast_error&) {
    raise(
        Error{ErrorCode::wrong_type, name, py::repr(given).cast<std::string>(),
              parameter_kind(name) == ParameterKind::vector ? "must be three numbers" : "must be a number or a word"});
  }
}

LawParameters parameters_from(const py::dict& given) {
  LawParameters out;
  for (const auto& [key, value] : given) {
    const auto name = key.cast<std::string>();
    check_or_raise(set(out, name, value_from(name, value)));
  }
  return out;
}

}  // namespace ricochet::python
