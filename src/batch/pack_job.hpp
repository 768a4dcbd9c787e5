#pragma once
/// What a loop over packs is told. Each vector width has loops of its own, compiled with the flags for it
/// (pack_avx512.cpp and so on) and chosen at run time (packs.cpp).

#include <array>
#include <cstddef>
#include <cstdint>

#include "ricochet/base/parameter.hpp"
#include "ricochet/batch/columns.hpp"

namespace ricochet::batch_detail {

/// The laws that are written for packs.
enum class PackLaw : std::uint8_t { frictionless, chatterjee_ruina, bilinear, brach, pfeiffer_glocker };
inline constexpr std::size_t pack_laws = 5;
inline constexpr std::size_t most_parameters = 4;

template <class T>
struct PackParameter {
  Column<const T> values;  ///< a stride of 0 for one number
  Interval bounds;
};

struct Refusals {
  std::size_t count = 0;
  std::size_t first = 0;  ///< where there are any

  void add(std::size_t i) {
    if (count++ == 0 || i < first) first = i;
  }
  void add(const Refusals& other) {
    if (other.count == 0) return;
    if (count == 0 || other.first < first) first = other.first;
    count += other.count;
  }
};

template <class T>
struct PackJob {
  ContactColumns<T> contacts;
  OutcomeColumns<T> outcomes;
  std::array<PackParameter<T>, most_parameters> parameters;  ///< in the order of `pack_parameters`
  const void* context = nullptr;
  bool (*decide)(const void* context, std::size_t i) = nullptr;  ///< answers an open collision; false: refused
};

/// The collisions begin to end.
template <class T>
using PackLoop = Refusals (*)(const PackJob<T>& job, std::size_t begin, std::size_t end);
template <class T>
using PackLoops = std::array<PackLoop<T>, pack_laws>;

[[nodiscard]] const PackLoops<double>& double_loops_sse2();
[[nodiscard]] const PackLoops<float>& float_loops_sse2();
#if defined(__x86_64__)
[[nodiscard]] const PackLoops<double>& double_loops_avx2();
[[nodiscard]] const PackLoops<float>& float_loops_avx2();
[[nodiscard]] const PackLoops<double>& double_loops_avx512();
[[nodiscard]] const PackLoops<float>& float_loops_avx512();
#endif

}  // namespace ricochet::batch_detail
