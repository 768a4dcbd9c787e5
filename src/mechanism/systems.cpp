#include "ricochet/mechanism/systems.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "ricochet/body/rigid_body.hpp"

namespace ricochet {
namespace {

SystemContact on_floor(std::string name, const SystemPoint& point, const Surroundings& around) {
  SystemContact contact;
  contact.name = std::move(name);
  contact.second = point.name;
  contact.normal = [](const VecX&) { return Vec3(Vec3::UnitZ()); };
  if (around.floor)
    contact.gap = [position = point.position, floor = *around.floor](const VecX& q) { return position(q).z() - floor; };
  return contact;
}

Eigen::RowVectorXd row(double a, double b) { return Eigen::RowVector2d(a, b); }

VecX pair(double a, double b) { return Eigen::Vector2d(a, b); }

}  // namespace

MatX planar_jacobian(const Eigen::RowVectorXd& along_x, const Eigen::RowVectorXd& along_z) {
  MatX J = MatX::Zero(3, along_x.size());
  J.row(0) = along_x;
  J.row(2) = along_z;
  return J;
}

Lagrangian single_pendulum(const Rod& rod, const Surroundings& around) {
  Lagrangian system;
  system.name = "single pendulum";
  system.coordinates = system.dof = 1;
  system.mass = [rod](const VecX&) -> MatX { return MatX::Constant(1, 1, rod.mass * rod.length * rod.length / 3); };
  system.force = [rod, g = around.gravity](const VecX& q, const VecX&) -> VecX {
    return VecX::Constant(1, -0.5 * rod.mass * g * rod.length * std::sin(q(0)));
  };
  const double l = rod.length;
  system.points.push_back({"tip", [l](const VecX& q) { return Vec3(l * std::sin(q(0)), 0, -l * std::cos(q(0))); },
                           [l](const VecX& q) -> MatX { return Vec3(l * std::cos(q(0)), 0, l * std::sin(q(0))); }});
  system.contacts.push_back(on_floor("floor", system.points.back(), around));
  return system;
}

Lagrangian double_pendulum_absolute(const Rod& upper, const Rod& lower, const Surroundings& around) {
  const double m1 = upper.mass, m2 = lower.mass, l1 = upper.length, l2 = lower.length, g = around.gravity;
  const double h = 0.5 * m2 * l1 * l2;
  Lagrangian system;
  system.name = "double pendulum, absolute angles";
  system.coordinates = system.dof = 2;
  system.mass = [=](const VecX& q) -> MatX {
    const double c = h * std::cos(q(1) - q(0));
    Mat2 mass;
    mass << (m1 / 3 + m2) * l1 * l1, c, c, m2 * l2 * l2 / 3;
    return mass;
  };
  system.force = [=](const VecX& q, const VecX& u) {
    const double s = h * std::sin(q(1) - q(0));
    return pair(s * u(1) * u(1) - (m1 / 2 + m2) * g * l1 * std::sin(q(0)),
                -s * u(0) * u(0) - 0.5 * m2 * g * l2 * std::sin(q(1)));
  };
  system.points.push_back(
      {"elbow", [=](const VecX& q) { return Vec3(l1 * std::sin(q(0)), 0, -l1 * std::cos(q(0))); },
       [=](const VecX& q) { return planar_jacobian(row(l1 * std::cos(q(0)), 0), row(l1 * std::sin(q(0)), 0)); }});
  system.points.push_back({"tip",
                           [=](const VecX& q) {
                             return Vec3(l1 * std::sin(q(0)) + l2 * std::sin(q(1)), 0,
                                         -l1 * std::cos(q(0)) - l2 * std::cos(q(1)));
                           },
                           [=](const VecX& q) {
                             return planar_jacobian(row(l1 * std::cos(q(0)), l2 * std::cos(q(1))),
                                                    row(l1 * std::sin(q(0)), l2 * std::sin(q(1))));
                           }});
  system.contacts.push_back(on_floor("floor", system.points.back(), around));
  return system;
}

Lagrangian double_pendulum_relative(const Rod& upper, const Rod& lower, const Surroundings& around) {
  const double m1 = upper.mass, m2 = lower.mass, l1 = upper.length, l2 = lower.length, g = around.gravity;
  const double a = (m1 / 3 + m2) * l1 * l1, b = m2 * l2 * l2 / 3, h = 0.5 * m2 * l1 * l2;
  Lagrangian system;
  system.name = "double pendulum, relative angles";
  system.coordinates = system.dof = 2;
  system.mass = [=](const VecX& q) -> MatX {
    const double c = h * std::cos(q(1));
    Mat2 mass;
    mass << a + b + 2 * c, b + c, b + c, b;
    return mass;
  };
  system.force = [=](const VecX& q, const VecX& u) {
    const double s = h * std::sin(q(1));
    const double lower_weight = 0.5 * m2 * g * l2 * std::cos(q(0) + q(1));
    return pair(s * (2 * u(0) + u(1)) * u(1) - (m1 / 2 + m2) * g * l1 * std::cos(q(0)) - lower_weight,
                -s * u(0) * u(0) - lower_weight);
  };
  system.points.push_back(
      {"elbow", [=](const VecX& q) { return Vec3(l1 * std::cos(q(0)), 0, l1 * std::sin(q(0))); },
       [=](const VecX& q) { return planar_jacobian(row(-l1 * std::sin(q(0)), 0), row(l1 * std::cos(q(0)), 0)); }});
  system.points.push_back(
      {"tip",
       [=](const VecX& q) {
         const double both = q(0) + q(1);
         return Vec3(l1 * std::cos(q(0)) + l2 * std::cos(both), 0, l1 * std::sin(q(0)) + l2 * std::sin(both));
       },
       [=](const VecX& q) {
         const double sx = -l2 * std::sin(q(0) + q(1)), cz = l2 * std::cos(q(0) + q(1));
         return planar_jacobian(row(-l1 * std::sin(q(0)) + sx, sx), row(l1 * std::cos(q(0)) + cz, cz));
       }});
  system.contacts.push_back(on_floor("floor", system.points.back(), around));
  return system;
}

VecX relative_angles(const VecX& absolute) {
  return pair(absolute(0) - std::numbers::pi / 2, absolute(1) - absolute(0));
}

VecX relative_speeds(const VecX& absolute) { return pair(absolute(0), absolute(1) - absolute(0)); }

Lagrangian free_planar_body(double mass, double inertia, const std::vector<BodyMark>& marks,
                            const Surroundings& around) {
  Lagrangian system;
  system.name = "free planar body";
  system.coordinates = system.dof = 3;
  system.mass = [=](const VecX&) -> MatX { return Vec3(mass, mass, inertia).asDiagonal(); };
  system.force = [mass, g = around.gravity](const VecX&, const VecX&) -> VecX { return Vec3(0, -mass * g, 0); };
  for (const BodyMark& mark : marks) {
    const auto turned = [x = mark.arm.x(), z = mark.arm.z()](double angle) {
      const double c = std::cos(angle), s = std::sin(angle);
      return Vec2(c * x - s * z, s * x + c * z);
    };
    system.points.push_back({mark.name,
                             [=](const VecX& q) {
                               const Vec2 r = turned(q(2));
                               return Vec3(q(0) + r.x(), 0, q(1) + r.y());
                             },
                             [=](const VecX& q) {
                               const Vec2 r = turned(q(2));
                               return planar_jacobian(Eigen::RowVector3d(1, 0, -r.y()),
                                                      Eigen::RowVector3d(0, 1, r.x()));
                             }});
    system.contacts.push_back(on_floor(mark.name + " on floor", system.points.back(), around));
  }
  return system;
}

Lagrangian inclined_bar(const Rod& rod, const Surroundings& around) {
  Lagrangian system =
      free_planar_body(rod.mass, rod.mass * rod.length * rod.length / 12,
                       {{"left", Vec3(-rod.length / 2, 0, 0)}, {"right", Vec3(rod.length / 2, 0, 0)}}, around);
  system.name = "inclined bar";
  return system;
}

Lagrangian free_spatial_body(double mass, const Mat3& inertia, const std::vector<BodyMark>& marks,
                             const Surroundings& around) {
  const auto rotation = [](const VecX& q) -> Mat3 {
    return Eigen::Quaterniond(q(3), q(4), q(5), q(6)).toRotationMatrix();
  };
  Lagrangian system;
  system.name = "free spatial body";
  system.coordinates = 7;
  system.dof = 6;
  RigidBody body;
  body.mass = mass;
  body.inertia = inertia;
  system.admits = [possible = check(body)](const VecX& q) -> Expected<void> {
    if (!possible) return possible;
    const double length = q.tail(4).norm();
    if (std::abs(length - 1) > 1e-9)
      return fail(ErrorCode::invalid, "q", fmt::format("quaternion of length {}", length),
                  "must hold a unit quaternion from entry 4 on");
    return {};
  };
  system.mass = [=](const VecX& q) {
    const Mat3 R = rotation(q);
    const Mat3 J = R * inertia * R.transpose();
    MatX out = MatX::Zero(6, 6);
    out.topLeftCorner(3, 3) = mass * Mat3::Identity();
    out.bottomRightCorner(3, 3) = 0.5 * (J + J.transpose());
    return out;
  };
  system.force = [=, g = around.gravity](const VecX& q, const VecX& u) {
    const Mat3 R = rotation(q);
    const Vec3 omega = u.tail(3);
    const Vec3 spin = R * (inertia * (R.transpose() * omega));
    VecX f = VecX::Zero(6);
    f(2) = -mass * g;
    f.tail(3) = -omega.cross(spin);
    return f;
  };
  for (const BodyMark& mark : marks) {
    system.points.push_back({mark.name,
                             [=, arm = mark.arm](const VecX& q) -> Vec3 { return q.head(3) + rotation(q) * arm; },
                             [=, arm = mark.arm](const VecX& q) {
                               MatX J(3, 6);
                               J.leftCols(3) = Mat3::Identity();
                               J.rightCols(3) = -cross_matrix<double>(rotation(q) * arm);
                               return J;
                             }});
    system.contacts.push_back(on_floor(mark.name + " on floor", system.points.back(), around));
  }
  return system;
}

}  // namespace ricochet
