#pragma once
/// The first crossing of a polynomial in exact arithmetic (docs/motion.md (EV6)): Bernstein coefficients as
/// integers of many words, halved by additions and shifts alone. Slower than `first_crossing` by two orders, and called
/// by it where rounding leaves a sign open.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ricochet/base/linear.hpp"
#include "ricochet/base/polynomial.hpp"
#include "ricochet/motion/crossing.hpp"

namespace ricochet::motion {

namespace exact_detail {

using Word = std::uint64_t;

/// Words of one integer. A double zero of a quartic whose coefficients span L bits takes about 13 L bits (EV8).
inline constexpr int capacity = 512;

/// A row of words is an integer in two's complement, lowest word first.
RICOCHET_HD inline void add(Word* a, const Word* b, int size) {
  Word carry = 0;
  for (int i = 0; i < size; ++i) {
    const Word s = a[i] + b[i], t = s + carry;
    carry = static_cast<Word>(s < a[i]) | static_cast<Word>(t < s);
    a[i] = t;
  }
}

RICOCHET_HD inline void shift_left(Word* a, int size, int by) {
  if (by == 0) return;
  for (int i = size - 1; i > 0; --i) a[i] = (a[i] << by) | (a[i - 1] >> (64 - by));
  a[0] <<= by;
}

/// a ± magnitude 2^shift.
RICOCHET_HD inline void add_shifted(Word* a, int size, Word magnitude, int shift, bool negative) {
  const int first = shift / 64, off = shift % 64;
  const std::array<Word, 2> part = {magnitude << off, off == 0 ? 0 : magnitude >> (64 - off)};
  Word carry = 0;
  for (int i = first; i < size; ++i) {
    const Word b = i - first < 2 ? part[static_cast<std::size_t>(i - first)] : 0;
    if (negative) {
      const Word s = a[i] - b, t = s - carry;
      carry = static_cast<Word>(a[i] < b) | static_cast<Word>(s < carry);
      a[i] = t;
    } else {
      const Word s = a[i] + b, t = s + carry;
      carry = static_cast<Word>(s < b) | static_cast<Word>(t < s);
      a[i] = t;
    }
  }
}

RICOCHET_HD inline int sign(const Word* a, int size) {
  if (a[size - 1] >> 63) return -1;
  for (int i = size; i-- > 0;)
    if (a[i] != 0) return 1;
  return 0;
}

RICOCHET_HD constexpr int binomial(int n, int k) {
  int c = 1;
  for (int i = 1; i <= k; ++i) c = c * (n - k + i) / i;
  return c;
}

/// Least common multiple of the binomial coefficients of n, which makes every weight of (EV3) an integer.
RICOCHET_HD constexpr int common_multiple(int n) {
  int m = 1;
  for (int k = 0; k <= n; ++k) {
    int a = m, b = binomial(n, k);
    while (b != 0) {
      const int r = a % b;
      a = b;
      b = r;
    }
    m = m / a * binomial(n, k);
  }
  return m;
}

/// Exponent of the distance from a nonnegative double to the next one.
RICOCHET_HD inline int spacing_exponent(double t) {
  if (!(t > 0)) return -1074;
  int e = 0;
  std::frexp(t, &e);
  return e - 53 < -1074 ? -1074 : e - 53;
}

/// t + 2^e rounded down, where the bits of t below 2^e are zero or were rounded off.
RICOCHET_HD inline double advance(double t, int e) { return e < spacing_exponent(t) ? t : t + std::ldexp(1.0, e); }

/// Bernstein coefficients on [left, left + 2^exponent], times a positive factor.
template <int n>
struct Polygon {
  Word row[n + 1][capacity];
  int size;      ///< words in use
  int bits;      ///< no coefficient has more
  int level;     ///< halvings since the whole interval
  int exponent;  ///< of the length
  double left;   ///< rounded down

