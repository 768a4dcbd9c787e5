#pragma once
/// One step of Dormand and Prince's explicit Runge-Kutta pair of orders 5 and 4 (1980), with the step length left to
/// the caller, who may also take a shorter one from the same place: events are found so, at the full order of the
/// method.

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace ricochet::compliant {

template <std::size_t n>
class DormandPrince {
 public:
  using State = std::array<double, n>;

  /// y after a step h from `from`, where the slope is `slope`. `slope_of(y, dy)`: the system does not depend on time.
  template <class System>
  static void step(const System& slope_of, const State& from, const State& slope, double h, State& to, State& end_slope,
                   State& difference) {
    State k2, k3, k4, k5, k6, y;
    for (std::size_t i = 0; i < n; ++i) y[i] = from[i] + h * (1.0 / 5) * slope[i];
    slope_of(y, k2);
    for (std::size_t i = 0; i < n; ++i) y[i] = from[i] + h * (3.0 / 40 * slope[i] + 9.0 / 40 * k2[i]);
    slope_of(y, k3);
    for (std::size_t i = 0; i < n; ++i)
      y[i] = from[i] + h * (44.0 / 45 * slope[i] - 56.0 / 15 * k2[i] + 32.0 / 9 * k3[i]);
    slope_of(y, k4);
    for (std::size_t i = 0; i < n; ++i)
      y[i] = from[i] +
             h * (19372.0 / 6561 * slope[i] - 25360.0 / 2187 * k2[i] + 64448.0 / 6561 * k3[i] - 212.0 / 729 * k4[i]);
    slope_of(y, k5);
    for (std::size_t i = 0; i < n; ++i)
      y[i] = from[i] + h * (9017.0 / 3168 * slope[i] - 355.0 / 33 * k2[i] + 46732.0 / 5247 * k3[i] +
                            49.0 / 176 * k4[i] - 5103.0 / 18656 * k5[i]);
    slope_of(y, k6);
    for (std::size_t i = 0; i < n; ++i)
      to[i] = from[i] + h * (35.0 / 384 * slope[i] + 500.0 / 1113 * k3[i] + 125.0 / 192 * k4[i] -
                             2187.0 / 6784 * k5[i] + 11.0 / 84 * k6[i]);
    slope_of(to, end_slope);
    for (std::size_t i = 0; i < n; ++i)
      difference[i] = h * (71.0 / 57600 * slope[i] - 71.0 / 16695 * k3[i] + 71.0 / 1920 * k4[i] -
                           17253.0 / 339200 * k5[i] + 22.0 / 525 * k6[i] - 1.0 / 40 * end_slope[i]);
  }

  /// Root mean square of the difference of the two orders by what is tolerated; infinite where it is no number.
  static double error(const State& difference, const State& tolerated) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += (difference[i] / tolerated[i]) * (difference[i] / tolerated[i]);
    return std::isfinite(sum) ? std::sqrt(sum / n) : std::numeric_limits<double>::infinity();
  }

  /// By how much the next step may be longer.
  static double growth(double error) {
    if (!std::isfinite(error)) return 0.1;
    if (error < 1e-6) return 5;
    return std::fmin(5, std::fmax(0.1, 0.9 * std::pow(error, -0.2)));
  }
};

}  // namespace ricochet::compliant
