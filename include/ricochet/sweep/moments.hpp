#pragma once
/// Moments of numbers and places in a histogram (docs/sweep.md), as kernels: the processor and a device add the same
/// numbers in the same order.

#include <cmath>
#include <cstdint>
#include <limits>

#include "ricochet/base/linear.hpp"

namespace ricochet::sweep {

/// Count, mean, sum of squared deviations and extremes of numbers, each with the index of a sample.
struct Moments {
  std::uint64_t count = 0;     ///< of finite ones
  std::uint64_t infinite = 0;  ///< infinite ones, which no other number here includes
  double mean = 0, squares = 0;
  double least = std::numeric_limits<double>::infinity(), greatest = -std::numeric_limits<double>::infinity();
  std::uint64_t least_at = 0, greatest_at = 0;  ///< of the first sample that has it

  /// Σ (x − mean)² / (count − 1); 0 of less than two.
  [[nodiscard]] double variance() const { return count < 2 ? 0 : squares / static_cast<double>(count - 1); }
  /// Numbers that come after these.                                                                       (SW6)
  RICOCHET_HD void merge(const Moments& after) {
    infinite += after.infinite;
    if (after.count == 0) return;
    if (count == 0) {
      const std::uint64_t others = infinite;
      *this = after;
      infinite = others;
      return;
    }
    const auto a = static_cast<double>(count), b = static_cast<double>(after.count), both = a + b;
    const double step = after.mean - mean;
    mean += step * (b / both);
    squares += after.squares + step * step * (a * (b / both));
    if (after.least < least) {
      least = after.least;
      least_at = after.least_at;
    }
    if (after.greatest > greatest) {
      greatest = after.greatest;
      greatest_at = after.greatest_at;
    }
    count += after.count;
  }
};

/// Sample i of a block belongs to lane i mod 32: as many as the threads that a device runs in step.
inline constexpr std::size_t lanes = 32;

/// What one lane sums up, relative to a number near the mean, of which nothing is lost then. Sums of deviations and of
/// their squares need one look at each number; the mean need not be known before.
template <class Index = std::uint64_t>
struct LaneMoments {
  double sum = 0, squares = 0;
  double least = std::numeric_limits<double>::infinity(), greatest = -std::numeric_limits<double>::infinity();
  Index least_at = 0, greatest_at = 0;
  unsigned count = 0, infinite = 0;

  RICOCHET_HD void add(double x, Index at, double centre) {
    const double d = x - centre;
    if (!(0 * d == 0)) {  // infinite, or NaN, which is no number
      if (x == x) ++infinite;
      return;
    }
    ++count;
    sum += d;
    squares += d * d;
    if (x < least) {
      least = x;
      least_at = at;
    }
    if (x > greatest) {
      greatest = x;
      greatest_at = at;
    }
  }
  /// Of another lane.
  RICOCHET_HD void add(const LaneMoments& other) {
    sum += other.sum;
    squares += other.squares;
    if (other.least < least || (other.least == least && other.least_at < least_at)) {
      least = other.least;
      least_at = other.least_at;
    }
    if (other.greatest > greatest || (other.greatest == greatest && other.greatest_at < greatest_at)) {
      greatest = other.greatest;
      greatest_at = other.greatest_at;
    }
    count += other.count;
    infinite += other.infinite;
  }
  /// Σ (x − m)² = Σ (x − c)² − (Σ (x − c))²/n. Indices count from `first`.
  [[nodiscard]] RICOCHET_HD Moments moments(double centre, std::uint64_t first = 0) const {
    Moments out;
    out.count = count;
    out.infinite = infinite;
    if (count == 0) return out;
    const double shift = sum / count, rest = squares - shift * sum;
    out.mean = centre + shift;
    out.squares = rest > 0 ? rest : 0;
    out.least = least;
    out.greatest = greatest;
    out.least_at = first + least_at;
    out.greatest_at = first + greatest_at;
    return out;
  }
};

struct Bins {
  double low = 0, high = 1;
  std::uint32_t count = 50;

  [[nodiscard]] RICOCHET_HD double scale() const { return count / (high - low); }
  /// Of a number from low to high.                                                                         (SW5)
  [[nodiscard]] RICOCHET_HD std::uint32_t place(double x) const { return place(x, scale()); }
  [[nodiscard]] RICOCHET_HD std::uint32_t place(double x, double scale) const {
    const auto k = static_cast<std::uint32_t>((x - low) * scale);
    return k < count ? k : count - 1;
  }
};

}  // namespace ricochet::sweep
