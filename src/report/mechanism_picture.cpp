#include "ricochet/report/mechanism_picture.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <set>

#include "ricochet/base/printable.hpp"

namespace ricochet {

std::pair<Vec3, Vec3> view_axes(const Contact& contact) {
  const Vec3& n = contact.n;
  Vec3 slip = contact.V - n * n.dot(contact.V);
  if (!(slip.norm() > 1e-9 * contact.V.norm())) {
    // The direction of largest mobility.
    const Mat3 across = Mat3::Identity() - n * n.transpose();
    const Mat3 W = across * contact.W * across;
    Eigen::Index k = 0;
    W.colwise().norm().maxCoeff(&k);
    slip = W.col(k).norm() > 0 ? Vec3(W.col(k)) : n.unitOrthogonal();
  }
  const Vec3 side = n.cross(slip).normalized();
  const Vec3 vertical = Vec3::UnitZ() - side * side.z();
  const Vec3 up = vertical.norm() > 0.5 ? vertical.normalized() : n;
  Vec3 right = up.cross(side).normalized();
  // Left and right as in the world, if defined.
  Eigen::Index largest = 0;
  right.cwiseAbs().maxCoeff(&largest);
  if (right(largest) < 0) right = -right;
  return {right, up};
}

SolidsPicture picture_of(const MechanismImpact& impact, const PicturedContacts& pictured, const VecX& u,
                         std::string title) {
  SolidsPicture out{.title = std::move(title), .solids = {}};
  std::set<std::string> parts;  // names under which contacts know them
  std::set<std::string> struck;
  for (const std::size_t i : pictured.numbers) {
    struck.insert(impact.contacts[i].at.first);
    struck.insert(impact.contacts[i].at.second);
  }
  const auto is_struck = [&](const std::string& name) { return struck.count(name) > 0; };
  for (const MachinePart& part : impact.machine->parts()) {
    parts.insert(part.contacts.begin(), part.contacts.end());
    out.solids.push_back({.name = printable(part.name),
                          .corners = part.corners,
                          .radius = part.radius,
                          .fixed = part.fixed,
                          .struck = std::any_of(part.contacts.begin(), part.contacts.end(), is_struck)});
    if (!part.fixed && !part.bone) out.arrows.push_back({part.centre, part.J * u});
  }
  for (std::size_t k = 0; k < pictured.numbers.size(); ++k) {
    const ContactPoint& at = impact.contacts[pictured.numbers[k]].at;
    // The world and unbounded shapes are no parts; their face is drawn once, at a contact.
    if (parts.insert(at.first).second) out.grounds.push_back({printable(at.first), at.point, at.n});
    if (parts.insert(at.second).second) out.grounds.push_back({printable(at.second), at.point, -at.n});
    out.touches.push_back({at.point, pictured.shares[k],
                           fmt::format("contact {}: {} – {}", k + 1, printable(at.first), printable(at.second))});
  }
  if (pictured.numbers.size() == 1) {
    const ContactPoint& at = impact.contacts[pictured.numbers[0]].at;
    out.arrows.push_back({at.point, at.J * u, true});
  }
  return out;
}

std::pair<Vec3, Vec3> view_axes(const MechanismImpact& impact, const std::vector<std::size_t>& contacts) {
  const Vec3 gravity = impact.machine->gravity();
  const Vec3 up = gravity.norm() > 0 ? Vec3(-gravity.normalized()) : Vec3::UnitZ();
  Vec3 right = Vec3::Zero();
  for (const std::size_t i : contacts) {
    for (const std::size_t j : contacts) {
      const Vec3 apart = impact.contacts[i].at.point - impact.contacts[j].at.point;
      const Vec3 across = apart - up * up.dot(apart);
      if (across.norm() > 1.0001 * right.norm()) right = across;
    }
  }
  if (right.isZero(1e-9)) right = Vec3::UnitX() - up * up.x();
  if (right.isZero(1e-9)) right = Vec3::UnitY();
  Eigen::Index largest = 0;
  right.cwiseAbs().maxCoeff(&largest);
  return {(right(largest) < 0 ? -1 : 1) * right.normalized(), up};
}

}  // namespace ricochet
