#include "motion/dual_motion.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <boost/numeric/odeint/algebra/range_algebra.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <cmath>

namespace ricochet::motion {
namespace {

using Place = Eigen::Index;

Mat3 inverse_in_body_axes(const Mat3& inertia) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(inertia);
  Mat3 inverse = Mat3::Zero();
  for (int k = 0; k < 3; ++k)
    if (eigen.eigenvalues()(k) > 1e-14 * eigen.eigenvalues()(2)) {
      const Vec3 axis = eigen.eigenvectors().col(k);
      inverse += axis * axis.transpose() / eigen.eigenvalues()(k);
    }
  return inverse;
}

struct DualLoad {
  Vec3D force = Vec3D::Zero(), torque = Vec3D::Zero();
};
DualLoad dual_load(const AppliedForce& applied, const Num& t) {
  const auto both = [&](std::size_t k) {
    return DualLoad{applied.forces[k].cast<Num>(), applied.torques[k].cast<Num>()};
  };
  if (applied.times.empty()) return both(0);
  const auto after = std::upper_bound(applied.times.begin(), applied.times.end(), t.v);
  const auto k = static_cast<std::size_t>(after - applied.times.begin());
  if (k == 0) return both(0);
  if (k == applied.times.size()) return both(k - 1);
  const Num share = (t - Num(applied.times[k - 1])) / Num(applied.times[k] - applied.times[k - 1]);
  const DualLoad low = both(k - 1), high = both(k);
  return {low.force + share * (high.force - low.force), low.torque + share * (high.torque - low.torque)};
}

Vec3D second_tangent(const Vec3D& n, const Vec3D& first) { return n.cross(first); }
Vec3D first_tangent(const Vec3D& n) {
  int k = 0;
  values_of(n).cwiseAbs().minCoeff(&k);
  const Vec3D axis = Vec3(Vec3::Unit(k)).cast<Num>();
  const Vec3D across = axis - n(k) * n;
  return across / across.norm();
}

}  // namespace

MatD solve_least(const MatD& A, const MatD& b) {
  const MatX value = values_of(A), right = values_of(b);
  Eigen::CompleteOrthogonalDecomposition<MatX> solver;
  solver.setThreshold(1e-11);
  solver.compute(value);
  const MatX x = solver.solve(right);
  const bool deficient = solver.rank() < value.cols();
  MatX inverse;
  if (deficient) inverse = solver.pseudoInverse();
  MatD out = x.cast<Num>();
  for (int k = 0; k < dual_width; ++k) {
    const MatX dA = direction_of(A, k);
    MatX dx = solver.solve(direction_of(b, k) - dA * x);
    if (deficient) {
      // The least solution stays across the null space, which turns.
      const MatX turn = dA.transpose() * (inverse.transpose() * x);
      dx += turn - inverse * (value * turn);
    }
    for (Place i = 0; i < out.rows(); ++i)
      for (Place j = 0; j < out.cols(); ++j) out(i, j).d[static_cast<std::size_t>(k)] = dx(i, j);
  }
  return out;
}

