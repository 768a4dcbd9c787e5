#pragma once
/// Radial integrals of the permissible region, docs/impulse-space.md (S23):
///   E_km(u) = ∫₀¹ s^k (1 + u s²)^−m ds,  u ≥ 0.
/// Each is a sum of positive terms and of one special function, so that it is accurate to rounding from u = 0 (a
/// direction in which the contact cannot move, or a narrow cone) to u → ∞:
///   (k + 1) E_km = y^(m−1) + (2m − 3 − k) u E_k+2,m,   E_km = E_k,m+1 + u E_k+2,m+1,   y = 1/(1 + u)            (S24)
///   E_85 = y^(9/2) G / 9,   G = 9 ∫₀^α sin⁸ / sin⁹ α,   u = tan² α                                              (S25)
/// G is a smooth function of tan²(α/2) on [0, 1], here the polynomial through 17 Chebyshev points (3e-21).

#include <cstddef>

#include "ricochet/base/lanes.hpp"
#include "ricochet/base/table_scalar.hpp"

namespace ricochet {

namespace radial_detail {

/// In powers of 2 tan²(α/2) − 1.
template <class T>
struct SineIntegral {
  T c[17] = {
      T(2.07849757131575398855179L),        T(1.38225364302636901713452L),      T(0.350680517532792717093697L),
      T(0.050486809048042512537686L),       T(0.00363907871160669679553961L),   T(0.0000752733322750729751618139L),
      T(-0.00000136984916313731617143097L), T(6.68588102541142297567844e-8L),   T(-4.92239933854017207014287e-9L),
      T(4.63723529386377137299244e-10L),    T(-5.17474538881198324407467e-11L), T(6.54668230729243668062702e-12L),
      T(-9.12821491523033107819818e-13L),   T(1.36546424150865482996954e-13L),  T(-2.19225030750812862855595e-14L),
      T(4.33456305522298548991405e-15L),    T(-7.79256721312067676542319e-16L)};
};

/// Local to a function: a variable at namespace scope would not be reachable in device code.
template <class T>
[[nodiscard]] RICOCHET_HD const SineIntegral<TableScalar<T>>& sine_integral() {
  static constexpr SineIntegral<TableScalar<T>> table{};
  return table;
}

}  // namespace radial_detail

/// E_km at an array of u, `fifth` with those of m = 5.
template <class T, bool fifth = false>
struct RadialIntegrals {
  Lanes<T> E13, E23, E33, E43;
  Lanes<T> E14, E24, E34, E44, E54, E64;
  Lanes<T> E15, E25, E35, E45, E55, E65, E75, E85;  ///< the first five only if `fifth`

  /// y = 1/(1 + u) as it is known best.
  RICOCHET_HD RadialIntegrals(const Lanes<T>& u, const Lanes<T>& y) {
    using A = Lanes<T>;
    const auto& c = radial_detail::sine_integral<T>().c;
    const A z = y.sqrt();  // cos α
    const A v = T(2) * (T(1) - z) / (T(1) + z) - T(1);
    const A v_2 = v * v, v_4 = v_2 * v_2, v_8 = v_4 * v_4;
    const auto four = [&](std::size_t i) -> A { return (c[i] + c[i + 1] * v) + (c[i + 2] + c[i + 3] * v) * v_2; };
    const A G = (four(0) + four(4) * v_4) + ((four(8) + four(12) * v_4) + c[16] * v_8) * v_8;
    const A y_2 = y * y, y_3 = y_2 * y, y_4 = y_2 * y_2;
    E85 = y_4 * z * G * T(1.0L / 9);
    const A uE85 = u * E85;
    E65 = (y_4 + uE85) * T(1.0L / 7);
    E64 = E65 + uE85;
    E44 = (y_3 + u * E64) * T(1.0L / 5);
    E24 = (y_3 + T(3) * u * E44) * T(1.0L / 3);
    E54 = y_3 * T(1.0L / 6);
    E34 = (y_3 + T(2) * u * E54) * T(0.25);
    E14 = (y_3 + T(4) * u * E34) * T(0.5);
    E43 = E44 + u * E64;
    E23 = (y_2 + u * E43) * T(1.0L / 3);
    E33 = y_2 * T(0.25);
    E13 = (y_2 + T(2) * u * E33) * T(0.5);
    if constexpr (fifth) {
      E45 = (y_4 + T(3) * u * E65) * T(1.0L / 5);
      E25 = (y_4 + T(5) * u * E45) * T(1.0L / 3);
      E75 = y_4 * T(1.0L / 8);
      E55 = (y_4 + T(2) * u * E75) * T(1.0L / 6);
      E35 = (y_4 + T(4) * u * E55) * T(0.25);
      E15 = (y_4 + T(6) * u * E35) * T(0.5);
    }
  }
};

}  // namespace ricochet
