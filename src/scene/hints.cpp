#include "ricochet/scene/hints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "ricochet/base/printable.hpp"
#include "ricochet/geometry/convex_shape.hpp"

namespace ricochet {
namespace {

constexpr double far_away = 10;  ///< sizes of a body
constexpr double far_out = 0.1;  ///< of the width of a range

/// How far a body reaches from its centre, about; 0 where nothing says it.
double size_of(const RigidBody& body, const Shape& shape) {
  double out = 0;
  switch (shape.kind) {
    case Shape::Kind::disc:
    case Shape::Kind::wheel:
    case Shape::Kind::sphere: out = shape.radius; break;
    case Shape::Kind::box: out = 0.5 * shape.size.norm(); break;
    case Shape::Kind::ellipsoid: out = 0.5 * shape.size.maxCoeff(); break;
    case Shape::Kind::capsule: out = 0.5 * shape.length + shape.radius; break;
    case Shape::Kind::cylinder:
    case Shape::Kind::rod: out = std::hypot(0.5 * shape.length, shape.radius); break;
    case Shape::Kind::height_field:
    case Shape::Kind::mesh: out = radius_of(*shape.hull); break;
    case Shape::Kind::none:
    case Shape::Kind::plane: break;
  }
  return body.mass > 0 ? std::max(out, std::sqrt(body.inertia.trace() / (2 * body.mass))) : out;
}

}  // namespace

std::vector<std::string> hints(const Scene& scene) {
  if (scene.arrangement.contacts.empty())
    return {
        "the scene has no contact, so nothing strikes; a contact is written [[contact]] with bodies = [\"A\", \"B\"], "
        "point = [x, y, z] and normal = [x, y, z] from the first to the second; ricochet impact finds contacts between "
        "shapes"};
  std::vector<std::string> out;
  for (std::size_t c = 0; c < scene.arrangement.contacts.size(); ++c) {
    const ContactSpec& contact = scene.arrangement.contacts[c];
    for (const std::size_t i : {contact.first, contact.second}) {
      const RigidBody& body = scene.arrangement.bodies[i];
      if (body.fixed || scene.shapes[i].kind == Shape::Kind::plane) continue;
      const double size = size_of(body, scene.shapes[i]);
      const double away = (contact.point - body.position).norm();
      if (!(size > 0) || away <= far_away * size) continue;
      out.push_back(fmt::format(
          "contact[{}].point is {:.3g} m from the centre of {}, whose size is about {:.2g} m; points are in "
          "world axes",
          c + 1, away, printable(scene.names[i]), size));
    }
  }
  return out;
}

namespace {

void add_joints(const RobotDescription& robot, const VecX& q, std::vector<std::string>& out) {
  for (const RobotDescription::Joint& joint : robot.joints) {
    if (!joint.range || joint.positions != 1) continue;
    const auto [low, high] = *joint.range;
    const double at = q(joint.position);
    const double outside = std::max(low - at, at - high);
    // Lower and upper limits that URDF leaves out are both read as 0.
    if (!(high > low) || outside <= far_out * (high - low)) continue;
    const bool slides = joint.type == "slide" || joint.type == "prismatic";
    const double if_degrees = at * std::numbers::pi / 180;
    const bool degrees = !slides && std::abs(at) > 2 * std::numbers::pi && low <= if_degrees && if_degrees <= high;
    out.push_back(fmt::format("joint {} is at {:.4g} {}, far out of its range {:.4g} to {:.4g}; --q {}=VALUE sets it{}",
                              printable(joint.name), at, slides ? "m" : "rad", low, high, printable(joint.name),
                              degrees ? ", in radians" : ""));
  }
}

void add_stated_point(const std::string& body, const Vec3& point, const std::vector<LinkShape>& shapes,
                      std::vector<std::string>& out) {
  double away = std::numeric_limits<double>::infinity();
  double size = 0;
  for (const LinkShape& link : shapes) {
    if (link.body != body || link.fixed) continue;
    const double radius = core_radius(link.shape) + link.shape.margin;
    size = std::max(size, radius);
    away = std::min(away, (point - link.shape.position).norm() - radius);
  }
  if (size > 0 && away > far_away * size)
    out.push_back(fmt::format(
        "the point of the contact is {:.3g} m from {}, whose shapes have a size of about {:.2g} m; points are "
        "in world axes",
        away, printable(body), size));
}

}  // namespace

std::vector<std::string> hints(const MechanismImpact& impact, bool stated) {
  std::vector<std::string> out;
  const RobotDescription* robot = impact.machine->description();
  if (robot == nullptr) return out;
  add_joints(*robot, impact.q, out);
  if (!stated || impact.contacts.empty()) return out;
  const ContactPoint& at = impact.contacts[0].at;
  const std::vector<LinkShape> shapes = impact.machine->link_shapes();
  add_stated_point(at.first_body.empty() ? at.first : at.first_body, at.point, shapes, out);
  add_stated_point(at.second_body.empty() ? at.second : at.second_body, at.point, shapes, out);
  return out;
}

}  // namespace ricochet
