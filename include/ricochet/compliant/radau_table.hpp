#pragma once
/// Collocation at the s right Radau points of (0, 1], of order 2s − 1 and stiffly accurate: nodes, and what integrates
/// and judges polynomials through them, made at compile time.

#include <array>
#include <cstddef>

namespace ricochet::compliant {

namespace radau {

/// P_{s−1} and P_s of Legendre at x.
constexpr std::array<long double, 2> legendre(int s, long double x) {
  long double before = 1, now = x;
  for (int k = 1; k < s; ++k) {
    const long double next = ((2 * k + 1) * x * now - k * before) / (k + 1);
    before = now;
    now = next;
  }
  return {before, now};
}

/// The zeros of f inside (−1, 1), found by bisection on a fine grid.
template <int count, class F>
constexpr std::array<long double, count> zeros(const F& f) {
  std::array<long double, count> out{};
  std::size_t found = 0;
  constexpr int cells = 399;  // no zero of a Legendre polynomial lies on the grid
  for (int i = 0; i < cells && found < count; ++i) {
    long double lo = -1 + 1.999L * i / cells, hi = -1 + 1.999L * (i + 1) / cells;
    const bool up = f(lo) < 0;
    if (up == (f(hi) < 0)) continue;
    for (int k = 0; k < 70; ++k) {
      const long double mid = (lo + hi) / 2;
      ((f(mid) < 0) == up ? lo : hi) = mid;
    }
    out[found++] = (lo + hi) / 2;
  }
  return out;
}

/// Nodes on (−1, 1], the last one 1: zeros of P_s − P_{s−1}.
template <int s>
constexpr std::array<long double, s> nodes() {
  const auto inner = zeros<s - 1>([](long double x) {
    const auto p = legendre(s, x);
    return p[1] - p[0];
  });
  std::array<long double, s> out{};
  for (std::size_t i = 0; i + 1 < s; ++i) out[i] = inner[i];
  out[s - 1] = 1;
  return out;
}

/// Quadrature on (−1, 1) at the zeros of P_g.
template <int g>
struct Gauss {
  std::array<long double, g> at{}, weight{};
};
template <int g>
constexpr Gauss<g> gauss() {
  Gauss<g> out;
  out.at = zeros<g>([](long double x) { return legendre(g, x)[1]; });
  for (std::size_t k = 0; k < g; ++k) {
    const long double x = out.at[k], before = legendre(g, x)[0];
    out.weight[k] = 2 * (1 - x * x) / (g * before * g * before);
  }
  return out;
}

}  // namespace radau

template <class T, int s>
struct RadauTable {
  std::array<T, s> c{};                 ///< nodes
  std::array<std::array<T, s>, s> a{};  ///< a[i][j] = ∫₀^{c_i} ℓ_j
  std::array<T, s> tail{};              ///< coefficient of the Legendre polynomial of degree s − 1

  constexpr RadauTable() {
    constexpr int g = (s + 1) / 2;  // points of Gauss that integrate ℓ_j without error
    const auto x = radau::nodes<s>();
    const auto gauss = radau::gauss<g>();
    long double lead = 1;  // of P_{s−1}: (2k)!/(2^k k!²), k = s − 1
    for (int k = 1; k < s; ++k) lead *= static_cast<long double>(2 * k - 1) / k;
    for (std::size_t j = 0; j < s; ++j) {
      c[j] = T((1 + x[j]) / 2);
      long double scale = 1;
      for (std::size_t k = 0; k < s; ++k)
        if (k != j) scale *= x[j] - x[k];
      tail[j] = T(1 / scale / lead);
      for (std::size_t i = 0; i < s; ++i) {
        const long double half = (1 + x[i]) / 2;
        long double sum = 0;
        for (std::size_t m = 0; m < g; ++m) {
          const long double at = -1 + half * (1 + gauss.at[m]);
          long double basis = 1;
          for (std::size_t k = 0; k < s; ++k)
            if (k != j) basis *= (at - x[k]) / (x[j] - x[k]);
          sum += gauss.weight[m] * basis;
        }
        a[i][j] = T(sum * half / 2);
      }
    }
  }
};

}  // namespace ricochet::compliant
