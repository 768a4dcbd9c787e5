#include "ricochet/geometry/hull.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet {
namespace {

constexpr int few = 12;  ///< vertices of a box that is not halved

int add_box(Hull& hull, int begin, int end) {
  const auto vertex = [&](int i) -> const Vec3& {
    return hull.vertices[static_cast<std::size_t>(hull.order[static_cast<std::size_t>(i)])];
  };
  Vec3 low = vertex(begin);
  Vec3 high = low;
  for (int i = begin + 1; i < end; ++i) {
    low = low.cwiseMin(vertex(i));
    high = high.cwiseMax(vertex(i));
  }
  const int at = static_cast<int>(hull.boxes.size());
  hull.boxes.push_back({.centre = 0.5 * (low + high), .half = 0.5 * (high - low), .begin = begin, .end = end});
  if (end - begin > few) {
    Eigen::Index axis = 0;
    (high - low).maxCoeff(&axis);
    const int middle = begin + (end - begin) / 2;
    const auto place = [&](int i) { return hull.order.begin() + i; };
    std::nth_element(place(begin), place(middle), place(end), [&](int a, int b) {
      return hull.vertices[static_cast<std::size_t>(a)](axis) < hull.vertices[static_cast<std::size_t>(b)](axis);
    });
    hull.boxes[static_cast<std::size_t>(at)].leaf = false;
    add_box(hull, begin, middle);
    add_box(hull, middle, end);
  }
  hull.boxes[static_cast<std::size_t>(at)].next = static_cast<int>(hull.boxes.size());
  return at;
}

/// No vertex of the box is farther along a; a little more, so that rounding excludes none.
double bound(const HullBox& box, const Vec3& a) {
  const double middle = a.dot(box.centre);
  const double spread = a.cwiseAbs().dot(box.half);
  return middle + spread + 4 * std::numeric_limits<double>::epsilon() * (std::abs(middle) + spread);
}

/// The best vertex so far; of equal ones the first.
struct Best {
  double most = -std::numeric_limits<double>::infinity();
  int vertex = -1;

  void offer(double along, int i) {
    if (along < most || (along == most && vertex <= i && vertex >= 0)) return;
    most = along;
    vertex = i;
  }
};

void look(const Hull& hull, const HullBox& box, const Vec3& a, Best& best) {
  for (int i = box.begin; i < box.end; ++i) {
    const int v = hull.order[static_cast<std::size_t>(i)];
    best.offer(a.dot(hull.vertices[static_cast<std::size_t>(v)]), v);
  }
}

}  // namespace

void index_vertices(Hull& hull) {
  hull.order.resize(hull.vertices.size());
  for (std::size_t i = 0; i < hull.order.size(); ++i) hull.order[i] = static_cast<int>(i);
  hull.boxes.clear();
  if (!hull.vertices.empty()) add_box(hull, 0, static_cast<int>(hull.vertices.size()));
  hull.radius = -1;
  hull.radius = radius_of(hull);
}

Vec3 farthest_vertex(const Hull& hull, const Vec3& a) {
  Best best;
  if (hull.boxes.empty()) {
    for (std::size_t i = 0; i < hull.vertices.size(); ++i) best.offer(a.dot(hull.vertices[i]), static_cast<int>(i));
  } else {
    const auto box = [&](int i) -> const HullBox& { return hull.boxes[static_cast<std::size_t>(i)]; };
    // Down to a good vertex first, then through all boxes that may hold a better one.
    int at = 0;
    while (!box(at).leaf) at = bound(box(at + 1), a) >= bound(box(box(at + 1).next), a) ? at + 1 : box(at + 1).next;
    look(hull, box(at), a, best);
    for (int i = 0; i < static_cast<int>(hull.boxes.size());) {
      if (bound(box(i), a) < best.most) {
        i = box(i).next;
        continue;
      }
      if (box(i).leaf) look(hull, box(i), a, best);
      ++i;
    }
  }
  return best.vertex < 0 ? Vec3(Vec3::Zero()) : hull.vertices[static_cast<std::size_t>(best.vertex)];
}

double radius_of(const Hull& hull) {
  if (hull.radius >= 0) return hull.radius;
  double radius = 0;
  for (const Vec3& v : hull.vertices) radius = std::max(radius, v.norm());
  return radius;
}

}  // namespace ricochet