  RICOCHET_HD int sign_of(int j) const { return sign(row[j], size); }
  /// Makes room for the factor 2^n of a halving.
  RICOCHET_HD bool grow() {
    bits += n;
    const int need = bits / 64 + 1;
    if (need > capacity) return false;
    for (; size < need; ++size)
      for (auto& r : row) r[size] = r[size - 1] >> 63 ? ~Word(0) : Word(0);
    return true;
  }
};

/// Halves the interval: `p` becomes the right half, `left` the left one.
template <int n>
RICOCHET_HD bool halve(Polygon<n>& p, Polygon<n>& left) {
  if (!p.grow()) return false;
  left.size = p.size;
  left.bits = p.bits;
  left.level = p.level = p.level + 1;
  left.exponent = p.exponent = p.exponent - 1;
  left.left = p.left;
  p.left = advance(p.left, p.exponent);
  for (int r = 0; r <= n; ++r) {
    if (r > 0)
      for (int i = 0; i <= n - r; ++i) add(p.row[i], p.row[i + 1], p.size);
    for (int i = 0; i < p.size; ++i) left.row[r][i] = p.row[0][i];
    shift_left(left.row[r], p.size, n - r);
  }
  for (int i = 1; i <= n; ++i) shift_left(p.row[i], p.size, i);
  return true;
}

struct Signs {
  int variations = 0;
  int at_left = 0;  ///< of the value at the left end
  int first = 0;    ///< of the first coefficient that is not zero: of the values just after the left end
};

template <int n>
RICOCHET_HD Signs signs(const Polygon<n>& p) {
  Signs out;
  int last = 0;
  for (int j = 0; j <= n; ++j) {
    const int s = p.sign_of(j);
    if (j == 0) out.at_left = s;
    if (s == 0) continue;
    if (out.first == 0) out.first = s;
    if (last != 0 && s != last) ++out.variations;
    last = s;
  }
  return out;
}

/// The two ends of an interval on which the polynomial has one multiple zero: whether it lies inside, by the sign of
/// the derivative.
template <int n>
RICOCHET_HD bool falls_then_rises(const Polygon<n>& p) {
  const auto rise = [&](int j) {  // sign of coefficient j + 1 − coefficient j, by whole words from the top
    const Word *a = p.row[j], *b = p.row[j + 1];
    const bool a_low = a[p.size - 1] >> 63, b_low = b[p.size - 1] >> 63;
    if (a_low != b_low) return a_low ? 1 : -1;
    for (int i = p.size; i-- > 0;)
      if (a[i] != b[i]) return b[i] > a[i] ? 1 : -1;
    return 0;
  };
  return rise(0) < 0 && rise(n - 1) > 0;
}

/// Exponent p with every zero, complex ones too, within |t| ≤ 2^p (Fujiwara).
template <int n>
RICOCHET_HD int root_bound_exponent(const Coefficients<double, n>& c) {
  int top = n;
  while (top > 0 && c[static_cast<std::size_t>(top)] == 0) --top;
  int leading = 0;
  std::frexp(c[static_cast<std::size_t>(top)], &leading);
  bool any = false;
  int p = 0;
  for (int k = 1; k <= top; ++k) {
    const double lower = c[static_cast<std::size_t>(top - k)];
    if (lower == 0) continue;
    int e = 0;
    std::frexp(lower, &e);
    const int difference = e - leading + 1;
    const int share = difference >= 0 ? (difference + k - 1) / k : -((-difference) / k);
    if (!any || share > p) p = share;
    any = true;
  }
  return any ? p + 1 : -1074;
}

template <int n>
struct Search {
  Polygon<n> pool[n + 2];
  std::array<int, n + 2> slot;

  RICOCHET_HD Polygon<n>& at(int depth) { return pool[slot[static_cast<std::size_t>(depth)]]; }
  RICOCHET_HD void exchange(int i, int j) {
    const int keep = slot[static_cast<std::size_t>(i)];
    slot[static_cast<std::size_t>(i)] = slot[static_cast<std::size_t>(j)];
    slot[static_cast<std::size_t>(j)] = keep;
  }

