#pragma once
/// Sums and products to twice the working precision, kept as the nearest number and its remainder (D71), for the few
/// quantities that accumulate over thousands of steps. It needs no fused multiply-add. Where the processor has one, the
/// product uses it explicitly: a compiler would otherwise fuse the product with the sum that follows, whose remainder
/// would then be wrong.

#include <cmath>
#include <limits>
#include <type_traits>

#include "ricochet/base/linear.hpp"
#include "ricochet/base/select.hpp"

namespace ricochet {

template <class T>
struct Twofold {
  T hi = T(0), lo = T(0);

  /// a + b.
  [[nodiscard]] RICOCHET_HD static Twofold sum(T a, T b) {
    const T s = a + b, of_b = s - a;
    return {s, (a - (s - of_b)) + (b - of_b)};
  }
  /// a b, by halves of their digits.
  [[nodiscard]] RICOCHET_HD static Twofold product(T a, T b) {
#if defined(__FP_FAST_FMA) || defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float>) {
      const T nearest = std::fma(a, b, T(0));
      return {nearest, std::fma(a, b, -nearest)};
    }
#endif
    const T p = a * b;
    const Halves x = halves(a), y = halves(b);
    return {p, ((x.high * y.high - p) + x.high * y.low + x.low * y.high) + x.low * y.low};
  }

  RICOCHET_HD Twofold& operator+=(T x) {
    const Twofold s = sum(hi, x);
    return *this = sum(s.hi, s.lo + lo);
  }
  RICOCHET_HD Twofold& operator+=(const Twofold& x) {
    const Twofold s = sum(hi, x.hi);
    return *this = sum(s.hi, s.lo + (lo + x.lo));
  }
  [[nodiscard]] RICOCHET_HD friend Twofold operator*(const Twofold& a, const Twofold& b) {
    const Twofold p = product(a.hi, b.hi);
    return sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
  }
  [[nodiscard]] RICOCHET_HD friend Twofold operator*(const Twofold& a, T b) {
    const Twofold p = product(a.hi, b);
    return sum(p.hi, p.lo + a.lo * b);
  }

 private:
  struct Halves {
    T high, low;
  };
  RICOCHET_HD static Halves halves(T a) {
    using S = LaneNumber<T>;
    constexpr S splitter = S((1ULL << ((std::numeric_limits<S>::digits + 1) / 2)) + 1ULL);
    const T c = T(splitter) * a, high = c - (c - a);
    return {high, a - high};
  }
};

}  // namespace ricochet