DualMotion::DualMotion(const World& world, const History& history)
    : gravity(world.gravity.cast<Num>()),
      mass_ratio(world.bodies.size(), Num(1)),
      world_(world),
      history_(history),
      part_(world.bodies.size()),
      body_at_(world.bodies.size(), 0),
      speed_of_body_(world.bodies.size(), -1),
      inverse_(world.bodies.size(), Mat3::Zero()) {
  for (std::size_t m = 0; m < world.mechanisms.size(); ++m)
    for (std::size_t k = 0; k < world.mechanisms[m].bodies.size(); ++k)
      part_[world.mechanisms[m].bodies[k]] = {static_cast<int>(m), world.mechanisms[m].links[k]};
  const auto add = [&](StateKind kind, std::size_t count) { kinds_.insert(kinds_.end(), count, kind); };
  for (std::uint32_t i = 0; i < world.bodies.size(); ++i) {
    if (part_[i].mechanism >= 0) continue;
    body_at_[i] = kinds_.size();
    add(StateKind::place, 3);
    add(StateKind::turn, 4);
    add(StateKind::velocity, 3);
    add(StateKind::spin, 3);
    const RigidBody& body = world.bodies[i].body;
    if (body.fixed) continue;
    speed_of_body_[i] = speeds_;
    speeds_ += 6;
    inverse_[i] = inverse_in_body_axes(body.inertia);
  }
  for (const Mechanism& m : world.mechanisms) {
    mechanism_at_.push_back(kinds_.size());
    add(StateKind::joint, static_cast<std::size_t>(m.q.size()));
    add(StateKind::joint_speed, static_cast<std::size_t>(m.u.size()));
    speed_of_mechanism_.push_back(speeds_);
    speeds_ += m.u.size();
    const auto numbers = [&](const VecX& x) {
      return VecD((x.size() > 0 ? x : VecX(VecX::Zero(m.u.size()))).cast<Num>());
    };
    joints.push_back({numbers({}), numbers(m.damping), numbers(m.stiffness), numbers(m.rest)});
  }
  for (const PairLaw& law : world.laws) {
    mu.emplace_back(law.mu);
    mu_s.emplace_back(law.mu_s);
  }
  for (const BallJoint& joint : world.joints) {
    const auto arm = [&](std::size_t i) {
      const RigidBody& b = world.bodies[i].body;
      return Vec3(b.orientation.normalized().conjugate() * (joint.point - b.position));
    };
    joints_.push_back({static_cast<std::uint32_t>(joint.first), static_cast<std::uint32_t>(joint.second),
                       arm(joint.first), arm(joint.second)});
  }
}

std::size_t DualMotion::law_of(const Feature& f) const {
  return world_.law_of_pair.size() == 1 ? world_.law_of_pair[0] : world_.law_of_pair[f.a * world_.bodies.size() + f.b];
}

bool DualMotion::joined(std::uint32_t body) const {
  const int m = part_[body].mechanism;
  if (m >= 0 && world_.mechanisms[static_cast<std::size_t>(m)].constraints.rows() > 0) return true;
  return std::any_of(joints_.begin(), joints_.end(), [&](const Joint& j) {
    const auto meets = [&](std::uint32_t other) { return other == body || (m >= 0 && part_[other].mechanism == m); };
    return meets(j.a) || meets(j.b);
  });
}

Place DualMotion::constraint_count() const {
  Place out = 0;
  for (const Mechanism& m : world_.mechanisms) out += m.constraints.rows();
  return out;
}

std::optional<std::size_t> DualMotion::numbers_of_body(std::uint32_t body) const {
  if (part_[body].mechanism >= 0) return std::nullopt;
  return body_at_[body];
}

DualState DualMotion::start() const {
  DualState y;
  y.reserve(kinds_.size());
  for (std::size_t i = 0; i < world_.bodies.size(); ++i) {
    if (part_[i].mechanism >= 0) continue;
    const RigidBody& body = world_.bodies[i].body;
    const Quaternion q = body.orientation.normalized();
    for (const double x : {body.position.x(), body.position.y(), body.position.z(), q.w(), q.x(), q.y(), q.z(),
                           body.velocity.x(), body.velocity.y(), body.velocity.z(), body.angular_velocity.x(),
                           body.angular_velocity.y(), body.angular_velocity.z()})
      y.emplace_back(x);
  }
  for (const Mechanism& m : world_.mechanisms) {
    for (const double x : m.q) y.emplace_back(x);
    for (const double x : m.u) y.emplace_back(x);
  }
  return y;
}

