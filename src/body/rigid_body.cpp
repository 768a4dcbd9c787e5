#include "ricochet/body/rigid_body.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <string>
#include <utility>

#include "ricochet/base/error_path.hpp"
#include "ricochet/base/text.hpp"

namespace ricochet {
namespace {

Expected<void> finite(std::string_view path, std::string_view name, const Vec3& v) {
  if (!v.allFinite())
    return fail(ErrorCode::out_of_range, join_path(path, name), to_text(v), "every component must be finite");
  return {};
}

/// Principal moments, ascending, with their axes as columns.
struct Principal {
  Vec3 moments;
  Mat3 axes;

  /// The eigenvalue solver is good to a few ε of the largest moment: below that a moment is zero.
  [[nodiscard]] bool is_null(int i) const { return moments(i) <= 4e-15 * moments(2); }
};

Principal principal(const Mat3& inertia) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(0.5 * (inertia + inertia.transpose()));
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

Expected<void> check_motion(const RigidBody& body, std::string_view path) {
  for (const auto& [name, v] : {std::pair{"position", &body.position}, std::pair{"velocity", &body.velocity},
                                std::pair{"angular_velocity", &body.angular_velocity}}) {
    if (const auto fine = finite(path, name, *v); !fine) return fine;
  }
  const auto& q = body.orientation;
  if (!(std::abs(q.norm() - 1) <= 1e-9))
    return fail(ErrorCode::invalid, join_path(path, "orientation"),
                fmt::format("[w {}, x {}, y {}, z {}]", q.w(), q.x(), q.y(), q.z()),
                "must be a unit quaternion (length 1 to within 1e-9)");
  return {};
}

/// In body axes, after validation.
Expected<Principal> checked_principal(const RigidBody& body, std::string_view path) {
  if (!(body.mass > 0) || !std::isfinite(body.mass))
    return fail(ErrorCode::out_of_range, join_path(path, "mass"), to_text(body.mass),
                "must be positive and finite; for an immovable body set fixed");
  const Mat3& J = body.inertia;
  const auto refuse = [&](std::string why) {
    return fail(ErrorCode::invalid, join_path(path, "inertia"), to_text(J), std::move(why));
  };
  if (!J.allFinite())
    return fail(ErrorCode::out_of_range, join_path(path, "inertia"), to_text(J), "every entry must be finite");
  const double size = J.cwiseAbs().maxCoeff();
  if ((J - J.transpose()).cwiseAbs().maxCoeff() > 1e-12 * size) return refuse("must be symmetric");
  Principal p = principal(J);
  const Vec3& moments = p.moments;
  if (moments(0) < -4e-15 * size)
    return refuse(fmt::format("must have no negative principal moment, but has {}", moments(0)));
  if (moments(2) - moments(1) - moments(0) > 1e-9 * moments(2))
    return refuse(
        fmt::format("must be that of a body that can exist: the principal moment {} is larger than the sum of the "
                    "other two, {} and {}",
                    moments(2), moments(0), moments(1)));
  return p;
}

/// Principal axes in the world, for a valid free body with a bounded response at `point`.
Expected<Principal> pushable(const RigidBody& body, const Vec3& point, std::string_view path) {
  if (const auto fine = check_motion(body, path); !fine) return tl::unexpected(fine.error());
  if (const auto fine = finite("", "point", point); !fine) return tl::unexpected(fine.error());
  auto checked = checked_principal(body, path);
  if (!checked) return checked;
  Principal& p = *checked;
  p.axes = body.orientation.normalized().toRotationMatrix() * p.axes;
  const Vec3 r = point - body.position;
  // How far r may lie from a line of mass and still count as on it: the rounding of r and of the orientation.
  const double slack = 1e-12 * (point.norm() + body.position.norm()) + 1e-9 * r.norm();
  for (int i = 0; i < 3; ++i) {
    if (!p.is_null(i) || r.cross(p.axes.col(i)).norm() <= slack) continue;
    return fail(ErrorCode::invalid, join_path(path, "inertia"), to_text(body.inertia),
                fmt::format("has no resistance to turning about {} (all mass lies on that line or in a point), so that "
                            "an impulse at {} off it has no finite effect",
                            to_text(Vec3(p.axes.col(i))), to_text(point)));
  }
  return checked;
}

}  // namespace

Expected<void> check(const RigidBody& body, std::string_view path) {
  if (const auto fine = check_motion(body, path); !fine || body.fixed) return fine;
  if (const auto fine = checked_principal(body, path); !fine) return tl::unexpected(fine.error());
  return {};
}

Vec3 velocity_at(const RigidBody& body, const Vec3& point) {
  return body.velocity + body.angular_velocity.cross(point - body.position);
}

Expected<Mat3> mobility(const RigidBody& body, const Vec3& point, std::string_view path) {
  if (body.fixed) {
    return check(body, path).and_then([&] { return finite("", "point", point); }).map([] {
      return Mat3(Mat3::Zero());
    });
  }
  return pushable(body, point, path).and_then([&](const Principal& p) -> Expected<Mat3> {
    const Vec3 r = point - body.position;
    Mat3 W = Mat3::Identity() / body.mass;
    for (int i = 0; i < 3; ++i) {
      if (p.is_null(i)) continue;
      const Vec3 lever = r.cross(p.axes.col(i));
      W += lever * (lever / p.moments(i)).transpose();
    }
    if (!W.allFinite())
      return fail(ErrorCode::overflow, join_path(path, "mass"), to_text(body.mass),
                  fmt::format("is too small, or the arm {} too long, for W to be finite", to_text(r)));
    return Mat3(0.5 * (W + W.transpose()));
  });
}

Expected<Mat3> inverse_inertia(const RigidBody& body, std::string_view path) {
  if (const auto fine = check_motion(body, path); !fine) return tl::unexpected(fine.error());
  if (body.fixed) return Mat3(Mat3::Zero());
  return checked_principal(body, path).map([&](Principal p) {
    p.axes = body.orientation.normalized().toRotationMatrix() * p.axes;
    Mat3 out = Mat3::Zero();
    for (int i = 0; i < 3; ++i)
      if (!p.is_null(i)) out += p.axes.col(i) * (p.axes.col(i) / p.moments(i)).transpose();
    return out;
  });
}

Expected<RigidBody> apply_impulse(const RigidBody& body, const Vec3& point, const Vec3& P, std::string_view path) {
  if (const auto fine = finite("", "P", P); !fine) return tl::unexpected(fine.error());
  if (body.fixed) {
    return check(body, path).and_then([&] { return finite("", "point", point); }).map([&] { return body; });
  }
  return pushable(body, point, path).map([&](const Principal& p) {
    RigidBody after = body;
    after.velocity += P / body.mass;
    const Vec3 L = (point - body.position).cross(P);
    for (int i = 0; i < 3; ++i) {
      if (!p.is_null(i)) after.angular_velocity += p.axes.col(i) * (p.axes.col(i).dot(L) / p.moments(i));
    }
    return after;
  });
}

double kinetic_energy(const RigidBody& body) {
  if (body.fixed) return 0;
  const Vec3 omega = body.orientation.normalized().conjugate() * body.angular_velocity;
  return 0.5 * (body.mass * body.velocity.squaredNorm() + omega.dot(body.inertia * omega));
}

}  // namespace ricochet
