#pragma once
/// Statistics that are gathered block by block and merged (docs/sweep.md).

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "ricochet/base/error.hpp"

namespace ricochet::sweep {

/// Count, mean, sum of squared deviations and extremes of numbers, each with the index of a sample.
struct Moments {
  std::uint64_t count = 0;     ///< of finite ones
  std::uint64_t infinite = 0;  ///< infinite ones, which no other number here includes
  double mean = 0, squares = 0;
  double least = std::numeric_limits<double>::infinity(), greatest = -std::numeric_limits<double>::infinity();
  std::uint64_t least_at = 0, greatest_at = 0;  ///< of the first sample that has it

  /// Σ (x − mean)² / (count − 1); 0 of less than two.
  [[nodiscard]] double variance() const;
  /// Numbers that come after these.                                                                       (SW6)
  void merge(const Moments& after);
};
/// NaN stands for a collision without an answer and is left out. `at[i]` is the index of the sample of numbers[i].
[[nodiscard]] Moments moments(std::span<const double> numbers, std::span<const std::uint64_t> at);

struct Bins {
  double low = 0, high = 1;
  std::uint32_t count = 50;
};

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
