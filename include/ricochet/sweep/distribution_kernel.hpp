#pragma once
/// Numbers of a distribution from uniform ones (SW3), docs/sweep.md, as a kernel: a thread of a device draws what the
/// processor draws, bit for bit.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ricochet/base/elementary.hpp"
#include "ricochet/base/linear.hpp"

namespace ricochet::sweep {

enum class DistributionKind : std::uint8_t { uniform, log_uniform, normal, values };

namespace distribution_detail {

template <std::size_t N>
[[nodiscard]] RICOCHET_HD double horner(const double (&coefficients)[N], double x) {
  double sum = 0;
  for (const double c : coefficients) sum = sum * x + c;
  return sum;
}

[[nodiscard]] RICOCHET_HD inline double between(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

}  // namespace distribution_detail

/// The middle of one of 2^52 parts of (0, 1), so that neither end is met.                               (SW1)
[[nodiscard]] RICOCHET_HD inline double open_unit(std::uint64_t bits) {
  // 1 + k 2⁻⁵² by its digits, and from that 1 − 2⁻⁵³, which is exact.
  constexpr std::uint64_t one = 0x3FF0000000000000;
  return __builtin_bit_cast(double, one | bits >> 12U) - (1 - 0x1p-53);
}

/// Φ⁻¹(u), to rounding (Wichura 1988).
[[nodiscard]] RICOCHET_HD inline double normal_quantile(double u) {
  const double q = u - 0.5;
  if (std::abs(q) <= 0.425) {
    constexpr double above[]{2.5090809287301226727e+3, 3.3430575583588128105e+4, 6.7265770927008700853e+4,
                             4.5921953931549871457e+4, 1.3731693765509461125e+4, 1.9715909503065514427e+3,
                             1.3314166789178437745e+2, 3.3871328727963666080e+0};
    constexpr double below[]{
        5.2264952788528545610e+3, 2.8729085735721942674e+4, 3.9307895800092710610e+4, 2.1213794301586595867e+4,
        5.3941960214247511077e+3, 6.8718700749205790830e+2, 4.2313330701600911252e+1, 1.0};
    const double r = 0.180625 - q * q;
    return q * distribution_detail::horner(above, r) / distribution_detail::horner(below, r);
  }
  double r = std::sqrt(-fixed_log(q < 0 ? u : 1 - u)), x = 0;
  if (r <= 5) {
    constexpr double above[]{7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
                             1.27045825245236838258e+0, 3.64784832476320460504e+0, 5.76949722146069140550e+0,
                             4.63033784615654529590e+0, 1.42343711074968357734e+0};
    constexpr double below[]{
        1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
        6.89767334985100004550e-1, 1.67638483018380384940e+0, 2.05319162663775882187e+0, 1.0};
    r -= 1.6;
    x = distribution_detail::horner(above, r) / distribution_detail::horner(below, r);
  } else {
    constexpr double above[]{2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
                             2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580e+0,
                             5.46378491116411436990e+0, 6.65790464350110377720e+0};
    constexpr double below[]{
        2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
        1.48753612908506148525e-2,  1.36929880922735805310e-1, 5.99832206555887937690e-1, 1.0};
    r -= 5;
    x = distribution_detail::horner(above, r) / distribution_detail::horner(below, r);
  }
  return q < 0 ? -x : x;
}

/// A distribution in numbers: the ends of its range, of log-uniform also their logarithms; mean and deviation of a
/// normal one; how many values.
struct DistributionNumbers {
  DistributionKind kind = DistributionKind::uniform;
  double low = 0, high = 1;
  double log_low = 0, log_high = 0;
  double mean = 0, deviation = 1;
  const double* values = nullptr;
  std::size_t size = 0;
};

/// The number below which the share u of all lies, 0 < u < 1.                                            (SW3)
[[nodiscard]] RICOCHET_HD inline double quantile(const DistributionNumbers& d, double u) {
  using distribution_detail::between;
  switch (d.kind) {
    // Rounding must not lead out of the range, whose ends may be those that a law admits.
    case DistributionKind::uniform: return between(d.low + (d.high - d.low) * u, d.low, d.high);
    case DistributionKind::log_uniform:
      return between(fixed_exp(d.log_low + (d.log_high - d.log_low) * u), d.low, d.high);
    case DistributionKind::normal: return d.mean + d.deviation * normal_quantile(u);
    case DistributionKind::values: break;
  }
  const auto place = static_cast<std::size_t>(u * static_cast<double>(d.size));
  return d.values[place < d.size ? place : d.size - 1];
}

/// Point k of a grid of `points`, both ends of the range included. Not of a normal distribution.         (SW4)
[[nodiscard]] RICOCHET_HD inline double grid_point(const DistributionNumbers& d, std::uint64_t k,
                                                   std::uint64_t points) {
  if (d.kind == DistributionKind::values) return d.values[k];
  if (k == 0) return d.low;
  if (k + 1 == points) return d.high;
  return quantile(d, static_cast<double>(k) / static_cast<double>(points - 1));
}

}  // namespace ricochet::sweep
