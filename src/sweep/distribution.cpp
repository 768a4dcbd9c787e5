#include "ricochet/sweep/distribution.hpp"

namespace ricochet::sweep {

std::string_view name(DistributionKind kind) {
  switch (kind) {
    case DistributionKind::uniform: return "uniform";
    case DistributionKind::log_uniform: return "log-uniform";
    case DistributionKind::normal: return "normal";
    case DistributionKind::values: return "values";
  }
  return "unknown";
}

DistributionNumbers Distribution::numbers() const {
  DistributionNumbers out{kind, low, high, 0, 0, mean, deviation, values.data(), values.size()};
  if (kind == DistributionKind::log_uniform) {
    out.log_low = fixed_log(low);
    out.log_high = fixed_log(high);
  }
  return out;
}

double Distribution::quantile(double u) const { return sweep::quantile(numbers(), u); }

double Distribution::grid_point(std::uint64_t k, std::uint64_t points) const {
  return sweep::grid_point(numbers(), k, points);
}

}  // namespace ricochet::sweep