DualPosture DualMotion::at(const DualState& y) const {
  DualPosture out;
  out.trees.reserve(world_.mechanisms.size());
  for (std::size_t m = 0; m < world_.mechanisms.size(); ++m) {
    const Mechanism& mechanism = world_.mechanisms[m];
    const Num* numbers = y.data() + mechanism_at_[m];
    std::vector<Num> ratio(mechanism.tree.links.size(), Num(1));
    for (std::size_t k = 0; k < mechanism.bodies.size(); ++k)
      ratio[static_cast<std::size_t>(mechanism.links[k])] = mass_ratio[mechanism.bodies[k]];
    out.trees.emplace_back(mechanism, Eigen::Map<const VecD>(numbers, mechanism.q.size()),
                           Eigen::Map<const VecD>(numbers + mechanism.q.size(), mechanism.u.size()), std::move(ratio));
  }
  out.poses.reserve(world_.bodies.size());
  for (std::size_t i = 0; i < world_.bodies.size(); ++i) {
    if (const Part& part = part_[i]; part.mechanism >= 0) {
      out.poses.push_back(out.trees[static_cast<std::size_t>(part.mechanism)].pose(part.link));
      continue;
    }
    const Num* numbers = y.data() + body_at_[i];
    const Num length =
        sqrt(numbers[3] * numbers[3] + numbers[4] * numbers[4] + numbers[5] * numbers[5] + numbers[6] * numbers[6]);
    out.poses.push_back(
        {Vec3D(numbers[0], numbers[1], numbers[2]),
         Eigen::Quaternion<Num>(numbers[3] / length, numbers[4] / length, numbers[5] / length, numbers[6] / length),
         Vec3D(numbers[7], numbers[8], numbers[9]), Vec3D(numbers[10], numbers[11], numbers[12])});
  }
  return out;
}

void DualMotion::add_speeds(DualState& y, const VecD& change) const {
  for (std::size_t i = 0; i < world_.bodies.size(); ++i)
    if (speed_of_body_[i] >= 0)
      for (std::size_t k = 0; k < 6; ++k) y[body_at_[i] + 7 + k] += change(speed_of_body_[i] + static_cast<Place>(k));
  for (std::size_t m = 0; m < world_.mechanisms.size(); ++m) {
    const auto positions = static_cast<std::size_t>(world_.mechanisms[m].q.size());
    for (Place k = 0; k < world_.mechanisms[m].u.size(); ++k)
      y[mechanism_at_[m] + positions + static_cast<std::size_t>(k)] += change(speed_of_mechanism_[m] + k);
  }
}

void DualMotion::move(DualState& y, std::size_t direction, const VecX& way, bool speeds) const {
  for (std::size_t i = 0; i < world_.bodies.size(); ++i) {
    if (speed_of_body_[i] < 0) continue;
    Num* numbers = y.data() + body_at_[i];
    const Vec3 first = way.segment<3>(speed_of_body_[i]), turn = way.segment<3>(speed_of_body_[i] + 3);
    // δq = ½ (0, δθ) q.
    const Vec3 v(numbers[4].v, numbers[5].v, numbers[6].v), dv = 0.5 * (numbers[3].v * turn + turn.cross(v));
    for (std::size_t k = 0; k < 3; ++k) {
      const auto r = static_cast<Place>(k);
      numbers[(speeds ? 7 : 0) + k].d[direction] += first(r);
      numbers[(speeds ? 10 : 4) + k].d[direction] += speeds ? turn(r) : dv(r);
    }
    if (!speeds) numbers[3].d[direction] -= 0.5 * turn.dot(v);
  }
  for (std::size_t m = 0; m < world_.mechanisms.size(); ++m) {
    const Mechanism& mechanism = world_.mechanisms[m];
    Num* numbers = y.data() + mechanism_at_[m];
    const VecX own = way.segment(speed_of_mechanism_[m], mechanism.u.size());
    if (speeds) {
      for (Place k = 0; k < own.size(); ++k) numbers[mechanism.q.size() + k].d[direction] += own(k);
      continue;
    }
    VecX q(mechanism.q.size());
    for (Place k = 0; k < q.size(); ++k) q(k) = numbers[k].v;
    const VecX rate = position_rates(mechanism.tree, q, own);
    for (Place k = 0; k < q.size(); ++k) numbers[k].d[direction] += rate(k);
  }
}

