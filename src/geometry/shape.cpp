#include "ricochet/geometry/shape.hpp"

namespace ricochet {

Vec3 homogeneous_inertia(const Shape& shape, double mass) {
  switch (shape.kind) {
    case Shape::Kind::sphere: return Vec3::Constant(0.4 * mass * shape.radius * shape.radius);
    case Shape::Kind::box: {
      const Vec3 s2 = shape.size.cwiseProduct(shape.size);
      return mass / 12 * Vec3(s2.y() + s2.z(), s2.z() + s2.x(), s2.x() + s2.y());
    }
    case Shape::Kind::rod: {
      const double r2 = shape.radius * shape.radius;
      const double across = mass * (3 * r2 + shape.length * shape.length) / 12;
      return {0.5 * mass * r2, across, across};
    }
    case Shape::Kind::plane:
    case Shape::Kind::none: break;
  }
  return Vec3::Zero();
}

std::string_view name(Shape::Kind kind) {
  switch (kind) {
    case Shape::Kind::none: return "";
    case Shape::Kind::sphere: return "sphere";
    case Shape::Kind::box: return "box";
    case Shape::Kind::rod: return "rod";
    case Shape::Kind::plane: return "plane";
  }
  return "";
}

}  // namespace ricochet
