#pragma once
/// Chebyshev–Lobatto collocation on [−1, 1]: nodes, spectral integration and interpolation, all tabulated at compile
/// time. A function analytic near the interval is integrated from −1 to every node at once, with an error that falls
/// geometrically in N.

#include <array>
#include <type_traits>

#include "ricochet/base/constants.hpp"

namespace ricochet {

namespace detail {

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
  const long double x =
      cofunction ? ricochet::pi<long double>() * static_cast<long double>(N - 2 * k) / static_cast<long double>(2 * N)
                 : ricochet::pi<long double>() * static_cast<long double>(k) / static_cast<long double>(N);
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
  std::array<std::array<T, size>, size> rows{};      ///< the same, rows[i][j]
  std::array<T, size> whole{};                       ///< weights of ∫₋₁¹ f
  std::array<std::array<T, size>, 3> tail{};         ///< the last three Chebyshev coefficients of f

  constexpr Chebyshev() {
    // cos(πk/N) for a whole turn; T_k at node j (ascending) is cos(πk(N − j)/N).
    std::array<long double, 2 * N> turn{};
    for (int k = 0; k < 2 * N; ++k) turn[at(k)] = detail::cos_pi(k, N);
    const auto T_at = [&](int k, int j) { return turn[at(k * (N - j) % (2 * N))]; };
    const auto halved = [](int k) { return k == 0 || k == N ? 0.5L : 1.0L; };
    // ∫₋₁^{x_i} T_k
    const auto antiderivative = [&](int k, int i) {
      if (k == 0) return T_at(1, i) + 1;
      if (k == 1) return (T_at(1, i) * T_at(1, i) - 1) / 2;
      const long double up = static_cast<long double>(k) + 1;
      const long double down = static_cast<long double>(k) - 1;
      return (T_at(k + 1, i) / up - T_at(k - 1, i) / down) / 2 - (k % 2 == 0 ? 1 : -1) / (up * down);
    };
    for (int i = 0; i <= N; ++i) {
      x[at(i)] = T(-turn[at(i)]);
      std::array<long double, size> rise{};
      for (int k = 0; k <= N; ++k) rise[at(k)] = halved(k) * antiderivative(k, i);
      for (int j = 0; j <= N; ++j) {
        long double sum = 0;
        for (int k = 0; k <= N; ++k) sum += T_at(k, j) * rise[at(k)];
        integral[at(j)][at(i)] = rows[at(i)][at(j)] = T(2.0L / N * halved(j) * sum);
      }
    }
    for (int j = 0; j <= N; ++j) whole[at(j)] = integral[at(j)][at(N)];
    for (int r = 0; r < 3; ++r)
      for (int j = 0; j <= N; ++j) tail[at(r)][at(j)] = T(2.0L / N * halved(j) * halved(N - r) * T_at(N - r, j));
  }

  /// ∫ of the interpolant of f from −1 to x_i, for every i. f may be of a scalar that carries derivatives.
  template <class U>
  RICOCHET_HD void integrate(const std::array<U, size>& f, U scale, U start, std::array<U, size>& out) const {
    for (int i = 0; i <= N; ++i) out[at(i)] = U(0);
    for (int j = 0; j <= N; ++j) {
      const U fj = f[at(j)] * scale;
      const auto& column = integral[at(j)];
      for (int i = 0; i <= N; ++i) out[at(i)] += fj * column[at(i)];
    }
    for (int i = 0; i <= N; ++i) out[at(i)] += start;
  }

  /// Largest of the last three coefficients: how far f is from being resolved.
  template <class U>
  RICOCHET_HD T unresolved(const std::array<U, size>& f) const {
    T worst = T(0);
    for (int r = 0; r < 3; ++r) {
      T sum = T(0);
      if constexpr (std::is_same_v<T, U>) {
        sum = dot(tail[at(r)], f);
      } else {
        for (int j = 0; j <= N; ++j) sum += tail[at(r)][at(j)] * T(f[at(j)]);
      }
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
    const T scale = T(1) / sum;
    for (T& v : w) v *= scale;
    return w;
  }

  /// Weights of ∫₋₁^z f = Σ weight_j f(x_j), from the barycentric weights at z.
  RICOCHET_HD std::array<T, size> integral_weights(const std::array<T, size>& at_z) const {
    std::array<T, size> w{};
    for (int i = 0; i <= N; ++i) {
      const T weight = at_z[at(i)];
      const auto& row = rows[at(i)];
      for (int j = 0; j <= N; ++j) w[at(j)] += row[at(j)] * weight;
    }
    return w;
  }

  /// In four partial sums, which a processor adds in parallel.
  template <class U>
  RICOCHET_HD static U dot(const std::array<T, size>& a, const std::array<U, size>& b) {
    U part[4] = {U(0), U(0), U(0), U(0)};
    int j = 0;
    for (; j + 3 <= N; j += 4)
      for (int k = 0; k < 4; ++k) part[k] += b[at(j + k)] * a[at(j + k)];
    for (; j <= N; ++j) part[0] += b[at(j)] * a[at(j)];
    return (part[0] + part[1]) + (part[2] + part[3]);
  }

 private:
  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }
};

namespace detail {

template <class T, int N>
inline constexpr Chebyshev<T, N> chebyshev_table{};
#if defined(__CUDACC__)
template <class T, int N>
__device__ constexpr Chebyshev<T, N> chebyshev_table_on_device{};
#endif

}  // namespace detail

/// The one table for N, in host and in device code.
template <class T, int N>
[[nodiscard]] RICOCHET_HD const Chebyshev<T, N>& chebyshev() {
#if defined(__CUDA_ARCH__)
  return detail::chebyshev_table_on_device<T, N>;
#else
  return detail::chebyshev_table<T, N>;
#endif
}

}  // namespace ricochet