VecX DualMotion::way(const DualState& y, std::size_t direction, bool speeds) const {
  VecX out(speeds_);
  // 2 δq q* or, of links, whose rotations are in their own axes, 2 q* δq.
  const auto turn = [&](const Num* q, bool own_axes) {
    const double w = q[0].v, dw = q[0].d[direction];
    const Vec3 v(q[1].v, q[2].v, q[3].v), dv(q[1].d[direction], q[2].d[direction], q[3].d[direction]);
    return Vec3(2 * (w * dv - dw * v + (own_axes ? 1 : -1) * dv.cross(v)));
  };
  for (std::size_t i = 0; i < world_.bodies.size(); ++i) {
    if (speed_of_body_[i] < 0) continue;
    const Num* numbers = y.data() + body_at_[i];
    for (std::size_t k = 0; k < 3; ++k) {
      out(speed_of_body_[i] + static_cast<Place>(k)) = numbers[(speeds ? 7 : 0) + k].d[direction];
      if (speeds) out(speed_of_body_[i] + 3 + static_cast<Place>(k)) = numbers[10 + k].d[direction];
    }
    if (!speeds) out.segment<3>(speed_of_body_[i] + 3) = turn(numbers + 3, false);
  }
  for (std::size_t m = 0; m < world_.mechanisms.size(); ++m) {
    const Mechanism& mechanism = world_.mechanisms[m];
    const Num* numbers = y.data() + mechanism_at_[m];
    Place position = 0, speed = speed_of_mechanism_[m];
    if (speeds) {
      for (Place k = 0; k < mechanism.u.size(); ++k) out(speed + k) = numbers[mechanism.q.size() + k].d[direction];
      continue;
    }
    for (const Link& link : mechanism.tree.links) {
      const bool free = link.joint == JointType::free, ball = link.joint == JointType::ball;
      const int straight = free ? 3 : ball ? 0 : ricochet::speed_count(link.joint);
      for (int k = 0; k < straight; ++k) out(speed + k) = numbers[position + k].d[direction];
      if (free || ball) out.segment<3>(speed + straight) = turn(numbers + position + straight, true);
      position += position_count(link.joint);
      speed += ricochet::speed_count(link.joint);
    }
  }
  return out;
}

FrameOf<Num> DualMotion::frame(const DualPosture& at, const Feature& f) const {
  return frame_of<Num>(f, history_.shapes[f.b]->part(f.shape_b), at.poses[f.a], at.poses[f.b]);
}

Mat3D DualMotion::world_inverse(const DualPosture& at, std::uint32_t body) const {
  const Mat3D R = at.poses[body].orientation.toRotationMatrix();
  return R * inverse_[body].cast<Num>() * R.transpose() / mass_ratio[body];
}

void DualMotion::put(MatD& J, Place row, const DualPosture& at, std::uint32_t body, double sign, const Vec3D& point,
                     const Vec3D& along) const {
  const Part& part = part_[body];
  if (part.mechanism < 0 && speed_of_body_[body] < 0) return;
  const Vec3D r = point - at.poses[body].position, moment = r.cross(along);
  if (part.mechanism < 0) {
    const Place first = speed_of_body_[body];
    for (int i = 0; i < 3; ++i) {
      J(row, first + i) += sign * along(i);
      J(row, first + 3 + i) += sign * moment(i);
    }
    return;
  }
  const MatD& own = at.trees[static_cast<std::size_t>(part.mechanism)].jacobian(part.link);
  const Place first = speed_of_mechanism_[static_cast<std::size_t>(part.mechanism)];
  for (Place k = 0; k < own.cols(); ++k) {
    Num sum(0);
    for (int i = 0; i < 3; ++i) sum += along(i) * own(i, k) + moment(i) * own(3 + i, k);
    J(row, first + k) += sign * sum;
  }
}

MatD DualMotion::mass_solve(const DualPosture& at, const MatD& X) const {
  MatD out(X.rows(), X.cols());
  for (std::uint32_t i = 0; i < world_.bodies.size(); ++i) {
    const Place first = speed_of_body_[i];
    if (first < 0) continue;
    const Num inverse_mass = Num(1) / (mass_ratio[i] * world_.bodies[i].body.mass);
    const Mat3D inverse = world_inverse(at, i);
    for (Place c = 0; c < X.cols(); ++c) {
      const Vec3D force = X.block<3, 1>(first, c), moment = X.block<3, 1>(first + 3, c);
      out.block<3, 1>(first, c) = inverse_mass * force;
      out.block<3, 1>(first + 3, c) = inverse * moment;
    }
  }
  for (std::size_t m = 0; m < at.trees.size(); ++m) {
    const Place first = speed_of_mechanism_[m], count = world_.mechanisms[m].u.size();
    out.middleRows(first, count) = at.trees[m].solve(X.middleRows(first, count));
  }
  return out;
}

