#pragma once
/// The first time at which a sum of sinusoids falls through zero, docs/laws/spring-sledge.md (L8). Found by enclosing
/// the function and its derivatives over whole intervals, so that nothing between two looks is missed: an interval is
/// left out only where the function provably stays positive or rises, and a root is taken only where it is provably
/// the first.

#include <array>
#include <cmath>
#include <limits>

#include "ricochet/base/bracketed_newton.hpp"
#include "ricochet/base/bracketed_secant.hpp"

namespace ricochet::compliant {

/// Closed interval.
template <class T>
struct Range {
  T lo = T(0), hi = T(0);

  RICOCHET_HD Range& operator+=(const Range& other) {
    lo += other.lo;
    hi += other.hi;
    return *this;
  }
};

template <class T>
RICOCHET_HD Range<T> scaled(T factor, const Range<T>& r) {
  return factor < T(0) ? Range<T>{factor * r.hi, factor * r.lo} : Range<T>{factor * r.lo, factor * r.hi};
}

template <class T>
RICOCHET_HD Range<T> product(const Range<T>& a, const Range<T>& b) {
  const T p[4] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
  Range<T> out{p[0], p[0]};
  for (const T x : p) {
    if (x < out.lo) out.lo = x;
    if (x > out.hi) out.hi = x;
  }
  return out;
}

template <class T>
RICOCHET_HD Range<T> square(const Range<T>& r) {
  const T a = r.lo * r.lo, b = r.hi * r.hi;
  const T most = a > b ? a : b, least = a > b ? b : a;
  return r.lo <= T(0) && r.hi >= T(0) ? Range<T>{T(0), most} : Range<T>{least, most};
}

/// Value and first two derivatives of a function over an interval.
template <class T>
struct Enclosure {
  Range<T> f, f1, f2;
};

template <class T>
using Value = ValueAndSlope<T>;

/// f(t) = shift + Σ aᵢ cos ωᵢt + bᵢ sin(ωᵢt)/ωᵢ; a frequency of zero stands for a + b t.
template <class T, int n>
struct Sinusoids {
  std::array<T, n> omega{}, a{}, b{};
  T shift = T(0);
  std::array<T, n> a_noise{}, b_noise{};  ///< rounding that a and b carry from where they were made
  /// What `from_start` needs: f(0) without `shift` and f'(0), from what a and b were made of, and their rounding.
  T start = T(0), rate = T(0), start_noise = T(0), rate_noise = T(0);
  T noise = T(0);                        ///< of the whole, at any time; this and the following by `prepare`
  std::array<T, n> beta{}, amplitude{};  ///< b/ω and √(a² + β²)

  RICOCHET_HD void prepare() {
    using std::sqrt;
    noise = T(0);
    for (std::size_t i = 0; i < n; ++i) {
      beta[i] = omega[i] > T(0) ? b[i] / omega[i] : T(0);
      amplitude[i] = sqrt(a[i] * a[i] + beta[i] * beta[i]);
      noise += a_noise[i] + (omega[i] > T(0) ? b_noise[i] / omega[i] : T(0));
    }
  }

  /// Largest size of the terms: what rounding of f is measured by.
  [[nodiscard]] RICOCHET_HD T size() const {
    T sum = T(0);
    for (std::size_t i = 0; i < n; ++i) sum += amplitude[i];
    return sum;
  }

  [[nodiscard]] RICOCHET_HD Value<T> at(T t) const {
    using std::cos;
    using std::sin;
    Value<T> out{shift, T(0)};
    for (std::size_t i = 0; i < n; ++i) {
      if (omega[i] > T(0)) {
        const T cs = cos(omega[i] * t), sn = sin(omega[i] * t);
        out.f += a[i] * cs + beta[i] * sn;
        out.f1 += omega[i] * (beta[i] * cs - a[i] * sn);
      } else {
        out.f += a[i] + b[i] * t;
        out.f1 += b[i];
      }
    }
    return out;
  }

