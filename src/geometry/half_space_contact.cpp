#include "ricochet/geometry/half_space_contact.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "ricochet/geometry/flat_corners.hpp"

namespace ricochet {
namespace {

using Core = ConvexShape::Core;

/// A hull stands on the vertices that are this much of its size above its lowest.
constexpr double level = 1e-4;
constexpr std::size_t most_corners = 8;

/// Of a hull: the corners of the face that is lowest along n.
std::vector<Vec3> standing_on(const ConvexShape& shape, const Vec3& n) {
  std::vector<Vec3> low;
  const Vec3 lowest = core_support(shape, -n);
  const double limit = n.dot(lowest) + level * core_radius(shape);
  for (const Vec3& v : shape.hull->vertices) {
    const Vec3 x = shape.position + shape.rotation * v;
    if (n.dot(x) <= limit) low.push_back(x);
  }
  const Vec3 s = n.unitOrthogonal();
  const Vec3 t = n.cross(s);
  std::vector<Eigen::Vector2d> flat;
  flat.reserve(low.size());
  for (const Vec3& x : low) flat.emplace_back(s.dot(x - lowest), t.dot(x - lowest));
  const std::vector<std::size_t> corners = few_corners(flat, flat_corners(flat), most_corners);
  std::vector<Vec3> out;
  out.reserve(corners.size());
  for (const std::size_t i : corners) out.push_back(low[i]);
  return out;
}

/// Points of the core that may carry it, the lowest along n among them.
std::vector<Vec3> feet(const ConvexShape& shape, const Vec3& n) {
  const auto world = [&](const Vec3& local) -> Vec3 { return shape.position + shape.rotation * local; };
  std::vector<Vec3> out;
  switch (shape.core) {
    case Core::half_space: break;
    case Core::point:
    case Core::ellipsoid: out.push_back(core_support(shape, -n)); break;
    case Core::segment:
      for (const double end : {-1.0, 1.0}) out.push_back(world({0, 0, end * shape.size.z()}));
      break;
    case Core::cylinder: {
      // Of the lower base the lowest point of its rim; standing also the three a quarter turn apart, lying also the
      // lowest of the other base.
      const Vec3 a = shape.rotation.transpose() * n;
      const double across = std::hypot(a.x(), a.y());
      const Vec3 down = across > 1e-9 ? Vec3(-a.x() / across, -a.y() / across, 0) : Vec3(Vec3::UnitX());
      const Vec3 side = Vec3::UnitZ().cross(down);
      const double r = shape.size.x();
      const double lower = a.z() > 0 ? -1 : 1;
      const Vec3 base(0, 0, lower * shape.size.z());
      out.push_back(world(r * down + base));
      if (across < std::abs(a.z())) {
        for (const Vec3& spoke : {side, Vec3(-down), Vec3(-side)}) out.push_back(world(r * spoke + base));
      } else {
        out.push_back(world(r * down - base));
      }
      break;
    }
    case Core::box:
      for (int corner = 0; corner < 8; ++corner) {
        const Vec3 x = world(shape.size.cwiseProduct(
            Vec3((corner & 1) != 0 ? 1 : -1, (corner & 2) != 0 ? 1 : -1, (corner & 4) != 0 ? 1 : -1)));
        if (n.dot(x - shape.position) <= 0) out.push_back(x);  // the others are above the middle
      }
      break;
    case Core::hull: return standing_on(shape, n);
  }
  return out;
}

}  // namespace

double height_above(const ConvexShape& half_space, const ConvexShape& shape) {
  const Vec3 n = half_space.rotation.col(2);
  return n.dot(core_support(shape, -n) - half_space.position) - shape.margin;
}

std::vector<Touch> half_space_contacts(const ConvexShape& half_space, const ConvexShape& shape, double reach) {
  const Vec3 n = half_space.rotation.col(2);
  std::vector<Touch> out;
  for (const Vec3& foot : feet(shape, n)) {
    Touch touch;
    touch.n = n;
    touch.on_B = foot - shape.margin * n;
    touch.gap = n.dot(touch.on_B - half_space.position);
    if (!(touch.gap <= reach)) continue;
    touch.on_A = touch.on_B - touch.gap * n;
    out.push_back(touch);
  }
  return out;
}

}  // namespace ricochet
