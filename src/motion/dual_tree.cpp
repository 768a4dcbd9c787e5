#include "motion/dual_tree.hpp"

#include <algorithm>
#include <utility>

namespace ricochet::motion {
namespace {

using Place = Eigen::Index;

/// As of an applied force: linear between its times.
Num force_at(const JointForce& force, const Num& t) {
  if (force.times.empty()) return Num(force.values[0]);
  const auto after = std::upper_bound(force.times.begin(), force.times.end(), t.v);
  const auto k = static_cast<std::size_t>(after - force.times.begin());
  if (k == 0) return Num(force.values.front());
  if (k == force.times.size()) return Num(force.values.back());
  const Num share = (t - Num(force.times[k - 1])) / Num(force.times[k] - force.times[k - 1]);
  return Num(force.values[k - 1]) + share * (force.values[k] - force.values[k - 1]);
}

/// Mass, first moment and moments of inertia about one point for all links.
struct Moments {
  Num mass = Num(0);
  Vec3D first = Vec3D::Zero();
  Mat3D second = Mat3D::Zero();
};

}  // namespace

DualTree::DualTree(const Mechanism& mechanism, VecD q, VecD u, std::vector<Num> mass_ratio)
    : mechanism_(&mechanism), q_(std::move(q)), u_(std::move(u)), mass_ratio_(std::move(mass_ratio)) {
  const Tree& tree = mechanism.tree;
  places_.reserve(tree.links.size());
  Place position = 0;
  int speed = 0;
  for (const Link& link : tree.links) {
    const LinkPlace<Num>* parent = link.parent >= 0 ? &places_[static_cast<std::size_t>(link.parent)] : nullptr;
    places_.push_back(tree_kernel::place<Num>(link, parent, q_.data() + position, speed));
    position += position_count(link.joint);
    speed += speed_count(link.joint);
  }
  motions_ = tree_kernel::link_motions<Num>(tree, places_, u_);
  fill_mass();
}

/// Of joints i and j along one branch, 𝓜_ij is what the momentum of all that the farther one carries gives along the
/// nearer one. Twists and momenta refer to one point, the first link's origin, which is a constant here.
void DualTree::fill_mass() {
  const std::vector<Link>& links = mechanism_->tree.links;
  mass_ = MatD::Zero(dof(), dof());
  if (links.empty()) return;
  const Vec3D point = values_of(places_[0].origin).cast<Num>();
  std::vector<Moments> carried(links.size());
  for (std::size_t i = links.size(); i-- > 0;) {
    const LinkPlace<Num>& at = places_[i];
    Moments& own = carried[i];
    if (links[i].mass > 0) {
      const Num mass = mass_ratio_[i] * links[i].mass;
      const Vec3D d = at.centre - point;
      own.mass += mass;
      own.first += mass * d;
      own.second += mass_ratio_[i] * (at.R * links[i].inertia.cast<Num>() * at.R.transpose()) +
                    mass * (d.dot(d) * Mat3D::Identity() - d * d.transpose());
    }
    const auto twist = [&](const LinkPlace<Num>& of, Place k) {
      const Vec3D w = of.S.col(k).head<3>(), v = of.S.col(k).tail<3>();
      return std::pair<Vec3D, Vec3D>(w, v + w.cross(Vec3D(point - of.origin)));
    };
    for (Place k = 0; k < at.S.cols(); ++k) {
      const auto [w, v] = twist(at, k);
      const Vec3D linear = own.mass * v + w.cross(own.first), angular = own.second * w + own.first.cross(v);
      for (int j = static_cast<int>(i); j >= 0; j = links[static_cast<std::size_t>(j)].parent) {
        const LinkPlace<Num>& below = places_[static_cast<std::size_t>(j)];
        for (Place l = 0; l < below.S.cols(); ++l) {
          const auto [w_l, v_l] = twist(below, l);
          mass_(below.first + l, at.first + k) = w_l.dot(angular) + v_l.dot(linear);
          mass_(at.first + k, below.first + l) = mass_(below.first + l, at.first + k);
        }
      }
    }
    for (Place k = 0; k < at.S.cols(); ++k) mass_(at.first + k, at.first + k) += Num(links[i].rotor);
    if (links[i].parent < 0) continue;
    Moments& parent = carried[static_cast<std::size_t>(links[i].parent)];
    parent.mass += own.mass;
    parent.first += own.first;
    parent.second += own.second;
  }
  factor_.compute(values_of(mass_));
}

PoseOf<Num> DualTree::pose(int link) const {
  const auto i = static_cast<std::size_t>(link);
  const LinkPlace<Num>& at = places_[i];
  // q of the rotation R: dq = ½ (0, ω) q with ω× = dR Rᵀ.
  const Mat3 R = values_of(at.R);
  const Quaternion q = Quaternion(R).normalized();
  Eigen::Quaternion<Num> turn(Num(q.w()), Num(q.x()), Num(q.y()), Num(q.z()));
  for (int k = 0; k < dual_width; ++k) {
    const auto d = static_cast<std::size_t>(k);
    Mat3 dR;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) dR(r, c) = at.R(r, c).d[d];
    const Mat3 spin = dR * R.transpose();
    const Vec3 w(spin(2, 1), spin(0, 2), spin(1, 0));
    const Quaternion rate = Quaternion(0, w.x(), w.y(), w.z()) * q;
    turn.w().d[d] = 0.5 * rate.w();
    turn.x().d[d] = 0.5 * rate.x();
    turn.y().d[d] = 0.5 * rate.y();
    turn.z().d[d] = 0.5 * rate.z();
  }
  return {at.centre, turn, motions_[i].velocity, motions_[i].angular_velocity};
}

