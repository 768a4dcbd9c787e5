#pragma once
/// How an input of a sweep is distributed (docs/sweep.md).

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ricochet/sweep/distribution_kernel.hpp"

namespace ricochet::sweep {

/// "uniform", "log-uniform", "normal", "values"
[[nodiscard]] std::string_view name(DistributionKind kind);

struct Distribution {
  DistributionKind kind = DistributionKind::uniform;
  double low = 0, high = 1;        ///< uniform, log-uniform
  double mean = 0, deviation = 1;  ///< normal
  std::vector<double> values;      ///< each as likely as the others

  /// The number below which the share u of all lies, 0 < u < 1.                                          (SW3)
  [[nodiscard]] double quantile(double u) const;
  /// Point k of a grid of `points`, both ends of the range included. Not of a normal distribution.       (SW4)
  [[nodiscard]] double grid_point(std::uint64_t k, std::uint64_t points) const;
  /// For kernels; points to `values`.
  [[nodiscard]] DistributionNumbers numbers() const;
};

}  // namespace ricochet::sweep
