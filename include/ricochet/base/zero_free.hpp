#pragma once
/// Discs without zeros of a polynomial, by root squaring. A function that is analytic in a disc about the middle of an
/// interval is integrated over it by Gauss quadrature with a known number of points; this finds how long the interval
/// may be, without finding the zeros themselves.

#include <cmath>

#include "ricochet/base/polynomial.hpp"

namespace ricochet {

/// Whether c₀ + c₁x + … + c₄x⁴ surely has no zero, real or complex, with |x| ≤ radius. Where it says no, there may be
/// one within 1.24 times the radius: three squarings of the zeros leave a polynomial in x⁸, which has no zero in the
/// disc if its first coefficient is larger than all others together. Numbers that overflow say no.
template <class T>
[[nodiscard]] RICOCHET_HD bool zero_free(const Coefficients<T, 4>& c, T radius) {
  using std::abs;
  const T scale = T(1) / c[0], square = radius * radius;
  T c_1 = c[1] * radius * scale, c_2 = c[2] * square * scale, c_3 = c[3] * (square * radius) * scale,
    c_4 = c[4] * (square * square) * scale;
  for (int i = 0; i < 3; ++i) {
    const T d_1 = T(2) * c_2 - c_1 * c_1;
    const T d_2 = c_2 * c_2 + T(2) * (c_4 - c_1 * c_3);
    const T d_3 = T(2) * c_2 * c_4 - c_3 * c_3;
    c_4 *= c_4;
    c_1 = d_1;
    c_2 = d_2;
    c_3 = d_3;
  }
  return abs(c_1) + abs(c_2) + abs(c_3) + c_4 < T(1);
}

}  // namespace ricochet