  /// Over [m − h, m + h], twice. Each sinusoid u and its quadrature w (u' = ωw, w' = −ωu) move by at most
  /// |w|x + ½R x², x = ωh, and never leave [−R, R]: this holds fast ones by their amplitude. The sum as a whole follows
  /// its Taylor polynomial to within ΣR x³/6, which lets opposite slopes cancel. Both are true, and so is what they
  /// share.
  [[nodiscard]] RICOCHET_HD Enclosure<T> enclose(T m, T h) const {
    using std::abs;
    using std::cos;
    using std::sin;
    Enclosure<T> out{{shift, shift}, {}, {}};
    T v0 = shift, v1 = T(0), v2 = T(0), v3 = T(0), rest0 = T(0), rest1 = T(0), rest2 = T(0);
    for (std::size_t i = 0; i < n; ++i) {
      const T w1 = omega[i];
      if (w1 > T(0)) {
        const T cs = cos(w1 * m), sn = sin(w1 * m);
        const T u = a[i] * cs + beta[i] * sn, w = beta[i] * cs - a[i] * sn;
        const T x = w1 * h, R = amplitude[i], bend = R * x * x / T(2), w2 = w1 * w1;
        const Range<T> us = within(u, abs(w) * x + bend, R), ws = within(w, abs(u) * x + bend, R);
        out.f += us;
        out.f1 += scaled(w1, ws);
        out.f2 += scaled(-w2, us);
        v0 += u;
        v1 += w1 * w;
        v2 -= w2 * u;
        v3 -= w1 * w2 * w;
        rest0 += bend * x / T(3);
        rest1 += w1 * bend * x / T(3);
        rest2 += w2 * bend;
      } else {
        const T middle = a[i] + b[i] * m, reach = abs(b[i]) * h;
        out.f += Range<T>{middle - reach, middle + reach};
        out.f1 += Range<T>{b[i], b[i]};
        v0 += middle;
        v1 += b[i];
      }
    }
    share(out.f, quadratic(v0, v1, v2, h), rest0);
    share(out.f1, quadratic(v1, v2, v3, h), rest1);
    share(out.f2, Range<T>{v2 - abs(v3) * h, v2 + abs(v3) * h}, rest2);
    return out;
  }

  /// p + q s + ½ r s² for |s| ≤ h.
  RICOCHET_HD static Range<T> quadratic(T p, T q, T r, T h) {
    using std::abs;
    const T reach = abs(q) * h, bow = r * h * h / T(2);
    Range<T> out{p - reach + bow, p + reach + bow};
    if (abs(q) < abs(r) * h) {  // the vertex is inside
      const T vertex = p - q * q / (T(2) * r);
      if (vertex < out.lo) out.lo = vertex;
      if (vertex > out.hi) out.hi = vertex;
    }
    return out;
  }
  RICOCHET_HD static void share(Range<T>& range, const Range<T>& other, T margin) {
    if (other.lo - margin > range.lo) range.lo = other.lo - margin;
    if (other.hi + margin < range.hi) range.hi = other.hi + margin;
  }

  RICOCHET_HD static Range<T> within(T middle, T reach, T limit) {
    Range<T> r{middle - reach, middle + reach};
    if (r.lo < -limit) r.lo = -limit;
    if (r.hi > limit) r.hi = limit;
    return r;
  }
};

/// The same sum, written from its start: f(t) = f(0) + f'(0) t and what the sinusoids add to that, which is as small as
/// their phases. A sum whose terms cancel at first keeps its digits then, and rounding is bounded by the time.
template <class T, int n>
struct FromStart {
  Sinusoids<T, n> sum;
  T shift = T(0);
  T start_noise = T(0), rate_noise = T(0);  ///< rounding of f(0) and f'(0)

  /// What rounding makes of f until t.
  [[nodiscard]] RICOCHET_HD T noise(T t) const {
    T out = start_noise + rate_noise * t;
    for (std::size_t i = 0; i < n; ++i) {
      const T x = sum.omega[i] * t;
      if (!(x > T(0))) continue;
      const T bow = x * x / T(2), lag = bow * x / T(3);
      out += sum.a_noise[i] * (bow < T(2) ? bow : T(2)) +
             sum.b_noise[i] / sum.omega[i] * (lag < T(1) + x ? lag : T(1) + x);
    }
    return out;
  }

  [[nodiscard]] RICOCHET_HD Value<T> at(T t) const {
    using std::sin;
    Value<T> out{shift + sum.start + sum.rate * t, sum.rate};
    for (std::size_t i = 0; i < n; ++i) {
      const T x = sum.omega[i] * t;
      if (!(x != T(0))) continue;
      const T half = sin(x / T(2)), bow = T(-2) * half * half;
      out.f += sum.a[i] * bow + sum.beta[i] * lag(x);
      out.f1 += sum.omega[i] * (sum.beta[i] * bow - sum.a[i] * sin(x));
    }
    return out;
  }