MatD DualMotion::point_rows(const DualPosture& at, const Feature& f, const Vec3D& point) const {
  MatD J = MatD::Zero(3, speeds_);
  for (int i = 0; i < 3; ++i) {
    const Vec3D along = Vec3(Vec3::Unit(i)).cast<Num>();
    put(J, i, at, f.b, 1, point, along);
    put(J, i, at, f.a, -1, point, along);
  }
  return J;
}

MatD DualMotion::joint_rows(const DualPosture& at) const {
  MatD J = MatD::Zero(3 * static_cast<Place>(joints_.size()) + constraint_count(), speeds_);
  Place row = 0;
  for (const Joint& joint : joints_) {
    const PoseOf<Num>&a = at.poses[joint.a], &b = at.poses[joint.b];
    const Vec3D on_a = a.position + a.orientation * Vec3D(joint.arm_a.cast<Num>());
    const Vec3D on_b = b.position + b.orientation * Vec3D(joint.arm_b.cast<Num>());
    for (int i = 0; i < 3; ++i) {
      const Vec3D along = Vec3(Vec3::Unit(i)).cast<Num>();
      put(J, row, at, joint.b, 1, on_b, along);
      put(J, row++, at, joint.a, -1, on_a, along);
    }
  }
  for (std::size_t m = 0; m < world_.mechanisms.size(); ++m) {
    const MatX& G = world_.mechanisms[m].constraints;
    J.block(row, speed_of_mechanism_[m], G.rows(), G.rows() > 0 ? G.cols() : 0) = G.cast<Num>();
    row += G.rows();
  }
  return J;
}

HeldRows DualMotion::held(const DualState& y, bool velocities) const {
  const DualPosture here = at(y);
  const auto holds_slip = [&](const DualContact& c) {
    return velocities && (c.recorded.mode == ContactMode::stick || c.recorded.begins);
  };
  Place rows = 3 * static_cast<Place>(joints_.size()) + constraint_count();
  for (const DualContact& c : contacts) rows += holds_slip(c) ? 3 : 1;
  HeldRows out;
  out.J = MatD::Zero(rows, speeds_);
  out.values = VecD::Zero(rows);
  Place row = 0;
  for (const DualContact& c : contacts) {
    const FrameOf<Num> f = frame(here, c.recorded.feature);
    const auto add = [&](const Vec3D& along, const Num& value) {
      put(out.J, row, here, c.recorded.feature.b, 1, f.point, along);
      put(out.J, row, here, c.recorded.feature.a, -1, f.point, along);
      out.values(row++) = value;
    };
    add(f.n, velocities ? f.n.dot(f.V) : f.gap);
    if (!holds_slip(c)) continue;
    const Vec3D first = first_tangent(f.n), second = second_tangent(f.n, first);
    add(first, first.dot(f.V));
    add(second, second.dot(f.V));
  }
  if (row == rows) return out;
  out.J.bottomRows(rows - row) = joint_rows(here);
  for (const Joint& joint : joints_) {
    const PoseOf<Num>&a = here.poses[joint.a], &b = here.poses[joint.b];
    const Vec3D ra = a.orientation * Vec3D(joint.arm_a.cast<Num>()),
                rb = b.orientation * Vec3D(joint.arm_b.cast<Num>());
    const Vec3D open =
        velocities ? Vec3D(b.velocity + b.angular_velocity.cross(rb) - a.velocity - a.angular_velocity.cross(ra))
                   : Vec3D(b.position + rb - a.position - ra);
    for (int i = 0; i < 3; ++i) out.values(row++) = open(i);
  }
  // G is constant: what follows others does so in its changes.
  for (std::size_t m = 0; m < world_.mechanisms.size(); ++m) {
    const MatX& G = world_.mechanisms[m].constraints;
    for (Place r = 0; r < G.rows(); ++r, ++row)
      for (int k = 0; k < dual_width; ++k) {
        const auto d = static_cast<std::size_t>(k);
        out.values(row).d[d] = G.row(r).dot(way(y, d, velocities).segment(speed_of_mechanism_[m], G.cols()));
      }
  }
  return out;
}

