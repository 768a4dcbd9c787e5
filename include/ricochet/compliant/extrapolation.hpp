#pragma once
/// One step of Gragg's midpoint rule, extrapolated from 2, 4, 6 and 8 parts to order 8 (HNW93 II.9), with the step
/// length left to the caller, who may also take a shorter one from the same state, which locates events at the full
/// order of the method.

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace ricochet::compliant {

template <std::size_t n>
class Extrapolation {
 public:
  using State = std::array<double, n>;

  /// y after a step h from `from`, where the slope is `slope`. `slope_of(y, dy)`: the system does not depend on time.
  template <class System>
  static void step(const System& slope_of, const State& from, const State& slope, double h, State& to, State& end_slope,
                   State& difference) {
    // Increments since `from`, because the weights of extrapolation are large and of both signs and would amplify the
    // rounding of the full state.
    std::array<State, rows> gain;
    for (std::size_t j = 0; j < rows; ++j) {
      const std::size_t parts = 2 * (j + 1);
      const double part = h / static_cast<double>(parts);
      State before{}, now, y, dy;
      for (std::size_t i = 0; i < n; ++i) now[i] = part * slope[i];
      for (std::size_t k = 1; k < parts; ++k) {
        for (std::size_t i = 0; i < n; ++i) y[i] = from[i] + now[i];
        slope_of(y, dy);
        for (std::size_t i = 0; i < n; ++i) {
          const double next = before[i] + 2 * part * dy[i];
          before[i] = now[i];
          now[i] = next;
        }
      }
      gain[j] = now;
      // Neville's scheme in h²: gain[j − m] becomes the value from the m + 1 divisions up to this one.
      for (std::size_t m = 1; m <= j; ++m) {
        const double ratio = static_cast<double>(parts) / static_cast<double>(parts - 2 * m);
        const double weight = 1 / (ratio * ratio - 1);
        State& lower = gain[j - m];
        const State& upper = gain[j - m + 1];
        if (m + 1 == rows)
          for (std::size_t i = 0; i < n; ++i) difference[i] = (upper[i] - lower[i]) * weight;
        for (std::size_t i = 0; i < n; ++i) lower[i] = upper[i] + (upper[i] - lower[i]) * weight;
      }
    }
    for (std::size_t i = 0; i < n; ++i) to[i] = from[i] + gain[0][i];
    slope_of(to, end_slope);
  }

  /// Root mean square of the difference of the two highest orders by what is tolerated; infinite if it is not a number.
  static double error(const State& difference, const State& tolerated) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += (difference[i] / tolerated[i]) * (difference[i] / tolerated[i]);
    return std::isfinite(sum) ? std::sqrt(sum / n) : std::numeric_limits<double>::infinity();
  }

  /// By how much the next step may be longer.
  static double growth(double error) {
    if (!std::isfinite(error)) return 0.1;
    if (error < 1e-8) return 5;
    return std::fmin(5, std::fmax(0.1, 0.9 * std::pow(error, -1.0 / (2 * rows - 1))));
  }

 private:
  static constexpr std::size_t rows = 4;
};

}  // namespace ricochet::compliant
