#include "ricochet/base/direct_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet {
namespace {

using Point = std::vector<double>;

struct Place {
  Point x;
  double f = std::numeric_limits<double>::infinity();
};

/// The k-th of a sequence of orthogonal bases whose directions become dense: columns of 1 − 2uuᵀ with u from additive
/// recurrences. The even ones are the coordinate axes, parallel to the bounds.
std::vector<Point> basis(int sides, int k) {
  std::vector<Point> out(std::size_t(sides), Point(std::size_t(sides), 0.0));
  for (std::size_t i = 0; i < out.size(); ++i) out[i][i] = 1;
  if (k % 2 == 0) return out;
  constexpr double step[] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703, 0.4503081304213285};
  Point u(out.size());
  double norm = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    u[i] = 2 * std::fmod(0.5 + k * step[i], 1.0) - 1;
    norm += u[i] * u[i];
  }
  if (!(norm > 1e-6)) return out;
  for (std::size_t i = 0; i < u.size(); ++i)
    for (std::size_t j = 0; j < u.size(); ++j) out[i][j] -= 2 * u[i] * u[j] / norm;
  return out;
}

}  // namespace

SearchResult direct_search(const std::function<double(const std::vector<double>&)>& f, int sides,
                           const SearchOptions& options) {
  SearchResult out;
  const auto n = std::size_t(sides);
  const auto value = [&](const Point& x) {
    ++out.evaluations;
    const double y = f(x);
    return std::isnan(y) ? std::numeric_limits<double>::infinity() : y;
  };

  std::vector<Place> places;
  std::vector<int> at(n, 0);
  for (bool more = true; more;) {
    Place p{Point(n), 0};
    for (std::size_t i = 0; i < n; ++i) p.x[i] = at[i] / double(options.scan - 1);
    p.f = value(p.x);
    places.push_back(std::move(p));
    more = false;
    for (std::size_t i = 0; i < n && !more; ++i) {
      more = ++at[i] < options.scan;
      if (!more) at[i] = 0;
    }
  }
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.f < b.f; });

  // Neighbouring starting points of the scan would lead to the same minimum.
  std::vector<Place> starts;
  for (const Place& p : places) {
    const bool near = std::any_of(starts.begin(), starts.end(), [&](const Place& s) {
      double apart = 0;
      for (std::size_t i = 0; i < n; ++i) apart = std::max(apart, std::abs(s.x[i] - p.x[i]));
      return apart < 1.5 / (options.scan - 1);
    });
    if (!near) starts.push_back(p);
    if (int(starts.size()) == options.starts) break;
  }

  std::vector<Place> ends;
  std::vector<bool> settled;
  const auto descend = [&](const Place& start) {
    Place best = start;
    double step = 0.5 / (options.scan - 1);
    int fruitless = 0;
    for (int k = 0; step > options.least_step && out.evaluations < options.budget; ++k) {
      Place found = best;
      for (const Point& direction : basis(sides, k)) {
        for (const double sign : {1.0, -1.0}) {
          Point x = best.x;
          for (std::size_t i = 0; i < n; ++i) x[i] = std::clamp(x[i] + sign * step * direction[i], 0.0, 1.0);
          if (x == best.x) continue;
          const double y = value(x);
          if (y < found.f) found = {x, y};
        }
      }
      if (found.f < best.f) {
        // Repeat the successful step while it improves.
        Point way(n);
        for (std::size_t i = 0; i < n; ++i) way[i] = found.x[i] - best.x[i];
        best = found;
        for (int factor = 1; factor < 64; factor *= 2) {
          Point x = best.x;
          for (std::size_t i = 0; i < n; ++i) x[i] = std::clamp(x[i] + factor * way[i], 0.0, 1.0);
          const double y = value(x);
          if (!(y < best.f)) break;
          best = {x, y};
        }
        fruitless = 0;
        step = std::min(2 * step, 0.25);
      } else if (++fruitless >= 4) {
        fruitless = 0;
        step /= 2;
      }
    }
    ends.push_back(best);
    settled.push_back(step <= options.least_step);
  };
  for (const Place& start : starts) descend(start);
  // Restart around the best result: a descent that stopped at a kink does not return to the same value.
  const Place so_far =
      *std::min_element(ends.begin(), ends.end(), [](const Place& a, const Place& b) { return a.f < b.f; });
  for (int k = 0; k < options.checks; ++k) {
    Place start = so_far;
    const Point direction = basis(sides, 2 * k + 1).front();
    for (std::size_t i = 0; i < n; ++i)
      start.x[i] = std::clamp(start.x[i] + 0.3 / (options.scan - 1) * direction[i], 0.0, 1.0);
    start.f = value(start.x);
    descend(start);
  }
  double least = std::numeric_limits<double>::infinity();
  for (const Place& p : ends) least = std::min(least, p.f);
  // Of those that are equally good, the one with the smallest first parameter, so that the answer does not depend on
  // rounding.
  const double tolerance = 1e-6 * std::abs(least) + 1e-14;
  std::size_t chosen = ends.size();
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i].f > least + tolerance) continue;
    ++out.agreeing;
    if (chosen == ends.size() || ends[i].x[0] < ends[chosen].x[0] - 1e-6 ||
        (ends[i].x[0] < ends[chosen].x[0] + 1e-6 && ends[i].f < ends[chosen].f))
      chosen = i;
  }
  if (chosen == ends.size()) chosen = 0;  // no point has a value: return the first
  out.x = ends[chosen].x;
  out.f = ends[chosen].f;
  out.settled = settled[chosen] && std::isfinite(out.f);
  return out;
}

}  // namespace ricochet
