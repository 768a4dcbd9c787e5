#include "ricochet/fit/measured_impact.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <limits>

#include "ricochet/base/error_path.hpp"
#include "ricochet/contact/between.hpp"
#include "ricochet/space/impulse_space.hpp"

namespace ricochet {
namespace {

Mat3 world_inertia(const MeasuredImpact& impact) {
  const Mat3 R = impact.body.orientation.toRotationMatrix();
  return R * impact.body.inertia * R.transpose();
}

}  // namespace

Expected<ImpactPoint> impact_point(const MeasuredImpact& impact, const Vec3& arm, double size) {
  RigidBody ground;
  ground.fixed = true;
  const auto contact = contact_between(ground, impact.body, arm, impact.n, {.A = "ground", .B = "body"});
  if (!contact) return tl::unexpected(contact.error());
  const Eigen::LLT<Mat3> root(world_inertia(impact));
  if (root.info() != Eigen::Success)
    return fail(ErrorCode::invalid, "inertia", "", "must be positive definite for a measured spin");
  Mat3 cross;
  cross << 0, -arm.z(), arm.y(), arm.z(), 0, -arm.x(), -arm.y(), arm.x(), 0;
  ImpactPoint out{.contact = *contact, .A = {}};
  out.A.topRows<3>() = Mat3::Identity() / std::sqrt(impact.body.mass) / size;
  // Lᵀ J⁻¹ [r]× P = L⁻¹ [r]× P
  out.A.bottomRows<3>() = impact.spin_measured ? Mat3(root.matrixL().solve(cross) / size) : Mat3::Zero();
  return out;
}

Expected<ReducedImpact> reduce(const MeasuredImpact& impact, const ReductionOptions& options) {
  const Mat3 J = world_inertia(impact);
  const Eigen::LLT<Mat3> root(J);  // J = L Lᵀ: ‖Lᵀ ω‖² = ω·Jω
  const double mass = impact.body.mass;
  const auto scaled = [&](const Vec3& v, const Vec3& w) {
    ReducedImpact::Vec6 out_;
    out_ << std::sqrt(mass) * v, impact.spin_measured ? Vec3(root.matrixU() * w) : Vec3::Zero();
    return out_;
  };
  const ReducedImpact::Vec6 before = scaled(impact.body.velocity, impact.body.angular_velocity);
  const double size = before.norm();
  const auto point = impact_point(impact, impact.arm, size);
  if (!point) return tl::unexpected(point.error());
  if (!(size > 0)) return fail(ErrorCode::invalid, "velocity", "0", "the body is at rest before");
  ReducedImpact out;
  out.measured = impact;
  out.contact = point->contact;
  out.A = point->A;
  out.b = (scaled(impact.velocity, impact.angular_velocity) - before) / size;
  out.before = before / size;
  out.speed = size / std::sqrt(mass);
  out.arm = impact.arm / std::sqrt(J.trace() / 3 / mass);
  out.P = (out.A.transpose() * out.A).ldlt().solve(out.A.transpose() * out.b);
  out.best_error = out.error_of(out.P);
  const Contact& contact = out.contact;
  const Vec3 V = contact.V + contact.W * out.P;
  const double approach = contact.approach_speed(), separation = contact.n.dot(V);
  const double normal = contact.n.dot(out.P);
  out.energy_ratio = (before / size + out.b).squaredNorm();
  out.impulse_ratio = normal != 0 ? (out.P - normal * contact.n).norm() / normal : 0;
  out.restitution = approach > 0 ? separation / approach : 0;
  out.margins = certify(contact, out.P, std::numeric_limits<double>::infinity()).margins;
  out.separates_before = !(approach > 0);
  out.approaches_after = !(separation >= 0);
  out.gains_energy = out.energy_ratio > 1;
  out.unbalanced = out.best_error > options.unbalanced;
  return out;
}

}  // namespace ricochet