VecD DualMotion::free_speeds(const DualPosture& at, const Num& t) const {
  std::vector<LinkForceOf<Num>> applied(world_.bodies.size());
  for (const AppliedForce& one : world_.forces) {
    const DualLoad load = dual_load(one, t);
    applied[one.body].force += load.force;
    applied[one.body].torque += load.torque;
  }
  VecD out = VecD::Zero(speeds_);
  for (std::uint32_t i = 0; i < world_.bodies.size(); ++i) {
    const Place first = speed_of_body_[i];
    if (first < 0) continue;
    const PoseOf<Num>& p = at.poses[i];
    const Mat3D R = p.orientation.toRotationMatrix();
    const Vec3D in_body = R.transpose() * p.angular_velocity;
    const Vec3D L = mass_ratio[i] * (R * Vec3D(world_.bodies[i].body.inertia.cast<Num>() * in_body));
    const Vec3D torque = applied[i].torque - p.angular_velocity.cross(L);
    out.segment<3>(first) = gravity + applied[i].force / (mass_ratio[i] * world_.bodies[i].body.mass);
    out.segment<3>(first + 3) = world_inverse(at, i) * torque;
  }
  for (std::size_t m = 0; m < at.trees.size(); ++m) {
    const Mechanism& mechanism = world_.mechanisms[m];
    std::vector<LinkForceOf<Num>> on_links(mechanism.tree.links.size());
    for (std::size_t k = 0; k < mechanism.bodies.size(); ++k)
      on_links[static_cast<std::size_t>(mechanism.links[k])] = applied[mechanism.bodies[k]];
    out.segment(speed_of_mechanism_[m], mechanism.u.size()) = at.trees[m].driven(gravity, on_links, joints[m], t);
  }
  return out;
}

VecD DualMotion::accelerations(const DualPosture& at, const VecD& speeds) const {
  VecD out = VecD::Zero(6 * static_cast<Place>(world_.bodies.size()));
  for (std::size_t i = 0; i < world_.bodies.size(); ++i)
    if (speed_of_body_[i] >= 0) out.segment<6>(6 * static_cast<Place>(i)) = speeds.segment<6>(speed_of_body_[i]);
  for (std::size_t m = 0; m < at.trees.size(); ++m) {
    const Mechanism& mechanism = world_.mechanisms[m];
    const auto motions = at.trees[m].motions(speeds.segment(speed_of_mechanism_[m], mechanism.u.size()));
    for (std::size_t k = 0; k < mechanism.bodies.size(); ++k) {
      const LinkMotionOf<Num>& of = motions[static_cast<std::size_t>(mechanism.links[k])];
      out.segment<6>(6 * static_cast<Place>(mechanism.bodies[k])) << of.acceleration, of.angular_acceleration;
    }
  }
  return out;
}

