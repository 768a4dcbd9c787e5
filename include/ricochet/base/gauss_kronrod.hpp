#pragma once
/// Globally adaptive quadrature of a vector-valued function with the Gauss–Kronrod pair of 7 and 15 points. No
/// allocation: at most `capacity` intervals.

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "ricochet/base/dual.hpp"
#include "ricochet/base/linear.hpp"
#include "ricochet/base/table_scalar.hpp"

namespace ricochet {

template <class T>
struct GaussKronrod {
  static constexpr std::size_t size = 15;
  /// Positive half with the centre first; the even entries are the 7 Gauss points.
  T x[8] = {T(0.0L),
            T(0.2077849550078984676007L),
            T(0.4058451513773971669066L),
            T(0.5860872354676911302941L),
            T(0.7415311855993944398639L),
            T(0.8648644233597690727897L),
            T(0.9491079123427585245262L),
            T(0.9914553711208126392069L)};
  T kronrod[8] = {T(0.2094821410847278280130L), T(0.2044329400752988924142L), T(0.1903505780647854099133L),
                  T(0.1690047266392679028266L), T(0.1406532597155259187452L), T(0.1047900103222501838399L),
                  T(0.0630920926299785532907L), T(0.0229353220105292249637L)};
  T gauss[4] = {T(0.4179591836734693877551L), T(0.3818300505051189449504L), T(0.2797053914892766679015L),
                T(0.1294849661688696932706L)};
};

/// Local to a function: a variable at namespace scope would not be reachable in device code.
template <class T>
[[nodiscard]] RICOCHET_HD const GaussKronrod<TableScalar<T>>& gauss_kronrod() {
  static constexpr GaussKronrod<TableScalar<T>> table{};
  return table;
}

/// ∫ f over one interval, and an estimate of its error.
template <class T, int n>
struct QuadraturePiece {
  using Vector = Eigen::Matrix<T, n, 1>;
  T a, b;
  Vector value, error;
};

template <class T, int n, class Function>
[[nodiscard]] RICOCHET_HD QuadraturePiece<T, n> integrate_piece(const Function& function, T a, T b) {
  using std::abs;
  using std::pow;
  using Vector = Eigen::Matrix<T, n, 1>;
  const auto& table = gauss_kronrod<T>();
  QuadraturePiece<T, n> piece{a, b, Vector::Zero(), Vector::Zero()};
  Vector gauss = Vector::Zero();
  std::array<Vector, 15> f;
  const T half = (b - a) / T(2);
  const T centre = a + half;
  for (std::size_t i = 0; i < 15; ++i) {
    const std::size_t node = (i + 1) / 2;
    const T x = table.x[node] * (i % 2 == 0 ? T(1) : T(-1));
    f[i] = function(centre + half * x);
    const T weight = half * table.kronrod[node];
    piece.value += weight * f[i];
    if (node % 2 == 0) gauss += half * table.gauss[node / 2] * f[i];
  }
  // The usual estimate of Gauss–Kronrod pairs: the difference, sharpened where it is already small against the
  // variation of the integrand.
  using S = ValueScalar<T>;
  for (int j = 0; j < n; ++j) {
    const S mean = value_of(piece.value(j)) / value_of(b - a);
    S variation(0);
    for (std::size_t i = 0; i < 15; ++i)
      variation += value_of(half) * S(table.kronrod[(i + 1) / 2]) * abs(value_of(f[i](j)) - mean);
    const S difference = abs(value_of(piece.value(j)) - value_of(gauss(j)));
    S error = difference;
    if (variation > S(0) && difference > S(0)) {
      const S sharp = variation * pow(S(200) * difference / variation, S(1.5));
      if (sharp < difference) error = sharp;
    }
    piece.error(j) = T(error);
  }
  return piece;
}

template <class T, int n>
struct Quadrature {
  Eigen::Matrix<T, n, 1> value;
  T error = T(0);  ///< estimated, relative, the largest over the components
  bool converged = false;
};

/// ∫ f between the first and the last of `count` ascending breakpoints, at which f may not be smooth; `scale(value)` is
/// the size that the error of each component is relative to, infinite for one that is not judged. Halves the worst
/// interval until the tolerance is met or `capacity` intervals are used.
template <class T, int n, int capacity, class Function, class Scale>
[[nodiscard]] RICOCHET_HD Quadrature<T, n> integrate(const Function& function, const T* breakpoints, int count,
                                                     const Scale& scale, T tolerance) {
  using Vector = Eigen::Matrix<T, n, 1>;
  std::array<QuadraturePiece<T, n>, capacity> pieces;
  int used = 0;
  for (int i = 0; i + 1 < count && used < capacity; ++i)
    if (breakpoints[i + 1] > breakpoints[i])
      pieces[static_cast<std::size_t>(used++)] = integrate_piece<T, n>(function, breakpoints[i], breakpoints[i + 1]);
  Quadrature<T, n> out;
  for (;;) {
    out.value = Vector::Zero();
    Vector error = Vector::Zero();
    for (int i = 0; i < used; ++i) {
      out.value += pieces[static_cast<std::size_t>(i)].value;
      error += pieces[static_cast<std::size_t>(i)].error;
    }
    const Vector size = scale(out.value);
    const auto relative = [&](const Vector& e) {
      T worst(0);
      for (int j = 0; j < n; ++j) {
        const T share = e(j) == T(0) ? T(0) : e(j) / size(j);  // a NaN stays one
        if (!(share <= worst)) worst = share;
      }
      return worst;
    };
    out.error = relative(error);
    if (out.error <= tolerance) {
      out.converged = true;
      return out;
    }
    int worst = 0;
    T worst_error = T(-1);
    for (int i = 0; i < used; ++i) {
      const T e = relative(pieces[static_cast<std::size_t>(i)].error);
      if (!(e <= worst_error)) {
        worst = i;
        worst_error = e;
      }
    }
    if (used == 0 || used == capacity) return out;
    const QuadraturePiece<T, n> piece = pieces[static_cast<std::size_t>(worst)];
    const T middle = piece.a + (piece.b - piece.a) / T(2);
    if (!(middle > piece.a && middle < piece.b) || !(out.error < std::numeric_limits<T>::max())) return out;
    pieces[static_cast<std::size_t>(worst)] = integrate_piece<T, n>(function, piece.a, middle);
    pieces[static_cast<std::size_t>(used++)] = integrate_piece<T, n>(function, middle, piece.b);
  }
}

}  // namespace ricochet
