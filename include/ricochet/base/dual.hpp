#pragma once
/// Forward-mode dual numbers: a value and its derivatives along N directions. Every kernel runs on them unchanged and
/// so returns the derivatives of its answer with respect to the numbers of the contact. Comparisons look at values
/// only, so that the branch taken is that of the value; on the border of two branches the derivative is that of one of
/// them.
///
/// An iteration is not differentiated step by step: its last step may have been taken far from the root, or not be one
/// of Newton's. It runs on values, and `newton_step` then gives the derivatives of the root (docs/derivatives.md).

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "ricochet/base/linear.hpp"

namespace ricochet {

template <int N>
struct Dual {
  double v;                 ///< value
  std::array<double, N> d;  ///< derivatives

  constexpr Dual() : v(0), d{} {}
  template <class S>
  requires std::is_arithmetic_v<S>
  constexpr Dual(S x)
      : v(static_cast<double>(x)), d{} {}  // NOLINT(google-explicit-constructor): a number is a constant
  /// The variable of direction k.
  static constexpr Dual variable(double x, int k) {
    Dual out(x);
    out.d[static_cast<std::size_t>(k)] = 1;
    return out;
  }

  explicit constexpr operator double() const { return v; }
  explicit constexpr operator float() const { return static_cast<float>(v); }
  explicit constexpr operator int() const { return static_cast<int>(v); }

  /// f(v) with derivative f'(v): the chain rule.
  [[nodiscard]] constexpr Dual chain(double f, double f1) const {
    Dual out(f, Unset{});
    if (finite(f1)) {
      for (std::size_t i = 0; i < N; ++i) out.d[i] = f1 * d[i];
    } else {  // a constant stays one
      for (std::size_t i = 0; i < N; ++i) out.d[i] = d[i] == 0 ? 0 : f1 * d[i];
    }
    return out;
  }

  constexpr Dual operator-() const { return chain(-v, -1); }
  constexpr Dual operator+() const { return *this; }
  constexpr Dual& operator+=(const Dual& y) {
    v += y.v;
    for (std::size_t i = 0; i < N; ++i) d[i] += y.d[i];
    return *this;
  }
  constexpr Dual& operator-=(const Dual& y) {
    v -= y.v;
    for (std::size_t i = 0; i < N; ++i) d[i] -= y.d[i];
    return *this;
  }
  constexpr Dual& operator*=(const Dual& y) { return *this = *this * y; }
  constexpr Dual& operator/=(const Dual& y) { return *this = *this / y; }

  friend constexpr Dual operator+(const Dual& x, const Dual& y) {
    Dual out(x.v + y.v, Unset{});
    for (std::size_t i = 0; i < N; ++i) out.d[i] = x.d[i] + y.d[i];
    return out;
  }
  friend constexpr Dual operator-(const Dual& x, const Dual& y) {
    Dual out(x.v - y.v, Unset{});
    for (std::size_t i = 0; i < N; ++i) out.d[i] = x.d[i] - y.d[i];
    return out;
  }
  friend constexpr Dual operator*(const Dual& x, const Dual& y) { return combine(x, y.v, y, x.v, x.v * y.v); }
  friend constexpr Dual operator/(const Dual& x, const Dual& y) {
    const double q = x.v / y.v, inverse = 1 / y.v;
    return combine(x, inverse, y, -q * inverse, q);
  }

  /// By a constant: half the work.
  template <class S>
  requires std::is_arithmetic_v<S>
  friend constexpr Dual operator*(const Dual& x, S y) {
    return x.chain(x.v * static_cast<double>(y), static_cast<double>(y));
  }
  template <class S>
  requires std::is_arithmetic_v<S>
  friend constexpr Dual operator*(S x, const Dual& y) { return y * x; }

  friend constexpr bool operator<(const Dual& x, const Dual& y) { return x.v < y.v; }
  friend constexpr bool operator>(const Dual& x, const Dual& y) { return x.v > y.v; }
  friend constexpr bool operator<=(const Dual& x, const Dual& y) { return x.v <= y.v; }
  friend constexpr bool operator>=(const Dual& x, const Dual& y) { return x.v >= y.v; }
  friend constexpr bool operator==(const Dual& x, const Dual& y) { return x.v == y.v; }
  friend constexpr bool operator!=(const Dual& x, const Dual& y) { return x.v != y.v; }

