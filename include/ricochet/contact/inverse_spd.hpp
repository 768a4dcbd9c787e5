#pragma once
/// Inverse of a symmetric positive definite 3×3 matrix, by Cholesky (LDLᵀ without pivoting), which is backward stable;
/// the adjugate formula is not. Both ways read the lower triangle.

#include <cmath>
#include <limits>

#include "ricochet/base/linear.hpp"
#include "ricochet/base/select.hpp"
#include "ricochet/base/twofold.hpp"

namespace ricochet {

/// In the arithmetic of `Wide`. Returns whether every pivot is positive, that is whether A is positive definite to the
/// rounding of `Wide`; otherwise X is not an inverse.
template <class Wide, class T>
RICOCHET_HD bool inverse_spd(const Mat3T<T>& A, Mat3T<T>& X) {
  const Wide a10(A(1, 0)), a20(A(2, 0)), a21(A(2, 1));
  const Wide d0(A(0, 0));
  const Wide l10 = a10 / d0;
  const Wide l20 = a20 / d0;
  const Wide d1 = Wide(A(1, 1)) - l10 * a10;
  const Wide u21 = a21 - l20 * a10;
  const Wide l21 = u21 / d1;
  const Wide d2 = Wide(A(2, 2)) - l20 * a20 - l21 * u21;
  // A⁻¹ = L⁻ᵀ D⁻¹ L⁻¹ with L⁻¹ = [[1,0,0],[−l10,1,0],[c,−l21,1]].
  const Wide c = l10 * l21 - l20;
  X(2, 2) = T(Wide(1) / d2);
  X(1, 2) = X(2, 1) = T(-l21 / d2);
  X(0, 2) = X(2, 0) = T(c / d2);
  X(1, 1) = T(Wide(1) / d1 + l21 * l21 / d2);
  X(0, 1) = X(1, 0) = T(-l10 / d1 - c * l21 / d2);
  X(0, 0) = T(Wide(1) / d0 + l10 * l10 / d1 + c * c / d2);
  return d0 > Wide(0) && d1 > Wide(0) && d2 > Wide(0);
}

/// How `inverse_spd_twofold` forms the product of two numbers with its remainder, and what a rounded quotient q = a/d
/// leaves, a − q d. Both ways give the same numbers.
struct ProductByHalves {
  template <class T>
  RICOCHET_HD static Twofold<T> of(const T& a, const T& b) {
    return Twofold<T>::product(a, b);
  }
  template <class T>
  RICOCHET_HD static T left_of(const T& a, const T& q, const T& d) {
    const Twofold<T> p = of(q, d);
    return (a - p.hi) - p.lo;  // the difference of two numbers that are almost equal is exact
  }
};
/// With a fused multiply-add, a quarter of the operations. Only for code that is compiled without contraction
/// (-ffp-contract=off): the product must be the rounded one wherever it is used.
struct ProductFused {
  template <class T>
  static Twofold<T> of(const T& a, const T& b) {
    using std::fma;
    const T p = a * b;
    return {p, fma(a, b, -p)};
  }
  template <class T>
  static T left_of(const T& a, const T& q, const T& d) {
    using std::fma;
    return fma(-q, d, a);
  }
};

/// The same, for any number of lanes, with the factors in twofold arithmetic: the inverse is accurate to a few units in
/// the last place of its norm at every condition number that T can state. Exact products need room for remainders, so
/// tr A must be `in_twofold_reach`.
template <class Product, class T>
RICOCHET_HD MaskOf<T> inverse_spd_twofold(const Mat3T<T>& A, Mat3T<T>& X) {
  using Two = Twofold<T>;
  // a + b of numbers the first of which is the larger.
  const auto sum = [](const T& a, const T& b) {
    const T s = a + b;
    return Two{s, b - (s - a)};
  };
  // a/d, r = 1/d rounded; the second part may be a few units of the first one's last place.
  const auto quotient = [&](const Two& a, const Two& d, const T& r) {
    const T q = a.hi * r;
    return Two{q, (Product::left_of(a.hi, q, d.hi) + (a.lo - q * d.lo)) * r};
  };
  const auto quotient_of_numbers = [&](const T& a, const T& d, const T& r) {
    const T q = a * r;
    return Two{q, Product::left_of(a, q, d) * r};
  };
  // a − l b, from a − p rounded and what it leaves, p = l b rounded.
  const auto minus = [&](const Two& s, const Two& p, const T& l_lo, const T& b) {
    return sum(s.hi, s.lo - (p.lo + l_lo * b));
  };
  const T a00 = A(0, 0), a10 = A(1, 0), a20 = A(2, 0);
  const T r0 = T(1) / a00;
  const Two l10 = quotient_of_numbers(a10, a00, r0), l20 = quotient_of_numbers(a20, a00, r0);
  // What a pivot loses is not larger than the pivot where A is positive definite.
  const Two p1 = Product::of(l10.hi, a10), d1 = minus(sum(A(1, 1), -p1.hi), p1, l10.lo, a10);
  const Two v1 = Product::of(l20.hi, a10), u21 = minus(Two::sum(A(2, 1), -v1.hi), v1, l20.lo, a10);
  const T r1 = T(1) / d1.hi;
  const Two l21 = quotient(u21, d1, r1);
  const Two p = Product::of(l20.hi, a20), s = sum(A(2, 2), -p.hi);
  const Two q = Product::of(l21.hi, u21.hi), z = sum(s.hi, -q.hi);
  const T d2 = z.hi + ((z.lo + (s.lo - (p.lo + l20.lo * a20))) - (q.lo + (l21.lo * u21.hi + l21.hi * u21.lo)));
  const T r2 = T(1) / d2;
  // As above; of the rest only c = l10 l21 − l20 is a difference, the others are sums whose terms do not exceed them.
  const Two y = Product::of(l10.hi, l21.hi);
  const T c = (y.hi - l20.hi) + ((y.lo + (l10.hi * l21.lo + l10.lo * l21.hi)) - l20.lo);
  const T l1 = l10.hi + l10.lo, l2 = l21.hi + l21.lo;
  const T x21 = l2 * r2, x20 = c * r2;
  X(2, 2) = r2;
  X(1, 2) = X(2, 1) = -x21;
  X(0, 2) = X(2, 0) = x20;
  X(1, 1) = r1 + l2 * x21;
  X(0, 1) = X(1, 0) = -(l1 * r1 + l2 * x20);
  X(0, 0) = r0 + (l1 * (l1 * r1) + c * x20);
  return a00 > T(0) && d1.hi > T(0) && d2 > T(0);
}

template <class T>
[[nodiscard]] RICOCHET_HD MaskOf<T> in_twofold_reach(const T& trace) {
  using S = LaneNumber<T>;
  constexpr S most = [] {
    S power(1);
    for (int i = 0; i < std::numeric_limits<S>::max_exponent * 2 / 5; ++i) power *= S(2);
    return power;
  }();
  return trace <= T(most) && trace >= T(S(1) / most);
}

}  // namespace ricochet