  /// The Bernstein coefficients (EV3) on [0, 2^k]; the bits of the largest integer coefficient, or −1 without room.
  RICOCHET_HD int fill(Polygon<n>& p, const Coefficients<double, n>& c, int k) {
    constexpr int multiple = common_multiple(n);
    std::array<Word, n + 1> mantissa{};
    std::array<int, n + 1> exponent{};
    bool any = false;
    int least = 0, most = 0;
    for (std::size_t i = 0; i <= n; ++i) {
      if (c[i] == 0) continue;
      int e = 0;
      const double f = std::frexp(std::abs(c[i]), &e);
      mantissa[i] = static_cast<Word>(std::ldexp(f, 53));
      e += -53 + static_cast<int>(i) * k;
      while ((mantissa[i] & 1) == 0) {
        mantissa[i] >>= 1;
        ++e;
      }
      int length = 0;
      while (length < 64 && (mantissa[i] >> length) != 0) ++length;
      exponent[i] = e;
      if (!any || e < least) least = e;
      if (!any || e + length > most) most = e + length;
      any = true;
    }
    const int L = most - least;
    p.bits = L + 14;  // the weights of a coefficient sum to less than 2¹², and there is a sign
    p.size = p.bits / 64 + 1;
    if (p.size > capacity) return -1;
    p.level = 0;
    p.exponent = k;
    p.left = 0;
    for (int j = 0; j <= n; ++j) {
      for (int i = 0; i < p.size; ++i) p.row[j][i] = 0;
      for (int i = 0; i <= j; ++i) {
        const auto u = static_cast<std::size_t>(i);
        if (c[u] == 0) continue;
        const int weight = multiple / binomial(n, i) * binomial(j, i);
        add_shifted(p.row[j], p.size, mantissa[u] * static_cast<Word>(weight), exponent[u] - least, c[u] < 0);
      }
    }
    return L;
  }

  /// Halves until the one zero inside lies between two neighbouring doubles; that below it, or a negative number
  /// without room.
  RICOCHET_HD double simple_zero(int depth, FirstCrossing& out) {
    for (;;) {
      Polygon<n>& right = at(depth);
      if (right.exponent <= spacing_exponent(right.left)) return right.left;
      if (!halve(right, at(depth + 1))) return -1;
      ++out.subdivisions;
      const int middle = right.sign_of(0);
      if (middle == 0) return right.left;
      if (middle < 0) exchange(depth, depth + 1);
    }
  }

  RICOCHET_HD void run(const Coefficients<double, n>& c, double T, double from, Touches touches, FirstCrossing& out) {
    for (int i = 0; i < n + 2; ++i) slot[static_cast<std::size_t>(i)] = i;
    int k = 0;
    if (std::frexp(T, &k) == 0.5) --k;  // [0, 2^k] contains [0, T]
    const int bound = root_bound_exponent<n>(c);
    if (bound < k) k = bound;
    int depth = 0;
    const int L = fill(at(0), c, k);
    if (L < 0) {
      out.kind = CrossingKind::undecided;
      return;
    }
    const int separated = (n - 1) * L + 40;  // (EV7)
    const auto crosses_at = [&](double t) {
      if (t < 0) {
        out.kind = CrossingKind::undecided;
      } else if (t < T) {
        out.kind = CrossingKind::crosses;
        out.time = t;
      }
    };
    while (depth >= 0) {
      Polygon<n>& p = at(depth);
      if (p.left >= T) return;
      const Signs s = signs(p);
      if (s.first < 0) return crosses_at(p.left);
      if (s.at_left == 0 && touches == Touches::report && !out.touches && p.left > 0) {
        out.touches = true;
        out.touch = p.left;
      }
      if (s.variations == 1) return crosses_at(simple_zero(depth, out));
      const bool before = advance(p.left, p.exponent) <= from && p.exponent > spacing_exponent(p.left);
      if (s.variations == 0 || before) {
        --depth;
        continue;
      }
      if (p.level >= separated && p.exponent <= spacing_exponent(p.left)) {
        if (s.variations % 2 == 1) return crosses_at(p.left);
        if (touches == Touches::report && !out.touches && falls_then_rises(p)) {
          out.touches = true;
          out.touch = p.left;
        }
        --depth;
        continue;
      }
      if (depth + 1 > n || !halve(p, at(depth + 1))) {
        out.kind = CrossingKind::undecided;
        return;
      }
      ++out.subdivisions;
      const Signs right = signs(p);
      if (right.at_left < 0) {  // crosses in the left half: nothing after it counts
        exchange(0, depth + 1);
        depth = 0;
      } else if (right.variations == 0 && right.at_left > 0) {  // nothing to find there
        exchange(depth, depth + 1);
      } else {
        ++depth;
      }
    }
  }
};

}  // namespace exact_detail

/// The first crossing of a polynomial with c₀ > 0, T > 0 and a negative coefficient, which is known to be positive on
/// [0, from].
template <int n>
#if defined(__GNUC__)
__attribute__((noinline, cold))
#endif
RICOCHET_HD void
exact_first_crossing(const Coefficients<double, n>& c, double T, double from, Touches touches, FirstCrossing& out) {
  exact_detail::Search<n> search;
  out.exact = true;
  search.run(c, T, from, touches, out);
}

}  // namespace ricochet::motion
