#pragma once
/// The first time at which a gap p(t) = c₀ + c₁t + … + c_n tⁿ becomes negative in [0, T] (docs/motion.md (EV1)), with
/// decisions that are exact for the stored coefficients: Bernstein coefficients in double with a bound on their
/// rounding, and integers of many words where that bound leaves a sign open. Nothing is allocated or thrown.

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "ricochet/base/linear.hpp"
#include "ricochet/base/polynomial.hpp"
#include "ricochet/base/twofold.hpp"
#include "ricochet/motion/crossing.hpp"
#include "ricochet/motion/exact_crossing.hpp"

namespace ricochet::motion {

namespace crossing_detail {

inline constexpr double u = 0x1p-53;            ///< half the distance from 1 to the next double
inline constexpr double underflow = 0x1p-1000;  ///< more than all results of one problem lose by underflow

RICOCHET_HD inline double power_of_two(int e) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + e) << 52);
}

/// Bernstein coefficients on an interval, S ≥ |b_j| and a bound E on their error (EV4).
template <int n>
struct Polygon {
  std::array<double, n + 1> b;
  double left, width, S, E;
};

/// (EV3) from the coefficients of a polynomial on [0, 1].
template <int n>
RICOCHET_HD void fill(Polygon<n>& p, const Coefficients<double, n>& a) {
  constexpr auto weight = [] {
    std::array<std::array<double, n + 1>, n + 1> w{};
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i <= j; ++i)
        w[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)] =
            static_cast<double>(exact_detail::binomial(j, i)) / exact_detail::binomial(n, i);
    return w;
  }();
  double S = 0;
  for (std::size_t i = 0; i <= n; ++i) S += std::abs(a[i]);
  for (std::size_t j = 0; j <= n; ++j) {
    double sum = a[0];
    for (std::size_t i = 1; i <= j; ++i) sum += weight[j][i] * a[i];
    p.b[j] = sum;
  }
  p.S = S;
  p.E = (2 * n + 10) * u * S + underflow;
}

/// Halves the interval: `p` becomes the right half.
template <int n>
RICOCHET_HD void halve(Polygon<n>& p, Polygon<n>& left) {
  left.b[0] = p.b[0];
  for (std::size_t r = 1; r <= n; ++r) {
    for (std::size_t i = 0; i <= n - r; ++i) p.b[i] = 0.5 * (p.b[i] + p.b[i + 1]);
    left.b[r] = p.b[0];
  }
  left.S = p.S;
  left.E = p.E = p.E + 2 * n * u * p.S;
  left.width = p.width = 0.5 * p.width;
  left.left = p.left;
  p.left += p.width;
}

/// Signs that are certain, one bit for each coefficient.
template <int n>
struct CertainSigns {
  unsigned positive = 0, negative = 0;
  static constexpr unsigned all = (1U << (n + 1)) - 1;

  RICOCHET_HD explicit CertainSigns(const Polygon<n>& p) {
    for (std::size_t j = 0; j <= n; ++j) {
      positive |= static_cast<unsigned>(p.b[j] > p.E) << j;
      negative |= static_cast<unsigned>(p.b[j] < -p.E) << j;
    }
  }
  /// Positive, then at most one coefficient of unknown sign, then negative: one variation whatever its sign.
  [[nodiscard]] RICOCHET_HD bool one_variation() const {
    const int up = std::countr_one(positive), down = std::countl_one(negative << (31 - n));
    return up > 0 && down > 0 && up + down >= n;
  }
  [[nodiscard]] RICOCHET_HD bool ends_negative() const { return (negative >> n) != 0; }
};

/// The only zero in (left, left + width), a simple one, rounded down; a negative number where rounding hides on which
/// side of a double it lies.
template <int n>
RICOCHET_HD double simple_zero(const Coefficients<double, n>& a, const Polygon<n>& p, const CertainSigns<n>& signs) {
  const int last = std::countr_one(signs.positive) - 1, next = n + 1 - std::countl_one(signs.negative << (31 - n));
  const double high_b = p.b[static_cast<std::size_t>(last)], low_b = p.b[static_cast<std::size_t>(next)];
  const double end = p.left + p.width;
  double low = p.left, high = end;
  double x = p.left + p.width * ((last + (next - last) * (high_b / (high_b - low_b))) / n);
  double slope = 0;
  bool settled = false;
  for (int i = 0; i < 80 && !settled; ++i) {
    double f = a[n];
    slope = 0;
    for (std::size_t k = n; k-- > 0;) {
      slope = slope * x + f;
      f = f * x + a[k];
    }
    (f < 0 ? high : low) = x;
    double y = x - f / slope;
    if (!(y > low && y < high)) y = 0.5 * (low + high);
    settled = std::abs(y - x) <= 0x1p-26 * x;
    x = y;
  }
  // One step of Newton's method over an interval (EV5), with the value at x to twice the precision.
  for (int i = 0; i < 3; ++i) {
    double f = a[n], remainder = 0, size = std::abs(a[n]), steepness = 0;
    slope = 0;
    for (std::size_t k = n; k-- > 0;) {
      slope = slope * x + f;
      steepness = steepness * x + size;
      const auto product = Twofold<double>::product(f, x);
      const auto sum = Twofold<double>::sum(product.hi, a[k]);
      f = sum.hi;
      remainder = remainder * x + (product.lo + sum.lo);
      size = size * x + std::abs(a[k]);
    }
    f += remainder;
    const double f_error = 4 * u * std::abs(f) + 16.0 * n * n * u * u * size + underflow;
    const double slope_error = 64.0 * n * u * steepness + underflow / x;
    const double least = std::abs(slope) - slope_error;
    if (!(least > 0.5 * std::abs(slope))) return -1;
    const double step = -f / slope;
    const auto zero = Twofold<double>::sum(x, step);
    if (std::abs(step) > 16 * u * x) {
      x = zero.hi;
      if (!(x > p.left && x < end)) return -1;
      continue;
    }
    const double error = 1.01 * (f_error + std::abs(step) * slope_error) / least + 2 * u * std::abs(step);
    if (!(error < 0.125 * u * x && std::abs(zero.lo) > error && zero.hi > p.left && zero.hi < end)) return -1;
    return zero.lo > 0 ? zero.hi : std::bit_cast<double>(std::bit_cast<std::uint64_t>(zero.hi) - 1);
  }
  return -1;
}