DualForces DualMotion::forces(const DualPosture& here, const Num& t) const {
  DualForces out;
  out.speeds = free_speeds(here, t);
  out.accelerations = accelerations(here, out.speeds);
  Place rows = 3 * static_cast<Place>(joints_.size()) + constraint_count();
  for (const DualContact& c : contacts) rows += c.recorded.mode == ContactMode::stick ? 3 : 1;
  if (rows == 0) return out;
  // J measures velocities, K has the directions of the forces.
  MatD J = MatD::Zero(rows, speeds_), K = J;
  VecD rhs = VecD::Zero(rows);
  Place row = 0;
  // What the row measures of the accelerations of a body without contacts and joints.
  const auto measure = [&](std::uint32_t body, double sign, const Vec3D& point, const Vec3D& along) {
    const auto a = out.accelerations.segment<6>(6 * static_cast<Place>(body));
    const Vec3D first = a.head<3>(), turning = a.tail<3>(), r = point - here.poses[body].position;
    rhs(row) -= sign * (along.dot(first) + r.cross(along).dot(turning));
  };
  for (const DualContact& c : contacts) {
    const Feature& feature = c.recorded.feature;
    const FrameOf<Num>& f = out.frames.emplace_back(frame(here, feature));
    const PoseOf<Num>&a = here.poses[feature.a], &b = here.poses[feature.b];
    // Terms of velocities in the rate of V, (MO16).
    const Vec3D gamma =
        b.angular_velocity.cross(f.point_rate - b.velocity) - a.angular_velocity.cross(f.point_rate - a.velocity);
    const auto add = [&](const Vec3D& measured, const Vec3D& force, const Num& extra) {
      for (const auto& [body, sign] : {std::pair(feature.b, 1.0), std::pair(feature.a, -1.0)}) {
        put(J, row, here, body, sign, f.point, measured);
        put(K, row, here, body, sign, f.point, force);
        measure(body, sign, f.point, measured);
      }
      rhs(row) -= measured.dot(gamma) + extra;
      ++row;
    };
    Vec3D s = Vec3D::Zero();
    if (c.recorded.mode == ContactMode::slide) {
      if (c.held) {
        s = c.s - f.n * f.n.dot(c.s);
      } else {
        s = f.V - f.n * f.n.dot(f.V);
      }
      // Without friction slip needs no direction.
      const Num& friction = mu[law_of(feature)];
      const bool smooth =
          friction.v == 0 && std::all_of(friction.d.begin(), friction.d.end(), [](double x) { return x == 0; });
      if (smooth)
        s.setZero();
      else
        s /= s.norm();
      const Vec3D along = f.n - mu[law_of(feature)] * s;
      add(f.n, along, f.n_rate.dot(f.V));
    } else {
      const Vec3D first = first_tangent(f.n), second = second_tangent(f.n, first);
      add(f.n, f.n, Num(0));
      add(first, first, Num(0));
      add(second, second, Num(0));
    }
    out.direction.push_back(s);
  }
  if (row < rows) {
    J.bottomRows(rows - row) = joint_rows(here);
    K.bottomRows(rows - row) = J.bottomRows(rows - row);
    for (const Joint& joint : joints_) {
      const PoseOf<Num>&a = here.poses[joint.a], &b = here.poses[joint.b];
      const Vec3D ra = a.orientation * Vec3D(joint.arm_a.cast<Num>());
      const Vec3D rb = b.orientation * Vec3D(joint.arm_b.cast<Num>());
      const Vec3D in_b = b.angular_velocity.cross(rb), in_a = a.angular_velocity.cross(ra);
      const Vec3D gamma = b.angular_velocity.cross(in_b) - a.angular_velocity.cross(in_a);
      for (int i = 0; i < 3; ++i) {
        const Vec3D along = Vec3(Vec3::Unit(i)).cast<Num>();
        measure(joint.b, 1, b.position + rb, along);
        measure(joint.a, -1, a.position + ra, along);
        rhs(row++) -= gamma(i);
      }
    }
    rhs.tail(rows - row) = -J.bottomRows(rows - row) * out.speeds;
  }
  const MatD G = mass_solve(here, K.transpose());
  const VecD lambda = solve_least(J * G, rhs);
  out.speeds += G * lambda;
  out.accelerations = accelerations(here, out.speeds);
  row = 0;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const FrameOf<Num>& f = out.frames[k];
    if (contacts[k].recorded.mode == ContactMode::slide) {
      out.force.emplace_back(lambda(row) * (f.n - mu[law_of(contacts[k].recorded.feature)] * out.direction[k]));
      row += 1;
    } else {
      const Vec3D first = first_tangent(f.n), second = second_tangent(f.n, first);
      out.force.emplace_back(lambda(row) * f.n + lambda(row + 1) * first + lambda(row + 2) * second);
      row += 3;
    }
  }
  return out;
}

