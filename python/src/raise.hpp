#pragma once
/// Errors of the library as the Python exception ricochet.RicochetError, and its JSON as Python values.

#include <pybind11/pybind11.h>

#include "ricochet/base/error.hpp"
#include "ricochet/io/fault.hpp"
#include "ricochet/io/json.hpp"

namespace ricochet::python {

namespace py = pybind11;

/// `index` is that of the collision among the leading dimensions, flat; −1 where there is only one.
[[noreturn]] void raise(const Error& error, py::ssize_t index = -1);
[[noreturn]] void raise(const Fault& fault);

template <class T, class E>
T value_or_raise(tl::expected<T, E>&& expected) {
  if (!expected) raise(expected.error());
  return *std::move(expected);
}
inline void check_or_raise(const Expected<void>& fine) {
  if (!fine) raise(fine.error());
}

/// Dictionaries, lists, strings and numbers; "inf" and "-inf" stay words, as in JSON.
[[nodiscard]] py::object to_python(const std::string& json);
[[nodiscard]] inline py::object to_python(const Json& json) { return to_python(json.dump()); }

/// A value that `set` takes, from a Python number, word or sequence of numbers.
[[nodiscard]] Value value_from(const std::string& name, const py::handle& given);
/// Parameters by name.
[[nodiscard]] LawParameters parameters_from(const py::dict& given);

}  // namespace ricochet::python