const MatD& DualTree::jacobian(int link) const {
  const auto found = jacobians_.find(link);
  if (found != jacobians_.end()) return found->second;
  return jacobians_.emplace(link, tree_kernel::link_jacobian<Num>(mechanism_->tree, places_, dof(), link))
      .first->second;
}

MatD DualTree::solve(const MatD& X) const {
  const MatX x = factor_.solve(values_of(X));
  MatD out = x.cast<Num>();
  for (int k = 0; k < dual_width; ++k) {
    const MatX dx = factor_.solve(direction_of(X, k) - direction_of(mass_, k) * x);
    for (Place i = 0; i < out.rows(); ++i)
      for (Place j = 0; j < out.cols(); ++j) out(i, j).d[static_cast<std::size_t>(k)] = dx(i, j);
  }
  return out;
}

VecD DualTree::driven(const Vec3D& gravity, std::span<const LinkForceOf<Num>> applied, const DualJoints& joints,
                      const Num& t) const {
  const Mechanism& m = *mechanism_;
  std::vector<LinkForceOf<Num>> forces(applied.begin(), applied.end());
  for (std::size_t i = 0; i < forces.size(); ++i) {
    const Link& link = m.tree.links[i];
    if (!(link.mass > 0)) continue;
    const Mat3D J = mass_ratio_[i] * (places_[i].R * link.inertia.cast<Num>() * places_[i].R.transpose());
    const Vec3D &w = motions_[i].angular_velocity, momentum = J * w;
    forces[i].force += (mass_ratio_[i] * link.mass) * (gravity - motions_[i].acceleration);
    forces[i].torque -= J * motions_[i].angular_acceleration + w.cross(momentum);
  }
  VecD tau = tree_kernel::generalised_force<Num>(m.tree, places_, dof(), forces);
  tau += joints.force;
  tau -= joints.damping.cwiseProduct(u_);
  Place position = 0, speed = 0;
  for (const Link& link : m.tree.links) {
    if (speed_count(link.joint) == 1) tau(speed) -= joints.stiffness(speed) * (q_(position) - joints.rest(speed));
    position += position_count(link.joint);
    speed += speed_count(link.joint);
  }
  for (const JointForce& force : m.forces) tau(force.speed) += force_at(force, t);
  return solve(tau);
}

std::vector<LinkMotionOf<Num>> DualTree::motions(const VecD& rates) const {
  return tree_kernel::link_motions<Num>(mechanism_->tree, places_, u_, &rates);
}

VecD DualTree::position_rates() const { return tree_kernel::position_rates<Num>(mechanism_->tree, q_, u_); }

}  // namespace ricochet::motion
