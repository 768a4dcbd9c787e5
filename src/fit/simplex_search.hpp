#pragma once
/// Least value of a function of several bounded numbers without derivatives: the simplex of Nelder and Mead.

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace ricochet {

struct SearchedNumber {
  double start = 0, step = 0;  ///< the first simplex
  double low = 0, high = 0;
};

struct SimplexResult {
  std::vector<double> x;
  double f = 0;
  int evaluations = 0;
  bool converged = false;  ///< the simplex became smaller than a hundredth of the steps
};

[[nodiscard]] inline SimplexResult simplex_search(const std::function<double(const std::vector<double>&)>& f,
                                                  const std::vector<SearchedNumber>& numbers, int evaluations) {
  struct Corner {
    std::vector<double> x;
    double f;
  };
  const std::size_t n = numbers.size();
  SimplexResult out;
  const auto corner_at = [&](std::vector<double> x) {
    for (std::size_t i = 0; i < n; ++i) x[i] = std::clamp(x[i], numbers[i].low, numbers[i].high);
    ++out.evaluations;
    const double value = f(x);
    return Corner{std::move(x), value};
  };
  std::vector<double> start(n);
  for (std::size_t i = 0; i < n; ++i) start[i] = numbers[i].start;
  std::vector<Corner> simplex{corner_at(start)};
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> x = start;
    x[i] += x[i] + numbers[i].step <= numbers[i].high ? numbers[i].step : -numbers[i].step;
    simplex.push_back(corner_at(std::move(x)));
  }
  const auto less = [](const Corner& a, const Corner& b) { return a.f < b.f; };
  while (n > 0) {
    std::stable_sort(simplex.begin(), simplex.end(), less);
    double size = 0;
    for (const Corner& corner : simplex)
      for (std::size_t i = 0; i < n; ++i)
        size = std::max(size, std::abs(corner.x[i] - simplex[0].x[i]) / numbers[i].step);
    out.converged = size < 0.01;
    if (out.converged || out.evaluations >= evaluations) break;
    Corner& worst = simplex.back();
    const auto along = [&](double t) {  // from the middle of the others: 1 is the worst corner, −1 its reflection
      std::vector<double> x(n, 0.0);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) x[i] += simplex[k].x[i] / static_cast<double>(n);
        x[i] += t * (worst.x[i] - x[i]);
      }
      return corner_at(std::move(x));
    };
    const Corner reflected = along(-1);
    if (reflected.f < simplex[0].f) {
      const Corner further = along(-2);
      worst = less(further, reflected) ? further : reflected;
    } else if (reflected.f < simplex[n - 1].f) {
      worst = reflected;
    } else {
      Corner nearer = along(reflected.f < worst.f ? -0.5 : 0.5);
      if (nearer.f < std::min(reflected.f, worst.f)) {
        worst = std::move(nearer);
      } else {
        for (std::size_t k = 1; k <= n; ++k) {
          std::vector<double> x(n);
          for (std::size_t i = 0; i < n; ++i) x[i] = (simplex[0].x[i] + simplex[k].x[i]) / 2;
          simplex[k] = corner_at(std::move(x));
        }
      }
    }
  }
  const Corner& best = *std::min_element(simplex.begin(), simplex.end(), less);
  out.x = best.x;
  out.f = best.f;
  return out;
}

}  // namespace ricochet