  friend Dual abs(const Dual& x) { return x.v < 0 ? -x : x; }
  friend Dual sqrt(const Dual& x) {
    const double r = std::sqrt(x.v);
    return x.chain(r, 0.5 / r);
  }
  friend Dual cbrt(const Dual& x) {
    const double r = std::cbrt(x.v);
    return x.chain(r, 1 / (3 * r * r));
  }
  friend Dual exp(const Dual& x) {
    const double r = std::exp(x.v);
    return x.chain(r, r);
  }
  friend Dual log(const Dual& x) { return x.chain(std::log(x.v), 1 / x.v); }
  friend Dual log1p(const Dual& x) { return x.chain(std::log1p(x.v), 1 / (1 + x.v)); }
  friend Dual expm1(const Dual& x) { return x.chain(std::expm1(x.v), std::exp(x.v)); }
  friend Dual sin(const Dual& x) { return x.chain(std::sin(x.v), std::cos(x.v)); }
  friend Dual cos(const Dual& x) { return x.chain(std::cos(x.v), -std::sin(x.v)); }
  friend Dual tan(const Dual& x) {
    const double r = std::tan(x.v);
    return x.chain(r, 1 + r * r);
  }
  friend Dual sinh(const Dual& x) { return x.chain(std::sinh(x.v), std::cosh(x.v)); }
  friend Dual cosh(const Dual& x) { return x.chain(std::cosh(x.v), std::sinh(x.v)); }
  friend Dual tanh(const Dual& x) {
    const double r = std::tanh(x.v);
    return x.chain(r, 1 - r * r);
  }
  friend Dual asin(const Dual& x) { return x.chain(std::asin(x.v), 1 / std::sqrt((1 - x.v) * (1 + x.v))); }
  friend Dual acos(const Dual& x) { return x.chain(std::acos(x.v), -1 / std::sqrt((1 - x.v) * (1 + x.v))); }
  friend Dual atan(const Dual& x) { return x.chain(std::atan(x.v), 1 / (1 + x.v * x.v)); }
  friend Dual atan2(const Dual& y, const Dual& x) {
    const double square = x.v * x.v + y.v * y.v;
    return combine(y, x.v / square, x, -y.v / square, std::atan2(y.v, x.v));
  }
  friend Dual pow(const Dual& x, const Dual& y) {
    const double r = std::pow(x.v, y.v);
    return combine(x, y.v * std::pow(x.v, y.v - 1), y, r * std::log(x.v), r);
  }
  /// The exponent is a constant.
  friend Dual frexp(const Dual& x, int* exponent) {
    const double r = std::frexp(x.v, exponent);
    return x.chain(r, std::ldexp(1.0, -*exponent));
  }
  friend Dual ldexp(const Dual& x, int exponent) {
    return x.chain(std::ldexp(x.v, exponent), std::ldexp(1.0, exponent));
  }
  friend bool isfinite(const Dual& x) { return std::isfinite(x.v); }

 private:
  /// Derivatives are written right after.
  struct Unset {};
  constexpr Dual(double x, Unset) : v(x) {}

  static constexpr Dual combine(const Dual& x, double by_x, const Dual& y, double by_y, double value) {
    Dual out(value, Unset{});
    if (finite(by_x) && finite(by_y)) {
      for (std::size_t i = 0; i < N; ++i) out.d[i] = by_x * x.d[i] + by_y * y.d[i];
    } else {
      for (std::size_t i = 0; i < N; ++i)
        out.d[i] = (x.d[i] == 0 ? 0 : by_x * x.d[i]) + (y.d[i] == 0 ? 0 : by_y * y.d[i]);
    }
    return out;
  }
  static constexpr bool finite(double x) {
    return x <= std::numeric_limits<double>::max() && x >= std::numeric_limits<double>::lowest();
  }
};

/// Whether T carries derivatives.
template <class T>
inline constexpr bool is_dual = false;
template <int N>
inline constexpr bool is_dual<Dual<N>> = true;

/// The value alone.
template <class T>
[[nodiscard]] RICOCHET_HD constexpr T value_of(const T& x) {
  return x;
}
template <int N>
[[nodiscard]] constexpr double value_of(const Dual<N>& x) {
  return x.v;
}

/// The scalar of the values of T.
template <class T>
using ValueScalar = decltype(value_of(std::declval<const T&>()));

/// Values of a matrix.
template <class Derived>
[[nodiscard]] auto values_of(const Eigen::MatrixBase<Derived>& A) {
  using S = ValueScalar<typename Derived::Scalar>;
  Eigen::Matrix<S, Derived::RowsAtCompileTime, Derived::ColsAtCompileTime> out;
  out.resize(A.rows(), A.cols());
  for (int i = 0; i < A.rows(); ++i)
    for (int j = 0; j < A.cols(); ++j) out(i, j) = value_of(A(i, j));
  return out;
}

/// The root x of f as a dual number, from its value: `f` is f at the constant x, `slope` its derivative there.
/// x − f/f' has the derivatives of the root by the implicit function theorem, (DV4).
template <int N>
[[nodiscard]] constexpr Dual<N> newton_step(double x, const Dual<N>& f, double slope) {
  Dual<N> out(x);
  for (std::size_t i = 0; i < N; ++i) out.d[i] = -f.d[i] / slope;
  return out;
}

}  // namespace ricochet

template <int N>
struct std::numeric_limits<ricochet::Dual<N>> : std::numeric_limits<double> {
  using D = ricochet::Dual<N>;
  static constexpr D epsilon() { return D(std::numeric_limits<double>::epsilon()); }
  static constexpr D infinity() { return D(std::numeric_limits<double>::infinity()); }
  static constexpr D quiet_NaN() { return D(std::numeric_limits<double>::quiet_NaN()); }
  static constexpr D max() { return D(std::numeric_limits<double>::max()); }
  static constexpr D min() { return D(std::numeric_limits<double>::min()); }
  static constexpr D lowest() { return D(std::numeric_limits<double>::lowest()); }
};

template <int N>
struct Eigen::NumTraits<ricochet::Dual<N>> : Eigen::NumTraits<double> {
  using Real = ricochet::Dual<N>;
  using NonInteger = ricochet::Dual<N>;
  using Nested = ricochet::Dual<N>;
  using Literal = ricochet::Dual<N>;
  enum { RequireInitialization = 1, ReadCost = N + 1, AddCost = N + 1, MulCost = 3 * (N + 1) };
  static Real epsilon() { return std::numeric_limits<Real>::epsilon(); }
  static Real dummy_precision() { return Real(1e-12); }
  static Real highest() { return std::numeric_limits<Real>::max(); }
  static Real lowest() { return std::numeric_limits<Real>::lowest(); }
};
