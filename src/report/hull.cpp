#include "ricochet/report/hull.hpp"

#include <algorithm>

namespace ricochet {

std::vector<Vec2> convex_hull(std::vector<Vec2> points) {
  if (points.size() < 3) return points;
  std::sort(points.begin(), points.end(),
            [](const Vec2& a, const Vec2& b) { return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y(); });
  const auto turns_left = [](const Vec2& o, const Vec2& a, const Vec2& b) {
    return (a.x() - o.x()) * (b.y() - o.y()) - (a.y() - o.y()) * (b.x() - o.x()) > 0;
  };
  std::vector<Vec2> out;
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t begin = out.size();
    for (const Vec2& p : points) {
      while (out.size() >= begin + 2 && !turns_left(out[out.size() - 2], out.back(), p)) out.pop_back();
      out.push_back(p);
    }
    out.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return out;
}

}  // namespace ricochet