/// c₀ > 0, T > 0, some coefficient negative.
template <int n>
RICOCHET_HD void search(const Coefficients<double, n>& c, double T, Touches touches, FirstCrossing& out) {
  constexpr int most_pending = 64;
  const auto exactly = [&](double from) { exact_first_crossing<n>(c, T, from, touches, out); };
  // [0, 2^k] contains [0, T], and t = 2^k x.
  const auto bits = std::bit_cast<std::uint64_t>(T);
  int k = static_cast<int>(bits >> 52) - 1023 + static_cast<int>((bits << 12) != 0);
  if (k > 100) {
    const int bound = exact_detail::root_bound_exponent<n>(c);
    if (bound < k) k = bound;
  }
  constexpr int range = 800 / n;
  if (k > range || k < -range) return exactly(0);
  const double scale = power_of_two(k), x_end = T / scale;
  Coefficients<double, n> a, edge;
  double power = 1;
  for (std::size_t i = 0; i <= n; ++i) {
    a[i] = edge[i] = c[i] * power;
    power *= scale;
  }
  Polygon<n> p;
  p.left = 0;
  p.width = 1;
  fill(p, edge);
  if (!(p.S < 0x1p900)) return exactly(0);
  std::array<Polygon<n>, most_pending> pending;
  std::size_t waiting = 0;
  for (;;) {
    CertainSigns<n> signs(p);
    const bool at_start = p.left == 0;
    if (at_start) signs.positive |= 1;
    if (signs.positive == signs.all) {
      if (waiting == 0) return;
      p = pending[--waiting];
      continue;
    }
    if (signs.one_variation()) {
      const double x = simple_zero(a, p, signs);
      if (x < 0 || x * scale < 0x1p-1000) return exactly(p.left * scale);
      if (x < x_end) {
        out.kind = CrossingKind::crosses;
        out.time = x * scale;
      }
      return;
    }
    if (p.width < 0x1p-900 || (!at_start && (signs.positive | signs.negative) == 0)) return exactly(p.left * scale);
    Polygon<n> left;
    halve(p, left);
    ++out.subdivisions;
    const CertainSigns<n> right(p);
    if ((right.negative & 1) != 0)
      waiting = 0;  // crosses in the left half: nothing after it counts
    else if (right.positive != right.all && p.left < x_end) {
      if (waiting == most_pending) return exactly(left.left * scale);
      pending[waiting++] = p;
    }
    if (at_start) {
      power = 1;
      for (std::size_t i = 0; i <= n; ++i) {
        edge[i] *= power;
        power *= 0.5;
      }
      fill(left, edge);
    }
    p = left;
  }
}

}  // namespace crossing_detail

/// First crossing of Σ c_i tⁱ in [0, T]; an infinite T stands for the largest double. Any leading coefficients may be
/// zero or of the size of rounding.
template <int n>
[[nodiscard]] RICOCHET_HD FirstCrossing first_crossing(const Coefficients<double, n>& c, double T,
                                                       Touches touches = Touches::ignore) {
  static_assert(n >= 1 && n <= 8);
  FirstCrossing out;
  double finite = 0;
  bool falls = false;
  for (const double x : c) {
    finite += 0 * x;
    falls |= x < 0;
  }
  if (finite != 0 || !(T >= 0)) {
    out.kind = CrossingKind::invalid;
    return out;
  }
  if (T > std::numeric_limits<double>::max()) T = std::numeric_limits<double>::max();
  if (c[0] < 0) {
    out.kind = CrossingKind::starts_negative;
    return out;
  }
  if (c[0] > 0) {
    if (falls && T > 0) crossing_detail::search<n>(c, T, touches, out);
    return out;
  }
  // p = t^m r with r(0) ≠ 0 has the sign of r for t > 0.
  int m = 1;
  while (m <= n && c[static_cast<std::size_t>(m)] == 0) ++m;
  out.start_order = m;
  if (!falls || T == 0) return out;
  if (c[static_cast<std::size_t>(m)] < 0) {
    out.kind = CrossingKind::crosses;
    return out;
  }
  Coefficients<double, n> r{};
  for (int i = m; i <= n; ++i) r[static_cast<std::size_t>(i - m)] = c[static_cast<std::size_t>(i)];
  crossing_detail::search<n>(r, T, touches, out);
  return out;
}

}  // namespace ricochet::motion
