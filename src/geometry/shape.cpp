#include "ricochet/geometry/shape.hpp"

namespace ricochet {

Vec3 homogeneous_inertia(const Shape& shape, double mass) {
  switch (shape.kind) {
    case Shape::Kind::sphere: return Vec3::Constant(0.4 * mass * shape.radius * shape.radius);
    case Shape::Kind::box: {
      const Vec3 s2 = shape.size.cwiseProduct(shape.size);
      return mass / 12 * Vec3(s2.y() + s2.z(), s2.z() + s2.x(), s2.x() + s2.y());
    }
    case Shape::Kind::rod:
    case Shape::Kind::cylinder: {
      const double r2 = shape.radius * shape.radius;
      const double across = mass * (3 * r2 + shape.length * shape.length) / 12;
      return {0.5 * mass * r2, across, across};
    }
    case Shape::Kind::disc: {
      const double across = 0.25 * mass * shape.radius * shape.radius;
      return {2 * across, across, across};
    }
    case Shape::Kind::wheel: {
      // A torus: the tyre of radius a about a circle of radius c.
      const double a = 0.5 * shape.length, c = shape.radius - a;
      const double across = mass * (0.5 * c * c + 0.625 * a * a);
      return {mass * (c * c + 0.75 * a * a), across, across};
    }
    case Shape::Kind::ellipsoid: {
      const Vec3 s2 = shape.size.cwiseProduct(shape.size);
      return mass / 20 * Vec3(s2.y() + s2.z(), s2.z() + s2.x(), s2.x() + s2.y());
    }
    case Shape::Kind::capsule: {
      // A cylinder, and two half balls whose centroids are 3r/8 beyond its ends.
      const double r = shape.radius, h = shape.length;
      const double cylinder = mass * h / (h + 4 * r / 3), ball = mass - cylinder;
      const double along = (0.5 * cylinder + 0.4 * ball) * r * r;
      const double across = cylinder * (3 * r * r + h * h) / 12 + ball * (0.4 * r * r + 0.25 * h * h + 0.375 * h * r);
      return {along, across, across};
    }
    case Shape::Kind::plane:
    case Shape::Kind::mesh:
    case Shape::Kind::height_field:
    case Shape::Kind::none: break;
  }
  return Vec3::Zero();
}

bool has_inertia(Shape::Kind kind) {
  return kind != Shape::Kind::none && kind != Shape::Kind::plane && kind != Shape::Kind::height_field;
}

std::string_view name(Shape::Kind kind) {
  switch (kind) {
    case Shape::Kind::none: return "";
    case Shape::Kind::sphere: return "sphere";
    case Shape::Kind::box: return "box";
    case Shape::Kind::rod: return "rod";
    case Shape::Kind::plane: return "plane";
    case Shape::Kind::capsule: return "capsule";
    case Shape::Kind::cylinder: return "cylinder";
    case Shape::Kind::ellipsoid: return "ellipsoid";
    case Shape::Kind::mesh: return "mesh";
    case Shape::Kind::disc: return "disc";
    case Shape::Kind::wheel: return "wheel";
    case Shape::Kind::height_field: return "height-field";
  }
  return "";
}

}  // namespace ricochet
