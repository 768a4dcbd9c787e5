#pragma once
/// Chebyshev–Lobatto collocation on [−1, 1]: nodes, spectral integration and interpolation, all tabulated at compile
/// time. A function analytic near the interval is integrated from −1 to every node at once, with an error that falls
/// geometrically in N.

#include <array>

#include "ricochet/base/linear.hpp"

namespace ricochet {

namespace detail {

inline constexpr long double pi = 3.141592653589793238462643383279502884L;

/// cos(π k / N) for any integer k, to long double rounding. Reduces to [0, π/4] so that the series ends quickly.
constexpr long double cos_pi(long k, long N) {
  k %= 2 * N;
  if (k < 0) k += 2 * N;
  if (k > N) k = 2 * N - k;
  long double sign = 1;
  if (2 * k > N) {
    k = N - k;
    sign = -1;
  }
  const bool cofunction = 4 * k > N;
  const long double x = cofunction ? pi * static_cast<long double>(N - 2 * k) / static_cast<long double>(2 * N)
                                   : pi * static_cast<long double>(k) / static_cast<long double>(N);
  long double term = cofunction ? x : 1.0L;
  long double sum = 0;
  for (int i = cofunction ? 1 : 0; i < 60; i += 2) {
    sum += term;
    term *= -x * x / static_cast<long double>((i + 1) * (i + 2));
  }
  return sign * sum;
}

}  // namespace detail

template <class T, int N>
struct Chebyshev {
  static constexpr int size = N + 1;

  std::array<T, size> x{};                           ///< nodes, ascending from −1 to 1
  std::array<std::array<T, size>, size> integral{};  ///< column-major: integral[j][i] weighs f(x_j) in ∫₋₁^{x_i} f
  std::array<std::array<T, size>, 3> tail{};         ///< the last three Chebyshev coefficients of f

  constexpr Chebyshev() {
    for (int i = 0; i <= N; ++i) x[at(i)] = T(-detail::cos_pi(i, N));
    for (int j = 0; j <= N; ++j) {
      const long double end_j = (j == 0 || j == N) ? 0.5L : 1.0L;
      // T_k at node j (ascending order) is cos(kπ(N − j)/N).
      for (int i = 0; i <= N; ++i) {
        long double sum = 0;
        for (int k = 0; k <= N; ++k) {
          const long double end_k = (k == 0 || k == N) ? 0.5L : 1.0L;
          sum += end_k * detail::cos_pi(static_cast<long>(k) * (N - j), N) * antiderivative(k, i);
        }
        integral[at(j)][at(i)] = T(2.0L / N * end_j * sum);
      }
      for (int r = 0; r < 3; ++r) {
        const int k = N - r;
        const long double end_k = k == N ? 0.5L : 1.0L;
        tail[at(r)][at(j)] = T(2.0L / N * end_j * end_k * detail::cos_pi(static_cast<long>(k) * (N - j), N));
      }
    }
  }

  /// ∫ of the interpolant of f from −1 to x_i, for every i.
  RICOCHET_HD void integrate(const std::array<T, size>& f, T scale, T start, std::array<T, size>& out) const {
    for (int i = 0; i <= N; ++i) out[at(i)] = T(0);
    for (int j = 0; j <= N; ++j) {
      const T fj = f[at(j)] * scale;
      const auto& column = integral[at(j)];
      for (int i = 0; i <= N; ++i) out[at(i)] += column[at(i)] * fj;
    }
    for (int i = 0; i <= N; ++i) out[at(i)] += start;
  }

  /// ∫ of the interpolant over the whole interval.
  RICOCHET_HD T total(const std::array<T, size>& f) const {
    T sum = T(0);
    for (int j = 0; j <= N; ++j) sum += integral[at(j)][at(N)] * f[at(j)];
    return sum;
  }

  /// Largest of the last three coefficients: how far f is from being resolved.
  RICOCHET_HD T unresolved(const std::array<T, size>& f) const {
    T worst = T(0);
    for (int r = 0; r < 3; ++r) {
      T sum = T(0);
      for (int j = 0; j <= N; ++j) sum += tail[at(r)][at(j)] * f[at(j)];
      if (sum < T(0)) sum = -sum;
      if (!(sum <= worst)) worst = sum;
    }
    return worst;
  }

  /// Barycentric weights at a point: f(z) = Σ weight_j f(x_j).
  RICOCHET_HD std::array<T, size> weights(T z) const {
    std::array<T, size> w{};
    T sum = T(0);
    for (int j = 0; j <= N; ++j) {
      const T gap = z - x[at(j)];
      if (gap == T(0)) {
        w.fill(T(0));
        w[at(j)] = T(1);
        return w;
      }
      T c = (j % 2 == 0 ? T(1) : T(-1)) / gap;
      if (j == 0 || j == N) c /= T(2);
      w[at(j)] = c;
      sum += c;
    }
    for (T& v : w) v /= sum;
    return w;
  }

  RICOCHET_HD static T dot(const std::array<T, size>& a, const std::array<T, size>& b) {
    T sum = T(0);
    for (int j = 0; j <= N; ++j) sum += a[at(j)] * b[at(j)];
    return sum;
  }

 private:
  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

  /// ∫₋₁^{x_i} T_k, with T_k(x_i) = cos(kπ(N − i)/N).
  static constexpr long double antiderivative(int k, int i) {
    const auto T_at = [&](int order) { return detail::cos_pi(static_cast<long>(order) * (N - i), N); };
    if (k == 0) return T_at(1) + 1;
    if (k == 1) return (T_at(1) * T_at(1) - 1) / 2;
    const long double up = static_cast<long double>(k) + 1;
    const long double down = static_cast<long double>(k) - 1;
    const long double parity = k % 2 == 0 ? 1 : -1;
    return (T_at(k + 1) / up - T_at(k - 1) / down) / 2 - parity / (up * down);
  }
};

}  // namespace ricochet
