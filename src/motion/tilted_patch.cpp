#include "motion/tilted_patch.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace ricochet::motion {
namespace {

/// A corner in the plane across n, and its height along n.
struct PatchCorner {
  Vec2 at;
  double height = 0;
};
using PatchFace = std::vector<PatchCorner>;

struct PatchAxes {
  Vec3 origin, s, t, n;

  [[nodiscard]] PatchCorner flat(const Vec3& x) const {
    const Vec3 d = x - origin;
    return {{s.dot(d), t.dot(d)}, n.dot(d)};
  }
};

/// The corners of the shape that are farthest along ±n, up to `slack`, against the clock.
PatchFace nearly_farthest(const ConvexShape& shape, double sign, const PatchAxes& axes, double slack) {
  ConvexShape below;
  below.core = ConvexShape::Core::half_space;
  const Vec3 n = sign * axes.n;
  below.position = core_support(shape, n) + shape.margin * n;
  below.rotation.col(2) = -n;
  below.rotation.col(0) = n.unitOrthogonal();
  below.rotation.col(1) = below.rotation.col(2).cross(below.rotation.col(0));
  PatchFace out;
  Vec2 middle = Vec2::Zero();
  for (const Touch& corner : half_space_contacts(below, shape, slack)) {
    out.push_back(axes.flat(corner.on_B));
    middle += out.back().at;
  }
  middle /= static_cast<double>(std::max<std::size_t>(out.size(), 1));
  std::sort(out.begin(), out.end(), [&](const PatchCorner& a, const PatchCorner& b) {
    const Vec2 x = a.at - middle, y = b.at - middle;
    return std::atan2(x.y(), x.x()) < std::atan2(y.y(), y.x());
  });
  return out;
}

/// Height of the plane through three corners of a face or more, by least squares.
struct FacePlane {
  double height = 0;
  Vec2 middle = Vec2::Zero(), slope = Vec2::Zero();

  explicit FacePlane(const PatchFace& face) {
    for (const PatchCorner& c : face) {
      middle += c.at / static_cast<double>(face.size());
      height += c.height / static_cast<double>(face.size());
    }
    Mat2 square = Mat2::Zero();
    Vec2 rise = Vec2::Zero();
    for (const PatchCorner& c : face) {
      square += (c.at - middle) * (c.at - middle).transpose();
      rise += (c.at - middle) * (c.height - height);
    }
    const double determinant = square(0, 0) * square(1, 1) - square(0, 1) * square(0, 1);
    if (determinant > 0)
      slope = Vec2(square(1, 1) * rise(0) - square(0, 1) * rise(1), square(0, 0) * rise(1) - square(0, 1) * rise(0)) /
              determinant;
  }
  [[nodiscard]] double at(const Vec2& x) const { return height + slope.dot(x - middle); }
};

}  // namespace

std::vector<Touch> tilted_patch(const ConvexShape& A, const ConvexShape& B, const Touch& touch, double tilt,
                                double reach) {
  PatchAxes axes{0.5 * (touch.on_A + touch.on_B), touch.n.unitOrthogonal(), Vec3::Zero(), touch.n};
  axes.t = axes.n.cross(axes.s);
  const double size = std::min(core_radius(A) + A.margin, core_radius(B) + B.margin);
  const PatchFace a = nearly_farthest(A, 1, axes, tilt * size), b = nearly_farthest(B, -1, axes, tilt * size);
  if (a.size() < 3 || b.size() < 3) return {touch};
  std::vector<Vec2> common;
  for (const PatchCorner& c : b) common.push_back(c.at);
  for (std::size_t i = 0; i < a.size() && !common.empty(); ++i) {
    const Vec2 from = a[i].at, along = a[(i + 1) % a.size()].at - from;
    const auto left = [&](const Vec2& p) { return along.x() * (p - from).y() - along.y() * (p - from).x(); };
    std::vector<Vec2> kept;
    for (std::size_t k = 0; k < common.size(); ++k) {
      const Vec2 &p = common[k], &q = common[(k + 1) % common.size()];
      const double at_p = left(p), at_q = left(q);
      if (at_p >= 0) kept.push_back(p);
      if ((at_p > 0 && at_q < 0) || (at_p < 0 && at_q > 0)) kept.emplace_back(p + at_p / (at_p - at_q) * (q - p));
    }
    common = std::move(kept);
  }
  const FacePlane above(b), below(a);
  std::vector<Touch> out;
  for (const Vec2& x : common) {
    Touch one = touch;
    one.patch = false;
    one.gap = above.at(x) - below.at(x);
    if (one.gap > reach) continue;
    const Vec3 across = axes.origin + x.x() * axes.s + x.y() * axes.t;
    one.on_A = across + below.at(x) * axes.n;
    one.on_B = across + above.at(x) * axes.n;
    const auto same = [&](const Touch& other) { return (other.on_A - one.on_A).norm() <= 1e-6 * size; };
    if (std::none_of(out.begin(), out.end(), same)) out.push_back(one);
  }
  if (out.empty()) return {touch};
  return out;
}

}  // namespace ricochet::motion
