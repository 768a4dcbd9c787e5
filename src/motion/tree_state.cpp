#include "motion/tree_state.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet::motion {
namespace {

/// Calls `use` with each link, the first of its positions and the first of its speeds.
template <class Use>
void each_coordinate(const Tree& tree, const Use& use) {
  Eigen::Index position = 0, speed = 0;
  for (const Link& link : tree.links) {
    use(link, position, speed);
    position += position_count(link.joint);
    speed += speed_count(link.joint);
  }
}

}  // namespace

double force_at(const JointForce& force, double t) {
  if (force.times.empty()) return force.values[0];
  const auto after = std::upper_bound(force.times.begin(), force.times.end(), t);
  const auto k = static_cast<std::size_t>(after - force.times.begin());
  if (k == 0) return force.values.front();
  if (k == force.times.size()) return force.values.back();
  const double share = (t - force.times[k - 1]) / (force.times[k] - force.times[k - 1]);
  return (1 - share) * force.values[k - 1] + share * force.values[k];
}

void normalise(const Tree& tree, Eigen::Ref<VecX> q) {
  each_coordinate(tree, [&](const Link& link, Eigen::Index position, Eigen::Index) {
    if (link.joint == JointType::ball) q.segment<4>(position).normalize();
    if (link.joint == JointType::free) q.segment<4>(position + 3).normalize();
  });
}

std::optional<TreeState> TreeState::at(const Mechanism& mechanism, VecX q, VecX u) {
  TreeState out;
  out.mechanism_ = &mechanism;
  normalise(mechanism.tree, q);
  if (!q.allFinite() || !u.allFinite()) return std::nullopt;
  auto posture = forward_kinematics(mechanism.tree, q);
  if (!posture) return std::nullopt;
  out.q_ = std::move(q);
  out.u_ = std::move(u);
  out.posture_ = *std::move(posture);
  out.motions_ = link_motions(mechanism.tree, out.posture_, out.u_);
  auto articulated = Articulated::at(mechanism.tree, out.posture_);
  if (!articulated) return std::nullopt;
  out.articulated_ = *std::move(articulated);
  if (const MatX& G = mechanism.constraints; G.rows() > 0) {
    const MatX L = out.articulated_->solve(G.transpose());
    out.held_ = L * (G * L).inverse();
  }
  return out;
}

Pose TreeState::pose(std::size_t body) const {
  const auto link = static_cast<std::size_t>(mechanism_->links[body]);
  const Kinematics::Place& at = posture_.places[link];
  const LinkMotion& motion = motions_[link];
  return {at.centre, Quaternion(at.R).normalized(), motion.velocity, motion.angular_velocity};
}

MatX TreeState::jacobian(std::size_t body) const {
  return link_jacobian(mechanism_->tree, posture_, mechanism_->links[body]);
}

std::vector<Eigen::Matrix<double, 6, 1>> TreeState::accelerations(const VecX& rates) const {
  const auto motions = link_motions(mechanism_->tree, posture_, u_, &rates);
  std::vector<Eigen::Matrix<double, 6, 1>> out(mechanism_->bodies.size());
  for (std::size_t k = 0; k < out.size(); ++k) {
    const LinkMotion& motion = motions[static_cast<std::size_t>(mechanism_->links[k])];
    out[k] << motion.acceleration, motion.angular_acceleration;
  }
  return out;
}

MatX TreeState::solve(const MatX& X) const {
  MatX out = articulated_->solve(X);
  if (held_.cols() > 0) out -= held_ * (mechanism_->constraints * out);
  return out;
}

TreeState::Driven TreeState::driven(const Vec3& gravity, std::span<const LinkForce> applied, double t) const {
  const Mechanism& m = *mechanism_;
  Driven out;
  std::vector<LinkForce> forces(m.tree.links.size());
  for (std::size_t i = 0; i < m.tree.links.size(); ++i) forces[i].force = m.tree.links[i].mass * gravity;
  for (std::size_t k = 0; k < m.bodies.size(); ++k) {
    const auto link = static_cast<std::size_t>(m.links[k]);
    forces[link].force += applied[k].force;
    forces[link].torque += applied[k].torque;
    out.applied_power +=
        applied[k].force.dot(motions_[link].velocity) + applied[k].torque.dot(motions_[link].angular_velocity);
  }
  VecX tau = generalised_force(m.tree, posture_, forces) - bias_force(m.tree, posture_, motions_);
  if (m.damping.size() > 0) {
    tau -= m.damping.cwiseProduct(u_);
    out.damped_power = u_.dot(m.damping.cwiseProduct(u_));
  }
  if (m.stiffness.size() > 0)
    each_coordinate(m.tree, [&](const Link& link, Eigen::Index position, Eigen::Index speed) {
      if (speed_count(link.joint) == 1) tau(speed) -= m.stiffness(speed) * (q_(position) - m.rest(speed));
    });
  for (const JointForce& force : m.forces) {
    const double value = force_at(force, t);
    tau(force.speed) += value;
    out.applied_power += value * u_(force.speed);
  }
  out.acceleration = solve(tau);
  return out;
}

VecX TreeState::position_rates() const { return ricochet::position_rates(mechanism_->tree, q_, u_); }

std::vector<Pose> tree_poses(const Mechanism& m, VecX q, const VecX& u) {
  normalise(m.tree, q);
  std::vector<Pose> out(m.bodies.size());
  const auto posture = forward_kinematics(m.tree, q);
  const auto motions = posture ? link_motions(m.tree, *posture, u) : std::vector<LinkMotion>{};
  for (std::size_t k = 0; k < m.bodies.size(); ++k) {
    const auto link = static_cast<std::size_t>(m.links[k]);
    if (motions.empty()) {
      const Vec3 none = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
      out[k] = {none, Quaternion::Identity(), none, none};
      continue;
    }
    out[k] = {posture->places[link].centre, Quaternion(posture->places[link].R).normalized(), motions[link].velocity,
              motions[link].angular_velocity};
  }
  return out;
}

double spring_energy(const Mechanism& m, const VecX& q) {
  double out = 0;
  if (m.stiffness.size() > 0)
    each_coordinate(m.tree, [&](const Link& link, Eigen::Index position, Eigen::Index speed) {
      if (speed_count(link.joint) != 1) return;
      const double stretch = q(position) - m.rest(speed);
      out += 0.5 * m.stiffness(speed) * stretch * stretch;
    });
  return out;
}

double rotor_energy(const Mechanism& m, const VecX& u) {
  double out = 0;
  each_coordinate(m.tree, [&](const Link& link, Eigen::Index, Eigen::Index speed) {
    if (const int count = speed_count(link.joint); count > 0)
      out += 0.5 * link.rotor * u.segment(speed, count).squaredNorm();
  });
  return out;
}

}  // namespace ricochet::motion
