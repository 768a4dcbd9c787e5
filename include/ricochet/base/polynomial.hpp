#pragma once
/// Real zeros of polynomials up to degree 4, and of second-degree trigonometric polynomials on the circle, without
/// allocation and without complex arithmetic.

#include <array>
#include <cmath>
#include <limits>

#include "ricochet/base/bracketed_newton.hpp"
#include "ricochet/base/linear.hpp"

namespace ricochet {

/// Distinct zeros in ascending order. Zeros that rounding cannot tell apart are one zero.
template <class T, int capacity>
struct Zeros {
  std::array<T, capacity> at{};
  int count = 0;

  RICOCHET_HD void add(T x) {
    if (count < capacity) at[static_cast<std::size_t>(count++)] = x;
  }
  [[nodiscard]] RICOCHET_HD T operator[](int i) const { return at[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const T* begin() const { return at.data(); }
  [[nodiscard]] const T* end() const { return at.data() + count; }
};

/// Coefficients c₀ … c_n of Σ c_i x^i.
template <class T, int n>
using Coefficients = std::array<T, static_cast<std::size_t>(n + 1)>;

namespace polynomial_detail {

template <class T, int n>
RICOCHET_HD T value(const Coefficients<T, n>& c, T x) {
  T f = c[n];
  for (int i = n; i-- > 0;) f = f * x + c[static_cast<std::size_t>(i)];
  return f;
}

/// Σ |c_i| |x|^i, the scale of the rounding error of `value`.
template <class T, int n>
RICOCHET_HD T size(const Coefficients<T, n>& c, T x) {
  using std::abs;
  const T a = abs(x);
  T f = abs(c[n]);
  for (int i = n; i-- > 0;) f = f * a + abs(c[static_cast<std::size_t>(i)]);
  return f;
}

template <class T, int n>
RICOCHET_HD T zero_between(const Coefficients<T, n>& c, T a, T b, T f_a, T start, T tolerance) {
  const auto value_and_slope = [&](T x) {
    ValueAndSlope<T> v{c[n], T(0)};
    for (int k = n; k-- > 0;) {
      v.f1 = v.f1 * x + v.f;
      v.f = v.f * x + c[static_cast<std::size_t>(k)];
    }
    return v;
  };
  const T first = (start - a) * (start - b) < T(0) ? start : (a + b) / T(2);
  return bracketed_newton<T>(value_and_slope, f_a < T(0) ? a : b, f_a < T(0) ? b : a, first, tolerance).next;
}

/// The zeros in [−bound, bound]. Between neighbouring zeros of the derivative, found in the same way, the polynomial is
/// monotone, so a change of sign there brackets exactly one zero. Newton's iteration ends at a step of `tolerance`
/// relative to x; the remaining error is of the order of its square.
template <class T, int n>
RICOCHET_HD Zeros<T, n> zeros_within(const Coefficients<T, n>& c, T bound, T tolerance) {
  using std::abs;
  using std::sqrt;
  constexpr T eps = std::numeric_limits<T>::epsilon();
  Zeros<T, n> zeros;
  if constexpr (n == 1) {
    const T x = -c[0] / c[1];
    if (abs(x) <= bound) zeros.add(x);
  } else if constexpr (n == 2) {
    const T half = c[1] / T(2);
    const T square = half * half;
    const T product = c[0] * c[2];
    T discriminant = square - product;
    if (abs(discriminant) <= T(4) * eps * (square + abs(product))) discriminant = T(0);
    if (discriminant < T(0)) return zeros;
    const T q = -(half + (half < T(0) ? -sqrt(discriminant) : sqrt(discriminant)));
    if (q == T(0)) {
      zeros.add(T(0));
      return zeros;
    }
    const T x = q / c[2];
    const T y = c[0] / q;
    const T first = x < y ? x : y;
    const T second = x < y ? y : x;
    if (abs(first) <= bound) zeros.add(first);
    if (discriminant > T(0) && abs(second) <= bound) zeros.add(second);
  } else {
    Coefficients<T, n - 1> derivative;
    for (int i = 1; i <= n; ++i) derivative[static_cast<std::size_t>(i - 1)] = T(i) * c[static_cast<std::size_t>(i)];
    // An error δ of a turning point changes the value there by no more than δ², so √eps is enough.
    const Zeros<T, n - 1> turns = zeros_within<T, n - 1>(derivative, bound, sqrt(eps));
    T left = -bound;
    T f_left = value<T, n>(c, left);
    bool left_is_zero = false;
    for (int i = 0; i <= turns.count; ++i) {
      const bool last = i == turns.count;
      const T right = last ? bound : turns[i];
      const T f_right = value<T, n>(c, right);
      // A turning point at which the value is zero to rounding: a multiple zero, counted once.
      const bool right_is_zero = !last && abs(f_right) <= T(8 * n) * eps * size<T, n>(c, right);
      if (right_is_zero) {
        // Two such neighbours have a flat stretch between them: one cluster.
        if (left_is_zero)
          zeros.at[static_cast<std::size_t>(zeros.count - 1)] = (left + right) / T(2);
        else
          zeros.add(right);
      } else if (!left_is_zero && ((f_left < T(0)) != (f_right < T(0)))) {
        // Beyond the outermost turning point the parabola through it is the better start: from far away Newton's
        // iteration converges only by the factor 1 − 1/n.
        T start = (left + right) / T(2);
        if (turns.count > 0 && (i == 0 || last)) {
          const T turn = last ? left : right;
          T bend = T(n - 1) * derivative[n - 1];
          for (int k = n - 1; k-- > 1;) bend = bend * turn + T(k) * derivative[static_cast<std::size_t>(k)];
          const T reach = sqrt(abs(T(2) * (last ? f_left : f_right) / bend));
          start = last ? turn + reach : turn - reach;
        }
        zeros.add(zero_between<T, n>(c, left, right, f_left, start, tolerance));
      }
      left = right;
      f_left = f_right;
      left_is_zero = right_is_zero;
    }
  }
  return zeros;
}

template <class T, int n>
RICOCHET_HD Zeros<T, 4> zeros_of_degree(const Coefficients<T, 4>& given) {
  using std::abs;
  using std::frexp;
  using std::ldexp;
  Zeros<T, 4> zeros;
  if constexpr (n > 0) {
    if (given[n] == T(0)) return zeros_of_degree<T, n - 1>(given);
    // Fujiwara: every zero, complex ones too, has |x| ≤ 2 max |c_{n−k}/c_n|^{1/k}. With x = 2^p y and p from the
    // exponents alone, |c_{n−k} 2^{p(n−k)}| ≤ 2 |c_n 2^{pn}| and so |y| ≤ 4: no intermediate result overflows.
    int top = 0;
    frexp(given[n], &top);
    bool any = false;
    int p = 0;
    for (int k = 1; k <= n; ++k) {
      const T lower = given[static_cast<std::size_t>(n - k)];
      if (lower == T(0)) continue;
      int exponent = 0;
      frexp(lower, &exponent);
      const int difference = exponent - top;
      const int share = difference >= 0 ? (difference + k - 1) / k : -((-difference) / k);
      if (!any || share > p) p = share;
      any = true;
    }
    if (!any) {
      zeros.add(T(0));
      return zeros;
    }
    Coefficients<T, n> c;
    for (int i = 0; i <= n; ++i)
      c[static_cast<std::size_t>(i)] = ldexp(given[static_cast<std::size_t>(i)], p * (i - n) - top);
    const Zeros<T, n> scaled = zeros_within<T, n>(c, T(4), std::numeric_limits<T>::epsilon());
    for (int i = 0; i < scaled.count; ++i) zeros.add(ldexp(scaled[i], p));
  }
  return zeros;
}

}  // namespace polynomial_detail

/// Distinct real zeros of c₀ + c₁x + … + c₄x⁴, in ascending order; leading zeros lower the degree, and a constant has
/// none. A multiple zero, or a cluster that rounding of the coefficients could have made from one, counts once.
template <class T>
[[nodiscard]] RICOCHET_HD Zeros<T, 4> real_zeros(const Coefficients<T, 4>& c) {
  return polynomial_detail::zeros_of_degree<T, 4>(c);
}

/// f(φ) = a + b cos φ + c sin φ + d cos 2φ + e sin 2φ, with φ given as the unit vector v = (cos φ, sin φ).
template <class T>
struct Trigonometric {
  T a, b, c, d, e;

  [[nodiscard]] RICOCHET_HD T value(const Vec2T<T>& v) const {
    return a + b * v(0) + c * v(1) + d * (v(0) - v(1)) * (v(0) + v(1)) + T(2) * e * v(0) * v(1);
  }
  [[nodiscard]] RICOCHET_HD T slope(const Vec2T<T>& v) const {
    return c * v(0) - b * v(1) + T(2) * (e * (v(0) - v(1)) * (v(0) + v(1)) - T(2) * d * v(0) * v(1));
  }
};

template <class T>
struct CircleZeros {
  std::array<Vec2T<T>, 4> at;  ///< unit vectors (cos φ, sin φ)
  int count = 0;
  bool everywhere = false;  ///< all coefficients are zero

  [[nodiscard]] const Vec2T<T>* begin() const { return at.data(); }
  [[nodiscard]] const Vec2T<T>* end() const { return at.data() + count; }
};

/// All zeros on the circle, at most four. With t = tan((φ − φ₀)/2) the numerator is a quartic whose leading coefficient
/// is f(φ₀ + π); φ₀ + π is the best of eight directions. There |f| ≥ cos(π/4) max|f|, and |f'| ≤ 2 max|f|, so that no
/// zero lies nearer to it than 0.35 rad: |t| < 6, nothing near infinity.
template <class T>
[[nodiscard]] RICOCHET_HD CircleZeros<T> zeros_on_circle(const Trigonometric<T>& f) {
  using std::abs;
  using std::sqrt;
  CircleZeros<T> zeros;
  const T h = sqrt(T(0.5));
  const std::array<Vec2T<T>, 8> compass = {Vec2T<T>(1, 0),  Vec2T<T>(h, h),   Vec2T<T>(0, 1),  Vec2T<T>(-h, h),
                                           Vec2T<T>(-1, 0), Vec2T<T>(-h, -h), Vec2T<T>(0, -1), Vec2T<T>(h, -h)};
  Vec2T<T> pole = compass[0];
  T most = T(0);
  for (const Vec2T<T>& v : compass) {
    const T size = abs(f.value(v));
    if (size > most) {
      most = size;
      pole = v;
    }
  }
  if (!(most > T(0))) {
    zeros.everywhere = f.a == T(0) && f.b == T(0) && f.c == T(0) && f.d == T(0) && f.e == T(0);
    return zeros;
  }
  const Vec2T<T> origin = -pole;
  const T cos1 = origin(0);
  const T sin1 = origin(1);
  const T cos2 = (cos1 - sin1) * (cos1 + sin1);
  const T sin2 = T(2) * cos1 * sin1;
  const T b = f.b * cos1 + f.c * sin1;
  const T c = f.c * cos1 - f.b * sin1;
  const T d = f.d * cos2 + f.e * sin2;
  const T e = f.e * cos2 - f.d * sin2;
  const Coefficients<T, 4> quartic = {(f.a + b + d) / most, (T(2) * c + T(4) * e) / most,
                                      (T(2) * f.a - T(6) * d) / most, (T(2) * c - T(4) * e) / most,
                                      (f.a - b + d) / most};
  const T rough = T(1e-5);  // refined by Newton's iteration on f
  const Zeros<T, 4> roots = polynomial_detail::zeros_within<T, 4>(quartic, T(6), rough);
  for (int i = 0; i < roots.count; ++i) {
    const T t = roots[i];
    const T length = T(1) + t * t;
    const Vec2T<T> turned((T(1) - t) * (T(1) + t) / length, T(2) * t / length);
    Vec2T<T> v(cos1 * turned(0) - sin1 * turned(1), sin1 * turned(0) + cos1 * turned(1));
    v /= sqrt(v.squaredNorm());
    T residual = f.value(v);
    for (int k = 0; k < 3 && residual != T(0); ++k) {
      const T turn = -residual / f.slope(v);
      if (!(abs(turn) < T(0.01))) break;
      Vec2T<T> next(v(0) - turn * v(1), v(1) + turn * v(0));
      next /= sqrt(next.squaredNorm());
      const T better = f.value(next);
      if (!(abs(better) < abs(residual))) break;
      v = next;
      residual = better;
    }
    zeros.at[static_cast<std::size_t>(zeros.count++)] = v;
  }
  return zeros;
}

}  // namespace ricochet
