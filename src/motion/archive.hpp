#pragma once
/// The state of a simulation as bytes, exact: one function names what is kept, for writing and for reading.

#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ricochet/mechanism/response.hpp"

namespace ricochet::motion {

class Writing {
 public:
  static constexpr bool reads = false;
  std::string bytes;

  void raw(void* data, std::size_t size) {
    if (size > 0) bytes.append(static_cast<const char*>(data), size);
  }
  [[nodiscard]] bool good() const { return true; }
};

class Reading {
 public:
  static constexpr bool reads = true;
  explicit Reading(std::string_view bytes) : bytes_(bytes) {}

  void raw(void* data, std::size_t size) {
    if (size == 0) return;  // of nothing there may be no address
    if (size > bytes_.size()) {
      good_ = false;
      std::memset(data, 0, size);
      return;
    }
    std::memcpy(data, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }
  [[nodiscard]] bool good() const { return good_; }
  void spoil() { good_ = false; }
  [[nodiscard]] bool at_end() const { return bytes_.empty(); }
  /// A length that the remaining bytes can hold.
  [[nodiscard]] std::uint64_t plausible(std::uint64_t length) {
    if (length <= bytes_.size()) return length;
    good_ = false;
    return 0;
  }

 private:
  std::string_view bytes_;
  bool good_ = true;
};

template <class Archive, class T>
requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void keep(Archive& ar, T& x) { ar.raw(&x, sizeof x); }
template <class Archive>
void keep(Archive& ar, Vec3& v) {
  ar.raw(v.data(), 3 * sizeof(double));
}
template <class Archive>
void keep(Archive& ar, Eigen::Vector4d& v) {
  ar.raw(v.data(), 4 * sizeof(double));
}
template <class Archive>
void keep(Archive& ar, Quaternion& q) {
  ar.raw(q.coeffs().data(), 4 * sizeof(double));
}
template <class Archive>
void keep_length(Archive& ar, std::uint64_t& length) {
  keep(ar, length);
  if constexpr (Archive::reads) length = ar.plausible(length);
}
template <class Archive>
void keep(Archive& ar, VecX& v) {
  auto length = static_cast<std::uint64_t>(v.size());
  keep_length(ar, length);
  if constexpr (Archive::reads) v.resize(static_cast<Eigen::Index>(length));
  ar.raw(v.data(), length * sizeof(double));
}
template <class Archive, class T>
void keep(Archive& ar, std::vector<T>& values) {
  std::uint64_t length = values.size();
  keep_length(ar, length);
  if constexpr (Archive::reads) values.resize(length);
  for (T& x : values) keep(ar, x);
}
template <class Archive, class K, class T>
void keep(Archive& ar, std::map<K, T>& values) {
  std::uint64_t length = values.size();
  keep_length(ar, length);
  if constexpr (Archive::reads) {
    for (std::uint64_t i = 0; i < length; ++i) {
      K key{};
      keep(ar, key);
      keep(ar, values[key]);
    }
  } else {
    for (auto& [key, value] : values) {
      K copy = key;
      keep(ar, copy);
      keep(ar, value);
    }
  }
}
template <class Archive, class A, class B>
void keep(Archive& ar, std::pair<A, B>& p) {
  keep(ar, p.first);
  keep(ar, p.second);
}
template <class Archive, class T>
void keep(Archive& ar, std::optional<T>& x) {
  bool has = x.has_value();
  keep(ar, has);
  if constexpr (Archive::reads) x = has ? std::optional<T>(T{}) : std::nullopt;
  if (has) keep(ar, *x);
}

}  // namespace ricochet::motion
