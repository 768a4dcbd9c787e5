#include "ricochet/geometry/flat_corners.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace ricochet {

/// Andrew's monotone chain.
std::vector<std::size_t> flat_corners(const std::vector<Eigen::Vector2d>& at, double slack) {
  if (at.empty()) return {};
  std::vector<std::size_t> order(at.size());
  for (std::size_t i = 0; i < at.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(at[a].x(), at[a].y()) < std::pair(at[b].x(), at[b].y());
  });
  double size = 0;
  for (const Eigen::Vector2d& p : at) size = std::max(size, (p - at[order[0]]).norm());
  const auto turns_left = [&](std::size_t a, std::size_t b, std::size_t c) {
    const Eigen::Vector2d u = at[b] - at[a];
    const Eigen::Vector2d v = at[c] - at[b];
    return u.x() * v.y() - u.y() * v.x() > slack * size * size;
  };
  const auto chain = [&](auto begin, auto end) {
    std::vector<std::size_t> out;
    for (auto i = begin; i != end; ++i) {
      while (out.size() > 1 && !turns_left(out[out.size() - 2], out.back(), *i)) out.pop_back();
      out.push_back(*i);
    }
    out.pop_back();  // the first of the other chain
    return out;
  };
  if (order.size() < 2 || !(size > 0)) return {order[0]};
  std::vector<std::size_t> out = chain(order.begin(), order.end());
  const std::vector<std::size_t> back = chain(order.rbegin(), order.rend());
  out.insert(out.end(), back.begin(), back.end());
  return out;
}

std::vector<std::size_t> few_corners(const std::vector<Eigen::Vector2d>& at, const std::vector<std::size_t>& corners,
                                     std::size_t count) {
  if (corners.size() <= count) return corners;
  std::vector<std::size_t> few;
  for (std::size_t k = 0; k < count; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(count);
    const Eigen::Vector2d along(std::cos(angle), std::sin(angle));
    const std::size_t farthest = *std::max_element(corners.begin(), corners.end(), [&](std::size_t a, std::size_t b) {
      return along.dot(at[a]) < along.dot(at[b]);
    });
    if (std::find(few.begin(), few.end(), farthest) == few.end()) few.push_back(farthest);
  }
  return few;
}

}  // namespace ricochet
