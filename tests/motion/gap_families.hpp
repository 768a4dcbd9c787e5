#pragma once
/// Random gaps of degree 1 to 8, ordinary and adversarial, for tests and benchmarks.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string_view>

#include "ricochet/motion/first_crossing.hpp"

namespace ricochet::motion::testing {

struct Gap {
  int n = 0;
  std::array<double, 9> c{};
  double T = 1;
};

enum class Family : std::uint8_t {
  ordinary,            ///< coefficients of one size, some of them zero
  spheres,             ///< squared distance of two spheres under different accelerations
  near_double,         ///< two zeros apart by 1e-2 to 1e-16 of themselves, coefficients rounded
  thin_obstacle,       ///< negative only for 1e-9 of the time
  exact_double,        ///< a double zero of exactly representable coefficients
  off_by_one_unit,     ///< the same with one coefficient moved to a neighbouring double
  exact_triple,        ///< a triple zero, exactly
  small_integers,      ///< coefficients −3 … 3: many multiple and rational zeros
  two_events,          ///< two dips below zero, the first one shallow
  parted,              ///< starts at zero or at the size of rounding
  leading_rounding,    ///< leading coefficients of the size of rounding, or much smaller
  dyadic_zeros,        ///< zeros at multiples of 1/8, also at T
  wide,                ///< sizes over 200 decades
  repeated_quadratic,  ///< the square of a polynomial with irrational zeros
  hairline,            ///< the same, moved so little that a dip is narrower than the distance of doubles
};
inline constexpr int families = 15;

[[nodiscard]] inline std::string_view name(Family family) {
  constexpr std::array<std::string_view, families> names = {
      "ordinary",         "spheres",      "near double",    "thin obstacle",      "exact double",
      "off by one unit",  "exact triple", "small integers", "two events",         "parted",
      "leading rounding", "dyadic zeros", "wide",           "repeated quadratic", "hairline"};
  return names[static_cast<std::size_t>(family)];
}

class GapSource {
 public:
  explicit GapSource(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] Gap draw(Family family, int n) {
    Gap g;
    g.n = n;
    g.T = std::exp(uniform(-2, 2));
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    switch (family) {
      case Family::ordinary:
        for (int i = 0; i <= n; ++i) g.c[at(i)] = below(8) == 0 ? 0 : uniform(-1, 1);
        if (below(4) != 0) g.c[0] = std::abs(g.c[0]);
        break;
      case Family::spheres: {
        g.n = 4;
        g.c = {};
        for (int axis = 0; axis < 3; ++axis) {
          const double x = uniform(-3, 3), v = uniform(-3, 3), a = uniform(-10, 10) / 2;
          g.c[0] += x * x;
          g.c[1] += 2 * x * v;
          g.c[2] += v * v + 2 * x * a;
          g.c[3] += 2 * v * a;
          g.c[4] += a * a;
        }
        g.c[0] -= uniform(0, 1) * g.c[0];
        break;
      }
      case Family::near_double: {
        const double r = uniform(0.1, 1) * g.T, gap = std::pow(10, uniform(-16, -2));
        start(g, n < 2 ? 1 : std::exp(uniform(-1, 1)));
        for (int i = 0; i + 2 <= n; i += 2) {
          const double at_zero = i == 0 ? r : uniform(-2, 2) * g.T;
          times(g, i == 0 ? at_zero * at_zero * (1 + gap) : at_zero * at_zero + 0.1, -2 * at_zero * (1 + gap / 2), 1);
        }
        if (n % 2 == 1) times(g, uniform(0.5, 2), uniform(-0.3, 0.3), 0);
        if (below(3) == 0) {  // a complex pair as near
          g.c[0] *= 1 + gap * gap;
        }
        break;
      }
      case Family::thin_obstacle: {
        const double r = uniform(0.05, 0.95) * g.T, half = 0.5e-9 * g.T;
        start(g, 1);
        if (n == 1)
          times(g, r, -1, 0);
        else
          times(g, r * r - half * half, -2 * r, 1);
        for (int i = 4; i <= n; i += 2) times(g, uniform(0.5, 4), uniform(-0.5, 0.5), 1);
        break;
      }
      case Family::exact_double:
      case Family::off_by_one_unit: {
        start(g, static_cast<double>(1 + below(5)));
        const double r = (1 + static_cast<double>(below(40))) / 8;
        if (n == 1)
          times(g, r, -1, 0);
        else
          times(g, r * r, -2 * r, 1);
        for (int i = 3; i <= n; ++i) times(g, 1 + static_cast<double>(below(6)), static_cast<double>(below(5)) - 1, 0);
        g.T = 8;
        if (family == Family::off_by_one_unit) {
          double& x = g.c[below(static_cast<std::uint64_t>(n) + 1)];
          x = std::nextafter(x, below(2) == 0 ? -1e300 : 1e300);
        }
        break;
      }
      case Family::exact_triple: {
        start(g, 1);
        const double r = (1 + static_cast<double>(below(20))) / 4;
        for (int i = 1; i <= n; ++i) {
          if (i <= 3)
            times(g, r, -1, 0);
          else
            times(g, 1 + static_cast<double>(below(6)), static_cast<double>(below(4)) - 1, 0);
        }
        g.T = below(4) == 0 ? r : 8;
        break;
      }
      case Family::small_integers:
        for (int i = 0; i <= n; ++i) g.c[at(i)] = static_cast<double>(below(7)) - 3;
        g.T = below(3) == 0 ? std::numeric_limits<double>::infinity() : static_cast<double>(below(4));
        break;
      case Family::two_events: {
        start(g, 1);
        double r = uniform(0.1, 0.4) * g.T;
        for (int i = 1; i <= n; ++i) {
          times(g, r, -1, 0);
          if (i == 1) r *= 1 + std::pow(10, uniform(-15, -1));
          if (i == 2) r = uniform(0.5, 0.8) * g.T;
          if (i >= 3) r *= 1 + uniform(0, 0.2);
        }
        break;
      }
      case Family::parted:
        for (int i = 0; i <= n; ++i) g.c[at(i)] = uniform(-1, 1);
        g.c[0] = below(3) == 0 ? 0 : std::pow(10, uniform(-25, -10));
        g.c[1] = below(3) == 0 ? 0 : (below(2) == 0 ? -1 : 1) * std::pow(10, uniform(-20, -3));
        if (n > 1 && below(4) == 0) g.c[2] = 0;
        if (n > 1 && below(2) == 0) g.c[2] = std::abs(g.c[2]);
        break;
      case Family::leading_rounding: {
        for (int i = 0; i <= n; ++i) g.c[at(i)] = uniform(-1, 1);
        g.c[0] = std::abs(g.c[0]);
        const int kept = static_cast<int>(below(static_cast<std::uint64_t>(n) + 1));
        for (int i = kept + 1; i <= n; ++i) g.c[at(i)] *= std::pow(10, uniform(-20, -15) - (below(5) == 0 ? 150 : 0));
        break;
      }
      case Family::dyadic_zeros: {
        start(g, 1);
        for (int i = 1; i <= n; ++i) times(g, (static_cast<double>(below(24)) - 6) / 8, below(2) == 0 ? -1 : 1, 0);
        if (g.c[0] < 0)
          for (double& x : g.c) x = -x;
        g.T = static_cast<double>(1 + below(16)) / 8;
        break;
      }
      case Family::wide:
        for (int i = 0; i <= n; ++i) g.c[at(i)] = uniform(-1, 1) * std::pow(10, uniform(-100, 100));
        g.c[0] = std::abs(g.c[0]);
        g.T = std::pow(10, uniform(-40, 40));
        break;
      case Family::repeated_quadratic: {
        start(g, 1);
        const double b = static_cast<double>(below(9)), c = static_cast<double>(1 + below(9));
        for (int i = 2; i <= n; i += 2) {
          if (i <= 4)
            times(g, c, -b, 1);
          else
            times(g, static_cast<double>(1 + below(3)), 1, 1);
        }
        if (n % 2 == 1) times(g, static_cast<double>(1 + below(30)), -1, 0);
        g.T = 10;
        break;
      }
      case Family::hairline: {
        g.n = std::max(n, 5);
        start(g, 1);
        const double b = static_cast<double>(3 + below(6)), c = static_cast<double>(1 + below(9));
        times(g, c, -b, 1);
        times(g, c, -b, 1);
        g.c[at(g.n)] = std::ldexp(below(2) == 0 ? -1.0 : 1.0, -60 - static_cast<int>(below(150)));
        g.T = 10;
        break;
      }
    }
    return g;
  }

  [[nodiscard]] std::uint64_t below(std::uint64_t count) { return random_() % count; }
  [[nodiscard]] double uniform(double low, double high) {
    return low + (high - low) * std::ldexp(static_cast<double>(random_() >> 11), -53);
  }

 private:
  static void start(Gap& g, double value) { g.c = {value}; }
  static void times(Gap& g, double c0, double c1, double c2) {
    std::array<double, 9> out{};
    for (std::size_t i = 0; i < 9; ++i) {
      out[i] += g.c[i] * c0;
      if (i + 1 < 9) out[i + 1] += g.c[i] * c1;
      if (i + 2 < 9) out[i + 2] += g.c[i] * c2;
    }
    g.c = out;
  }
  std::mt19937_64 random_;
};

template <int n = 1>
[[nodiscard]] FirstCrossing first_crossing_of(const Gap& g, Touches touches = Touches::ignore) {
  if constexpr (n < 8) {
    if (g.n > n) return first_crossing_of<n + 1>(g, touches);
  }
  Coefficients<double, n> c;
  for (std::size_t i = 0; i <= n; ++i) c[i] = g.c[i];
  return first_crossing<n>(c, g.T, touches);
}

}  // namespace ricochet::motion::testing
