#pragma once
/// exp and log of doubles by sums and products alone, in a fixed order: the same bits with every C library and on a
/// device, to about a unit in the last place. Code that uses them is compiled without contraction of products and sums.

#include <cmath>

#include "ricochet/base/linear.hpp"

namespace ricochet {

namespace elementary_detail {

/// ln 2 to so few digits that its products with exponents are exact, and the rest.
inline constexpr double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;

}  // namespace elementary_detail

/// ln x of a finite x > 0. With x = 2^k m, √½ ≤ m < √2, and f = (m − 1)/(m + 1),
///   ln m = 2 (f + f³/3 + f⁵/5 + …),  |f| < 0.172.
[[nodiscard]] RICOCHET_HD inline double fixed_log(double x) {
  int k = 0;
  double m = std::frexp(x, &k);  // exact
  if (m < 0x1.6a09e667f3bcdp-1) {
    m *= 2;
    --k;
  }
  const double d = m - 1, f = d / (m + 1), square = f * f;
  double sum = 0;
  for (int n = 23; n >= 3; n -= 2) sum = square * (1.0 / n + sum);
  // 2 f = d − f d, of which d is exact.
  return k * elementary_detail::ln2_high + (d - (f * (d - 2 * sum) - k * elementary_detail::ln2_low));
}

/// eˣ of a finite x. With x = k ln 2 + r, |r| ≤ ½ ln 2, by the series of e^r.
[[nodiscard]] RICOCHET_HD inline double fixed_exp(double x) {
  if (x > 800) x = 800;  // beyond the largest and the least double
  if (x < -800) x = -800;
  const int k = static_cast<int>(x * 0x1.71547652b82fep+0 + (x < 0 ? -0.5 : 0.5));
  const double high = x - k * elementary_detail::ln2_high, r = high - k * elementary_detail::ln2_low;
  double sum = 0;
  for (int n = 14; n >= 2; --n) sum = r / n * (1 + sum);
  return std::ldexp(1 + (r + r * sum), k);
}

}  // namespace ricochet
