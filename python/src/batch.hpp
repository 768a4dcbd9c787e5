#pragma once
/// Many collisions in one call: arrays of any strides with the same leading dimensions, read and written in place, by
/// several threads, without Python's lock.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ricochet/base/error.hpp"
#include "ricochet/base/linear.hpp"

namespace ricochet::python {

namespace py = pybind11;

/// The leading dimensions that all arrays of a call have in common.
struct Leading {
  std::vector<py::ssize_t> shape;
  py::ssize_t count = 1;
};

/// Where the entries of one array lie. Its first dimensions are the leading ones; at most two follow.
class Entries {
 public:
  Entries() = default;
  Entries(const py::array& array, const Leading& leading, bool write) {
    const auto lead = static_cast<py::ssize_t>(leading.shape.size());
    const auto at = [](py::ssize_t i) { return static_cast<std::size_t>(i); };
    if (array.ndim() < lead || array.ndim() > lead + 2 || (write && !array.writeable()))
      throw py::value_error("an array with the leading dimensions of the call, writeable where it is an output");
    for (py::ssize_t i = 0; i < lead; ++i) {
      if (array.shape(i) != leading.shape[at(i)]) throw py::value_error("arrays must have the same leading dimensions");
      strides_.push_back(array.strides(i));
    }
    for (py::ssize_t i = lead; i < array.ndim(); ++i) inner_[at(i - lead)] = array.strides(i);
    data_ = const_cast<char*>(static_cast<const char*>(array.data()));  // an output is checked to be writeable
  }

  /// The place of the collision with this flat index.
  [[nodiscard]] char* at(const Leading& leading, py::ssize_t index) const {
    if (strides_.size() == 1) return data_ + index * strides_[0];
    char* place = data_;
    for (std::size_t i = strides_.size(); i-- > 0;) {
      place += index % leading.shape[i] * strides_[i];
      index /= leading.shape[i];
    }
    return place;
  }
  [[nodiscard]] bool present() const { return data_ != nullptr; }

  template <class T>
  [[nodiscard]] const T& get(char* place, int row = 0, int column = 0) const {
    return *reinterpret_cast<const T*>(place + row * inner_[0] + column * inner_[1]);
  }
  template <class T>
  void put(char* place, T value, int row = 0, int column = 0) const {
    *reinterpret_cast<T*>(place + row * inner_[0] + column * inner_[1]) = value;
  }

  [[nodiscard]] Mat3 matrix(const Leading& leading, py::ssize_t index) const {
    char* place = at(leading, index);
    Mat3 out;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) out(i, j) = get<double>(place, i, j);
    return out;
  }
  [[nodiscard]] Vec3 vector(const Leading& leading, py::ssize_t index) const {
    char* place = at(leading, index);
    return {get<double>(place, 0), get<double>(place, 1), get<double>(place, 2)};
  }
  [[nodiscard]] double number(const Leading& leading, py::ssize_t index) const {
    return get<double>(at(leading, index));
  }
  void put_vector(const Leading& leading, py::ssize_t index, const Vec3& x) const {
    if (!present()) return;
    char* place = at(leading, index);
    for (int i = 0; i < 3; ++i) put<double>(place, x(i), i);
  }
  template <class T>
  void put_number(const Leading& leading, py::ssize_t index, T x) const {
    if (present()) put<T>(at(leading, index), x);
  }

 private:
  char* data_ = nullptr;
  std::vector<py::ssize_t> strides_;
  std::array<py::ssize_t, 2> inner_{};
};

/// The array of an output by name; absent where it is not wanted.
template <class T>
Entries output(const py::dict& outputs, const char* name, const Leading& leading) {
  if (!outputs.contains(name)) return {};
  const py::object array = outputs[name];
  if (!py::isinstance<py::array_t<T>>(array)) throw py::type_error(std::string(name) + ": wrong type of array");
  return {array.cast<py::array>(), leading, true};
}

struct IndexedError {
  py::ssize_t index = 0;
  Error error;
};

/// `work(begin, end)` for shares of the collisions, each in order; returns the error with the lowest index, where any
/// share ends with one.
template <class Work>
std::optional<IndexedError> in_shares(py::ssize_t count, unsigned threads, const Work& work) {
  constexpr py::ssize_t worth_a_thread = 512;
  const auto most = std::max<py::ssize_t>(1, count / worth_a_thread);
  const auto shares = std::min<py::ssize_t>(std::max(1U, threads), most);
  std::vector<std::optional<IndexedError>> failed(static_cast<std::size_t>(shares));
  std::vector<std::exception_ptr> thrown(failed.size());
  const auto share = [&](py::ssize_t i) {
    try {
      failed[static_cast<std::size_t>(i)] = work(count * i / shares, count * (i + 1) / shares);
    } catch (...) {
      thrown[static_cast<std::size_t>(i)] = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  others.reserve(static_cast<std::size_t>(shares) - 1);
  for (py::ssize_t i = 1; i < shares; ++i) others.emplace_back(share, i);
  share(0);
  for (std::thread& other : others) other.join();
  for (const std::exception_ptr& problem : thrown)
    if (problem) std::rethrow_exception(problem);
  for (std::optional<IndexedError>& first : failed)
    if (first) return std::move(first);
  return std::nullopt;
}

}  // namespace ricochet::python