DualState DualMotion::rates(const DualState& y, const Num& t) const {
  const DualPosture here = at(y);
  const DualForces f = forces(here, t);
  DualState out(y.size());
  for (std::uint32_t i = 0; i < world_.bodies.size(); ++i) {
    if (part_[i].mechanism >= 0) continue;
    const Num* numbers = y.data() + body_at_[i];
    Num* rate = out.data() + body_at_[i];
    const Vec3D v(numbers[4], numbers[5], numbers[6]), w(numbers[10], numbers[11], numbers[12]);
    const Vec3D turn = 0.5 * (numbers[3] * w + w.cross(v));
    for (int k = 0; k < 3; ++k) rate[k] = numbers[7 + k];
    rate[3] = Num(-0.5) * w.dot(v);
    for (int k = 0; k < 3; ++k) rate[4 + k] = turn(k);
    if (speed_of_body_[i] >= 0)
      for (int k = 0; k < 6; ++k) rate[7 + k] = f.speeds(speed_of_body_[i] + k);
  }
  for (std::size_t m = 0; m < here.trees.size(); ++m) {
    const VecD positions = here.trees[m].position_rates();
    Num* rate = out.data() + mechanism_at_[m];
    for (Place k = 0; k < positions.size(); ++k) rate[k] = positions(k);
    for (Place k = 0; k < world_.mechanisms[m].u.size(); ++k)
      rate[positions.size() + k] = f.speeds(speed_of_mechanism_[m] + k);
  }
  return out;
}

bool DualMotion::advance(DualState& y, double t, double end) const {
  namespace odeint = boost::numeric::odeint;
  odeint::runge_kutta_fehlberg78<DualState, double, DualState, double> stepper;
  const auto right_side = [&](const DualState& x, DualState& rate, double time) { rate = rates(x, Num(time)); };
  // Errors of values and of each direction by themselves, relative to the largest number of the kind: a position,
  // quaternion, velocity or angular velocity. A direction that changes nothing has what rounding left in it.
  constexpr double tolerance = 1e-12, little = 1e-2;
  const double shortest = 1e-9 * (end - t);
  const auto kind_of = [&](std::size_t i) { return static_cast<std::size_t>(kinds_[i]); };
  double h = end - t;
  DualState next(y.size()), error(y.size());
  constexpr int enough_steps = 300;     // to grow from the slowest slip
  constexpr double most_ahead = 10000;  // steps
  int steps = 0;
  while (t < end) {
    // Rates that are rough (forces that nothing determines) let no step grow: it would crawl.
    if (++steps > enough_steps && end - t > most_ahead * h) return false;
    h = std::min(h, end - t);
    if (!(t + h > t)) return true;  // the rest is rounding
    stepper.do_step(right_side, y, t, next, h, error);
    if (h <= shortest && !std::all_of(next.begin(), next.end(), [](const Num& x) { return std::isfinite(x.v); }))
      return false;
    double worst = 0;
    for (int k = -1; k < dual_width; ++k) {
      const auto part = [&](const Num& x) { return k < 0 ? x.v : x.d[static_cast<std::size_t>(k)]; };
      std::array<double, state_kinds> largest{}, wrong{};
      if (std::any_of(y.begin(), y.end(), [&](const Num& x) { return std::isnan(part(x)); })) continue;
      for (std::size_t i = 0; i < y.size(); ++i) {
        largest[kind_of(i)] = std::max({largest[kind_of(i)], std::abs(part(y[i])), std::abs(part(next[i]))});
        wrong[kind_of(i)] = std::max(wrong[kind_of(i)], std::abs(part(error[i])));
      }
      const double most = *std::max_element(largest.begin(), largest.end());
      for (std::size_t c = 0; c < state_kinds; ++c) {
        const double scale = std::max({largest[c], little * most, little});
        worst = std::max(worst, wrong[c] / (tolerance * scale));
      }
    }
    if (!(worst <= 1) && h > shortest) {
      h *= std::isfinite(worst) ? std::clamp(0.9 * std::pow(worst, -0.125), 0.1, 0.9) : 0.1;
      continue;
    }
    t = h >= end - t ? end : t + h;
    y = next;
    h *= worst > 0 ? std::clamp(0.9 * std::pow(worst, -0.125), 0.2, 4.0) : 4.0;
  }
  return true;
}

}  // namespace ricochet::motion
