#pragma once
/// Margin of a sticking contact to the edge of the friction cone, as a function of time with enclosures, for
/// `first_fall`.

#include <cmath>
#include <limits>

#include "ricochet/compliant/sinusoid_roots.hpp"

namespace ricochet::compliant {

/// μN − κ‖ξ‖ + shift, with sums of the form `Sum`.
template <class T, class Sum = Sinusoids<T, 3>>
struct StickMargin {
  Sum N, x1, x2;  ///< N, ξ₁, ξ₂
  T mu = T(0), kappa = T(0), shift = T(0);

  /// What rounding of the coefficients makes of the margin.
  [[nodiscard]] RICOCHET_HD T noise() const { return mu * N.noise + kappa * (x1.noise + x2.noise); }
  /// The same until t, of sums written from their start.
  [[nodiscard]] RICOCHET_HD T noise(T t) const { return mu * N.noise(t) + kappa * (x1.noise(t) + x2.noise(t)); }

  [[nodiscard]] RICOCHET_HD Value<T> at(T t) const {
    using std::sqrt;
    const Value<T> n = N.at(t), a = x1.at(t), b = x2.at(t);
    const T r = sqrt(a.f * a.f + b.f * b.f);
    const T r1 = r > T(0) ? (a.f * a.f1 + b.f * b.f1) / r : sqrt(a.f1 * a.f1 + b.f1 * b.f1);
    return {mu * n.f - kappa * r + shift, mu * n.f1 - kappa * r1};
  }

  [[nodiscard]] RICOCHET_HD Enclosure<T> enclose(T m, T h) const {
    using std::sqrt;
    constexpr T infinity = std::numeric_limits<T>::infinity();
    const Enclosure<T> n = N.enclose(m, h), a = x1.enclose(m, h), b = x2.enclose(m, h);
    Range<T> square_r = square(a.f);
    square_r += square(b.f);
    const Range<T> r{sqrt(square_r.lo), sqrt(square_r.hi)};
    Range<T> square_speed = square(a.f1);
    square_speed += square(b.f1);
    const T fastest = sqrt(square_speed.hi);
    Range<T> r1{-fastest, fastest}, r2{-infinity, infinity};
    if (r.lo > T(0)) {
      Range<T> dot = product(a.f, a.f1);
      dot += product(b.f, b.f1);
      const Range<T> slope = over(dot, r);
      if (slope.lo > r1.lo) r1.lo = slope.lo;
      if (slope.hi < r1.hi) r1.hi = slope.hi;
      Range<T> bend = product(a.f, a.f2);
      bend += product(b.f, b.f2);
      bend += square_speed;
      bend += scaled(T(-1), square(r1));
      r2 = over(bend, r);
    }
    Enclosure<T> out;
    out.f = scaled(mu, n.f);
    out.f += scaled(-kappa, r);
    out.f += Range<T>{shift, shift};
    out.f1 = scaled(mu, n.f1);
    out.f1 += scaled(-kappa, r1);
    out.f2 = scaled(mu, n.f2);
    out.f2 += scaled(-kappa, r2);
    return out;
  }

 private:
  RICOCHET_HD static Range<T> over(const Range<T>& a, const Range<T>& positive) {
    return {a.lo < T(0) ? a.lo / positive.lo : a.lo / positive.hi,
            a.hi > T(0) ? a.hi / positive.lo : a.hi / positive.hi};
  }
};

template <class T>
[[nodiscard]] RICOCHET_HD StickMargin<T, FromStart<T, 3>> from_start(const StickMargin<T>& m) {
  return {from_start(m.N), from_start(m.x1), from_start(m.x2), m.mu, m.kappa, m.shift};
}

}  // namespace ricochet::compliant
