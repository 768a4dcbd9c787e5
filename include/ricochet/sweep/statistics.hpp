#pragma once
/// Statistics that are gathered block by block and merged (docs/sweep.md).

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ricochet/base/error.hpp"
#include "ricochet/sweep/moments.hpp"

namespace ricochet::sweep {

/// Numbers without an answer are NaN and left out. `at[i]` is the index of the sample of numbers[i].
[[nodiscard]] Moments moments(std::span<const double> numbers, std::span<const std::uint64_t> at);
/// Of the samples of a block, the first of which has the index `first`, by lanes (SW6). `centre` is near their mean.
[[nodiscard]] Moments moments_of_block(std::span<const double> numbers, std::uint64_t first, double centre);

/// Bin k counts low + k w ≤ x < low + (k + 1) w; the last one includes high.
struct Histogram {
  std::uint64_t below = 0, above = 0;
  std::vector<std::uint64_t> counts;

  void add(const Bins& bins, double x);
  void merge(const Histogram& other);
};

/// Terms of the sensitivity indices of one output.
struct IndexTerms {
  Moments both;                       ///< f(A) and f(B) of samples all of whose collisions have an answer
  std::vector<Moments> first, total;  ///< for each axis, the terms of (SW7) and (SW8)

  void merge(const IndexTerms& after);
};

struct OutputStatistics {
  Moments moments;
  Histogram histogram;
  IndexTerms indices;  ///< empty unless asked for
};

struct LawStatistics {
  std::uint64_t answered = 0, permissible = 0;
  std::array<std::uint64_t, 16> refused{};  ///< by ErrorCode
  std::array<std::uint64_t, 6> modes{};     ///< by Mode
  std::array<std::uint64_t, 4> violated{};  ///< by Condition
  std::vector<OutputStatistics> outputs;    ///< in the order of the spec

  void merge(const LawStatistics& after);
};

struct Statistics {
  std::vector<LawStatistics> laws;  ///< in the order of the spec

  void merge(const Statistics& after);
};

}  // namespace ricochet::sweep
