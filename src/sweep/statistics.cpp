#include "ricochet/sweep/statistics.hpp"

#include <array>
#include <cmath>

namespace ricochet::sweep {

Moments moments(std::span<const double> numbers, std::span<const std::uint64_t> at) {
  Moments out;
  // From the first number, so that equal numbers have their mean and no variance, without rounding.
  double origin = 0, sum = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double x = numbers[i];
    if (std::isnan(x)) continue;
    if (std::isinf(x)) {
      ++out.infinite;
      continue;
    }
    if (out.count++ == 0) origin = x;
    sum += x - origin;
    if (x < out.least) {
      out.least = x;
      out.least_at = at[i];
    }
    if (x > out.greatest) {
      out.greatest = x;
      out.greatest_at = at[i];
    }
  }
  if (out.count == 0) return out;
  out.mean = origin + sum / static_cast<double>(out.count);
  for (const double x : numbers)
    if (std::isfinite(x)) out.squares += (x - out.mean) * (x - out.mean);
  return out;
}

Moments moments_of_block(std::span<const double> numbers, std::uint64_t first, double centre) {
  std::array<LaneMoments<>, lanes> each;
  for (std::size_t i = 0; i < numbers.size(); ++i) each[i % lanes].add(numbers[i], first + i, centre);
  for (std::size_t half = lanes / 2; half > 0; half /= 2)
    for (std::size_t l = 0; l < half; ++l) each[l].add(each[l + half]);
  return each[0].moments(centre);
}

void Histogram::add(const Bins& bins, double x) {
  if (std::isnan(x)) return;
  if (x < bins.low) {
    ++below;
  } else if (x > bins.high) {
    ++above;
  } else {
    ++counts[bins.place(x)];
  }
}

void Histogram::merge(const Histogram& other) {
  below += other.below;
  above += other.above;
  for (std::size_t k = 0; k < counts.size(); ++k) counts[k] += other.counts[k];
}

void IndexTerms::merge(const IndexTerms& after) {
  both.merge(after.both);
  for (std::size_t k = 0; k < first.size(); ++k) {
    first[k].merge(after.first[k]);
    total[k].merge(after.total[k]);
  }
}

void LawStatistics::merge(const LawStatistics& after) {
  answered += after.answered;
  permissible += after.permissible;
  for (std::size_t k = 0; k < refused.size(); ++k) refused[k] += after.refused[k];
  for (std::size_t k = 0; k < modes.size(); ++k) modes[k] += after.modes[k];
  for (std::size_t k = 0; k < violated.size(); ++k) violated[k] += after.violated[k];
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    outputs[k].moments.merge(after.outputs[k].moments);
    outputs[k].histogram.merge(after.outputs[k].histogram);
    outputs[k].indices.merge(after.outputs[k].indices);
  }
}

void Statistics::merge(const Statistics& after) {
  for (std::size_t k = 0; k < laws.size(); ++k) laws[k].merge(after.laws[k]);
}

}  // namespace ricochet::sweep
