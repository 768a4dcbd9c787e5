#include "ricochet/fit/measured_impact.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <limits>

#include "ricochet/base/error_path.hpp"
#include "ricochet/contact/between.hpp"
#include "ricochet/space/impulse_space.hpp"

namespace ricochet {

Expected<ReducedImpact> reduce(const MeasuredImpact& impact, const ReductionOptions& options) {
  RigidBody ground;
  ground.fixed = true;
  const auto contact = contact_between(ground, impact.body, impact.arm, impact.n, {.A = "ground", .B = "body"});
  if (!contact) return tl::unexpected(contact.error());
  ReducedImpact out;
  out.row = impact.row;
  out.group = impact.group;
  out.contact = *contact;
  const Mat3 R = impact.body.orientation.toRotationMatrix();
  const Mat3 J = R * impact.body.inertia * R.transpose();
  const Eigen::LLT<Mat3> root(J);  // J = L Lᵀ: ‖Lᵀ ω‖² = ω·Jω
  if (root.info() != Eigen::Success)
    return fail(ErrorCode::invalid, "inertia", "", "must be positive definite for a measured spin");
  const double mass = impact.body.mass;
  Mat3 cross;
  const Vec3& r = impact.arm;
  cross << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
  const auto scaled = [&](const Vec3& v, const Vec3& w) {
    ReducedImpact::Vec6 out_;
    out_ << std::sqrt(mass) * v, impact.spin_measured ? Vec3(root.matrixU() * w) : Vec3::Zero();
    return out_;
  };
  const ReducedImpact::Vec6 before = scaled(impact.body.velocity, impact.body.angular_velocity);
  const double size = before.norm();
  if (!(size > 0)) return fail(ErrorCode::invalid, "velocity", "0", "the body is at rest before");
  out.b = (scaled(impact.velocity, impact.angular_velocity) - before) / size;
  out.before = before / size;
  out.speed = size / std::sqrt(mass);
  out.arm = r / std::sqrt(J.trace() / 3 / mass);
  out.A.topRows<3>() = Mat3::Identity() / std::sqrt(mass) / size;
  // Lᵀ J⁻¹ [r]× P = L⁻¹ [r]× P
  out.A.bottomRows<3>() = impact.spin_measured ? Mat3(root.matrixL().solve(cross) / size) : Mat3::Zero();
  out.P = (out.A.transpose() * out.A).ldlt().solve(out.A.transpose() * out.b);
  out.best_error = out.error_of(out.P);
  const Vec3 V = contact->V + contact->W * out.P;
  const double approach = contact->approach_speed(), separation = contact->n.dot(V);
  const double normal = contact->n.dot(out.P);
  out.energy_ratio = (before / size + out.b).squaredNorm();
  out.impulse_ratio = normal != 0 ? (out.P - normal * contact->n).norm() / normal : 0;
  out.restitution = approach > 0 ? separation / approach : 0;
  out.margins = certify(*contact, out.P, std::numeric_limits<double>::infinity()).margins;
  out.separates_before = !(approach > 0);
  out.approaches_after = !(separation >= 0);
  out.gains_energy = out.energy_ratio > 1;
  out.unbalanced = out.best_error > options.unbalanced;
  return out;
}

Vec3 contact_offset(const MeasuredImpact& impact, double deviation, double spin_deviation) {
  const Mat3 R = impact.body.orientation.toRotationMatrix();
  const Mat3 J = R * impact.body.inertia * R.transpose();
  const Vec3 P = impact.body.mass * (impact.velocity - impact.body.velocity);
  const Vec3 missing = J * (impact.angular_velocity - impact.body.angular_velocity) - impact.arm.cross(P);
  // missing = δ × P = −[P]× δ, δ tangential; least squares with both deviations.
  Mat3 cross;
  cross << 0, -P.z(), P.y(), P.z(), 0, -P.x(), -P.y(), P.x(), 0;
  const Mat3 tangential = Mat3::Identity() - impact.n * impact.n.transpose();
  const Mat3 by = J.inverse() * (-cross) * tangential / spin_deviation;
  const Vec3 seen = J.inverse() * missing / spin_deviation;
  const Mat3 information = by.transpose() * by + Mat3::Identity() / (deviation * deviation);
  return tangential * information.ldlt().solve(by.transpose() * seen);
}

}  // namespace ricochet
