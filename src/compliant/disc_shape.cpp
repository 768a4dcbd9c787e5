#include "ricochet/compliant/disc_shape.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>

#include "ricochet/base/error_path.hpp"
#include "ricochet/base/text.hpp"

namespace ricochet::compliant {
namespace {

/// g, w = g′, w′ and w/s of (D1), (D2).
struct Blend {
  double g, w, dw, w_by_s;
};

Blend blend(double s, double epsilon) {
  if (s >= epsilon) return {s, 1, 0, 1 / s};
  const double u2 = (s / epsilon) * (s / epsilon);
  const double w_by_u = (15 + u2 * (-10 + 3 * u2)) / 8;
  return {epsilon * (5 + u2 * (15 + u2 * (-5 + u2))) / 16, w_by_u * s / epsilon,
          15 * (1 - u2) * (1 - u2) / (8 * epsilon), w_by_u / epsilon};
}

Expected<void> positive(const std::string& field, double x) {
  if (!(x > 0) || !std::isfinite(x))
    return fail(ErrorCode::out_of_range, field, to_text(x), "must be positive and finite");
  return {};
}

Expected<void> not_negative(const std::string& field, double x) {
  if (!(x >= 0) || !std::isfinite(x))
    return fail(ErrorCode::out_of_range, field, to_text(x), "must be finite and not negative");
  return {};
}

Expected<void> finite(const std::string& field, const Vec3& x) {
  if (!x.allFinite()) return fail(ErrorCode::out_of_range, field, to_text(x), "must be finite");
  return {};
}

}  // namespace

Disc solid_disc(double mass, const DiscShape& shape) {
  Disc out;
  out.shape = shape;
  out.mass = mass;
  const double R2 = shape.radius * shape.radius;
  out.axial_inertia = mass * R2 / 2;
  out.transverse_inertia = mass * (R2 / 4 + shape.half_thickness * shape.half_thickness / 3);
  return out;
}

Expected<void> check(const Disc& disc, std::string_view path) {
  const auto name = [&](const char* field) { return join_path(path, field); };
  const DiscShape& s = disc.shape;
  auto fine = positive(name("radius"), s.radius)
                  .and_then([&] { return not_negative(name("half_thickness"), s.half_thickness); })
                  .and_then([&] { return not_negative(name("fillet"), s.fillet); })
                  .and_then([&] { return positive(name("mass"), disc.mass); })
                  .and_then([&] { return positive(name("inertia"), disc.axial_inertia); })
                  .and_then([&] { return positive(name("inertia"), disc.transverse_inertia); })
                  .and_then([&] { return finite(name("position"), disc.position); })
                  .and_then([&] { return finite(name("velocity"), disc.velocity); })
                  .and_then([&] { return finite(name("angular_velocity"), disc.angular_velocity); })
                  .and_then([&] { return finite(name("axis"), disc.axis); });
  if (!fine) return fine;
  if (!(s.blend > 0 && s.blend <= 0.5))
    return fail(ErrorCode::out_of_range, name("blend"), to_text(s.blend),
                "must be above 0 and at most 0.5, the sine of an angle");
  if (disc.axial_inertia > 2 * disc.transverse_inertia * (1 + 1e-9))
    return fail(ErrorCode::out_of_range, name("inertia"), to_text(disc.axial_inertia),
                "the axial moment must be at most twice the transverse one, " + to_text(disc.transverse_inertia));
  if (std::abs(disc.axis.norm() - 1) > 1e-9)
    return fail(ErrorCode::invalid, name("axis"), to_text(disc.axis), "must have length 1, to 1e-9");
  return {};
}

Vec3 angular_momentum(const Disc& disc) {
  return disc.transverse_inertia * disc.angular_velocity +
         (disc.axial_inertia - disc.transverse_inertia) * disc.axis.dot(disc.angular_velocity) * disc.axis;
}

double kinetic_energy(const Disc& disc) {
  return 0.5 * disc.mass * disc.velocity.squaredNorm() + 0.5 * disc.angular_velocity.dot(angular_momentum(disc));
}

Support support(const DiscShape& shape, const Vec3& axis, const Vec3& d) {
  const double along = d.dot(axis);
  const Vec3 t = d - along * axis;
  const double sigma = t.norm(), gamma = std::abs(along);
  const Blend face = blend(sigma, shape.blend), side = blend(gamma, shape.blend);
  const double R = shape.radius, H = shape.half_thickness;
  Support out;
  out.sine = sigma;
  out.rim = face.w;
  out.piece = (sigma < shape.blend ? 0 : 1) + (gamma < shape.blend ? 0 : 2);
  out.h = shape.fillet + R * face.g + H * side.g;
  out.arm = R * face.w_by_s * t + H * side.w_by_s * along * axis + shape.fillet * d;
  out.dome = R * (face.g - face.w * sigma) + H * (side.g - side.w * gamma);
  const double base = shape.fillet + out.dome;
  out.meridian_radius = base + R * face.dw * gamma * gamma + H * side.dw * sigma * sigma;
  out.axis_radius = base + R * face.w_by_s;
  return out;
}

Disc fly(const Disc& disc, double t, double g_0) {
  Disc out = disc;
  out.position += t * disc.velocity - Vec3(0, 0, 0.5 * g_0 * t * t);
  out.velocity.z() -= g_0 * t;
  const Vec3 L = angular_momentum(disc);
  if (const double size = L.norm(); size > 0) {
    const Eigen::AngleAxisd turn(size / disc.transverse_inertia * t, L / size);
    out.axis = (turn * disc.axis).normalized();
    out.angular_velocity = turn * disc.angular_velocity;
  }
  return out;
}

}  // namespace ricochet::compliant