  /// Over [m − h, m + h], by the Taylor polynomial of the sum.
  [[nodiscard]] RICOCHET_HD Enclosure<T> enclose(T m, T h) const {
    using std::abs;
    using std::cos;
    using std::sin;
    const Value<T> v = at(m);
    T v2 = T(0), v3 = T(0), rest0 = T(0), rest1 = T(0), rest2 = T(0);
    for (std::size_t i = 0; i < n; ++i) {
      const T w1 = sum.omega[i], w2 = w1 * w1, cs = cos(w1 * m), sn = sin(w1 * m), x = w1 * h;
      v2 -= w2 * (sum.a[i] * cs + sum.beta[i] * sn);
      v3 -= w1 * w2 * (sum.beta[i] * cs - sum.a[i] * sn);
      const T bend = sum.amplitude[i] * x * x / T(2);
      rest0 += bend * x / T(3);
      rest1 += w1 * bend * x / T(3);
      rest2 += w2 * bend;
    }
    const auto wider = [](Range<T> range, T by) { return Range<T>{range.lo - by, range.hi + by}; };
    return {wider(Sinusoids<T, n>::quadratic(v.f, v.f1, v2, h), rest0),
            wider(Sinusoids<T, n>::quadratic(v.f1, v2, v3, h), rest1),
            wider({v2 - abs(v3) * h, v2 + abs(v3) * h}, rest2)};
  }

