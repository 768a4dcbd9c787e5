#pragma once
/// Gauss–Legendre quadrature with 16 points: exact for polynomials up to degree 31, and to rounding for a trigonometric
/// polynomial of low degree over less than a quarter turn.

#include <array>
#include <cstddef>

#include "ricochet/base/linear.hpp"
#include "ricochet/base/table_scalar.hpp"

namespace ricochet {

template <class T>
struct GaussLegendre {
  static constexpr std::size_t size = 16;
  T x[8] = {T(0.0950125098376374401741L), T(0.281603550779258913231L), T(0.458016777657227386350L),
            T(0.617876244402643748452L),  T(0.755404408355003033891L), T(0.865631202387831743866L),
            T(0.944575023073232576090L),  T(0.989400934991649932601L)};  ///< positive nodes on [−1, 1]
  T w[8] = {T(0.189450610455068496247L),  T(0.182603415044923588872L), T(0.169156519395002538278L),
            T(0.149595988816576732093L),  T(0.124628971255533872008L), T(0.0951585116824927848073L),
            T(0.0622535239386478927781L), T(0.0271524594117540947735L)};

  /// Node i on [0, 1], i < 16, and its weight.
  [[nodiscard]] RICOCHET_HD constexpr T node(std::size_t i) const {
    return (i % 2 == 0 ? T(1) + x[i / 2] : T(1) - x[i / 2]) / T(2);
  }
  [[nodiscard]] RICOCHET_HD constexpr T weight(std::size_t i) const { return w[i / 2] / T(2); }
};

/// Local to a function: a variable at namespace scope would not be reachable in device code.
template <class T>
[[nodiscard]] RICOCHET_HD const GaussLegendre<TableScalar<T>>& gauss_legendre() {
  static constexpr GaussLegendre<TableScalar<T>> table{};
  return table;
}

/// The same 16 points on [−1, 1] with weights for the integral and for the last two coefficients of a Legendre series,
/// which tell how well the points resolve a function: for an analytic one the error of the integral is of the order of
/// their square.
template <class T>
struct GaussPanel {
  static constexpr int size = 16;
  T x[16]{}, w[16]{}, c_14[16]{}, c_15[16]{};

  RICOCHET_HD constexpr GaussPanel() {
    const GaussLegendre<T> half{};
    for (int i = 0; i < 16; ++i) {
      x[i] = i % 2 == 0 ? half.x[i / 2] : -half.x[i / 2];
      w[i] = half.w[i / 2];
      T before = T(1), legendre = x[i];
      for (int k = 1; k < 15; ++k) {
        const T next = (T(2 * k + 1) * x[i] * legendre - T(k) * before) / T(k + 1);
        before = legendre;
        legendre = next;
      }
      c_14[i] = w[i] * before * T(29) / T(2);
      c_15[i] = w[i] * legendre * T(31) / T(2);
    }
  }
};

template <class T>
[[nodiscard]] RICOCHET_HD const GaussPanel<TableScalar<T>>& gauss_panel() {
  static constexpr GaussPanel<TableScalar<T>> table{};
  return table;
}

}  // namespace ricochet
