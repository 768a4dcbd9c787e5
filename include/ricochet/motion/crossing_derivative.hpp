#pragma once
/// How a crossing moves with the coefficients of its gap (docs/motion.md (EV9)).

#include <cstddef>

#include "ricochet/base/dual.hpp"
#include "ricochet/base/polynomial.hpp"

namespace ricochet::motion {

/// A crossing at `t`, with its derivatives. They are infinite or not a number where the gap crosses with zero slope.
template <int n, int N>
[[nodiscard]] Dual<N> crossing_time(const Coefficients<Dual<N>, n>& c, double t) {
  Dual<N> moved(0);  // Σ dc_i tⁱ
  double slope = 0, value = 0;
  for (std::size_t i = n + 1; i-- > 0;) {
    slope = slope * t + value;
    value = value * t + c[i].v;
    for (std::size_t k = 0; k < N; ++k) moved.d[k] = moved.d[k] * t + c[i].d[k];
  }
  Dual<N> out(t);
  for (std::size_t k = 0; k < N; ++k) out.d[k] = -moved.d[k] / slope;
  return out;
}

}  // namespace ricochet::motion