  /// sin x − x.
  RICOCHET_HD static T lag(T x) {
    using std::abs;
    using std::sin;
    const T square = x * x;
    if (square > T(1)) return sin(x) - x;
    T term = -x * square / T(6), out = term;
    for (int k = 4; abs(term) > std::numeric_limits<T>::epsilon() * abs(out) / T(4); k += 2) {
      term *= -square / T(k * (k + 1));
      out += term;
    }
    return out;
  }
};

/// `sum` from its start on.
template <class T, int n>
[[nodiscard]] RICOCHET_HD FromStart<T, n> from_start(const Sinusoids<T, n>& sum) {
  return {sum, sum.shift, sum.start_noise, sum.rate_noise};
}

template <class T>
struct Crossing {
  T t = T(0);
  bool found = false;
  bool gave_up = false;  ///< the budget was spent: neither a root nor its absence is known
  int evaluations = 0;
};

inline constexpr int long_in_doubt = 1000;         ///< evaluations that hardly any sum needs
inline constexpr int most_enclosures = 1'000'000;  ///< where a search gives up

namespace detail {

/// Root in [l, r] with f(l) > 0 ≥ f(r).
template <class T, class F>
RICOCHET_HD T polish(const F& f, T l, T r, int& evaluations) {
  const NewtonRoot<T> root =
      bracketed_newton<T>([&](T x) { return f.at(x); }, r, l, (l + r) / T(2), std::numeric_limits<T>::epsilon());
  evaluations += root.evaluations;
  return root.x;
}

/// Where f' changes sign in [l, r], at whose ends it has opposite ones.
template <class T, class F>
RICOCHET_HD T extremum(const F& f, T l, T r, int& evaluations) {
  const auto slope = [&](T x) { return f.at(x).f1; };
  const Bracket<T> bracket = bracketed_secant<T>(slope, l, slope(l), r, slope(r), std::numeric_limits<T>::epsilon());
  evaluations += bracket.evaluations;
  return bracket.middle();
}

/// By how much raising f by `noise` has put off the fall at t.
template <class T, class F>
RICOCHET_HD T put_off(const F& f, T noise, T t) {
  const Value<T> v = f.at(t);
  return v.f1 < T(0) && v.f < noise ? (v.f - noise) / v.f1 : T(0);
}

}  // namespace detail

/// The first t in [begin, end] at which f falls from above zero to below; a root that f only touches is none, and
/// an f that begins below and falls has fallen at once. F has `at(t)` and `enclose(m, h)`.
template <class T, class F>
RICOCHET_HD Crossing<T> first_fall(const F& f, T begin, T end, int budget = most_enclosures) {
  constexpr T eps = std::numeric_limits<T>::epsilon();
  constexpr int depth = 200;
  std::array<T, depth> right{};
  int top = 0;
  right[0] = end;
  T l = begin;
  Crossing<T> out;
  const auto take = [&](T t) {
    out.t = t;
    out.found = true;
    return out;
  };
  while (top >= 0) {
    const T r = right[static_cast<std::size_t>(top)];
    const T m = l + (r - l) / T(2), h = (r - l) / T(2);
    if (++out.evaluations > budget) {
      out.gave_up = true;
      return out;
    }
    const Enclosure<T> e = f.enclose(m, h);
    bool clear = e.f.lo > T(0) || e.f1.lo >= T(0);
    if (!clear && (e.f1.hi <= T(0) || e.f2.hi <= T(0))) {
      // Falling throughout, or concave: at most one fall, and it has happened by r or not at all.
      out.evaluations += 2;
      if (f.at(r).f > T(0)) {
        clear = true;
      } else {
        const Value<T> left = f.at(l);
        if (left.f > T(0)) return take(detail::polish(f, l, r, out.evaluations));
        if (left.f1 <= T(0)) return take(l);
        const T peak = f.at(r).f1 < T(0) ? detail::extremum(f, l, r, out.evaluations) : r;
        if (f.at(peak).f > T(0)) return take(detail::polish(f, peak, r, out.evaluations));
        clear = true;
      }
    } else if (!clear && e.f2.lo >= T(0)) {
      // Convex: falls to its minimum, rises after.
      out.evaluations += 2;
      const Value<T> left = f.at(l);
      if (left.f1 >= T(0)) {
        clear = true;
      } else {
        const T lowest = f.at(r).f1 > T(0) ? detail::extremum(f, l, r, out.evaluations) : r;
        if (f.at(lowest).f > T(0)) {
          clear = true;
        } else {
          return take(left.f <= T(0) ? l : detail::polish(f, l, lowest, out.evaluations));
        }
      }
    }
    if (!clear && (h <= T(2) * eps * r || top + 1 >= depth)) {
      const Value<T> last = f.at(r);
      if (last.f <= T(0) && last.f1 <= T(0)) return take(r);
      clear = true;
    }
    if (clear) {
      l = r;
      --top;
    } else {
      right[static_cast<std::size_t>(++top)] = m;
    }
  }
  return out;
}

/// Whether f, raised by `noise`, is zero to a few times that wherever it is looked at.
template <class T, class F>
RICOCHET_HD bool is_nothing(const F& f, T noise, T begin, T end) {
  using std::abs;
  constexpr int looks = 16;
  for (int i = 1; i < looks; ++i)
    if (abs(f.at(begin + (end - begin) * T(i) / T(looks)).f - noise) > T(8) * noise) return false;
  return true;
}

/// The first fall of f, which has been raised by `noise`. Terms that cancel throughout leave nothing but noise, which
/// no bound on the terms tells from a fall; more samples than such a sum has coefficients do.
template <class T, class F>
RICOCHET_HD Crossing<T> fall_or_nothing(const F& f, T noise, T begin, T end, int budget) {
  Crossing<T> hit = first_fall<T>(f, begin, end, long_in_doubt);
  if (!hit.gave_up) return hit;
  const int spent = hit.evaluations;
  if (is_nothing<T>(f, noise, begin, end)) {
    hit.gave_up = false;
  } else if (budget > long_in_doubt) {
    hit = first_fall<T>(f, begin, end, budget);
  }
  hit.evaluations += spent;
  return hit;
}

/// The first fall of an f that rounding has moved by up to `noise`: f is raised by it, so that the zero at which a
/// phase begins is not taken for its end, and the root moved back by what that has put it off. Time counts from the
/// start of the phase, and `from_start(f)` is f in the form that is exact there, with the bound `noise(t)` on its
/// rounding.
template <class T, class F>
RICOCHET_HD Crossing<T> first_sure_fall(F f, T noise, T begin, T end, int budget = most_enclosures) {
  f.shift += noise;
  Crossing<T> hit = fall_or_nothing<T>(f, noise, begin, end, budget);
  if (hit.gave_up) return hit;
  T last = hit.found ? hit.t : end, back = hit.found ? detail::put_off(f, noise, last) : T(0);
  if (hit.found ? back > T(1e-8L) * last : f.at(last).f < T(2) * noise) {
    // Until then f was hardly larger than rounding, as where bodies graze and the slip stretches the springs. There is
    // less rounding until then than at any time, less still until the fall that this makes appear, and so on.
    f.shift -= noise;
    auto near = from_start(f);
    const T shift = near.shift;
    T less = near.noise(last);
    while (less < noise / T(2)) {
      noise = less;
      near.shift = shift + noise;
      const Crossing<T> again = fall_or_nothing<T>(near, noise, T(0), last, budget);
      hit.evaluations += again.evaluations;
      if (!again.found) break;
      hit.found = true;
      last = again.t;
      back = detail::put_off(near, noise, last);
      less = near.noise(last);
    }
  }
  hit.t = back < last ? last - back : last;
  return hit;
}

}  // namespace ricochet::compliant
