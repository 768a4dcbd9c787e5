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

/// Values of the derivatives along one direction.
MatX direction_of(const MatD& A, int k) {
  MatX out(A.rows(), A.cols());
  for (Place i = 0; i < A.rows(); ++i)
    for (Place j = 0; j < A.cols(); ++j) out(i, j) = A(i, j).d[static_cast<std::size_t>(k)];
  return out;
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
      place_(world.bodies.size(), -1),
      inverse_(world.bodies.size(), Mat3::Zero()) {
  for (std::uint32_t i = 0; i < world.bodies.size(); ++i) {
    const RigidBody& body = world.bodies[i].body;
    if (body.fixed) continue;
    place_[i] = static_cast<int>(moving_.size());
    moving_.push_back(i);
    inverse_[i] = inverse_in_body_axes(body.inertia);
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
  return std::any_of(joints_.begin(), joints_.end(), [&](const Joint& j) { return j.a == body || j.b == body; });
}

DualState DualMotion::start() const {
  DualState y;
  y.reserve(numbers_of_pose * world_.bodies.size());
  for (const WorldBody& body : world_.bodies) {
    const Quaternion q = body.body.orientation.normalized();
    for (const double x :
         {body.body.position.x(), body.body.position.y(), body.body.position.z(), q.w(), q.x(), q.y(), q.z(),
          body.body.velocity.x(), body.body.velocity.y(), body.body.velocity.z(), body.body.angular_velocity.x(),
          body.body.angular_velocity.y(), body.body.angular_velocity.z()})
      y.emplace_back(x);
  }
  return y;
}

PoseOf<Num> DualMotion::pose(const DualState& y, std::uint32_t body) const {
  const Num* at = y.data() + numbers_of_pose * body;
  const Num length = sqrt(at[3] * at[3] + at[4] * at[4] + at[5] * at[5] + at[6] * at[6]);
  return {Vec3D(at[0], at[1], at[2]),
          Eigen::Quaternion<Num>(at[3] / length, at[4] / length, at[5] / length, at[6] / length),
          Vec3D(at[7], at[8], at[9]), Vec3D(at[10], at[11], at[12])};
}

FrameOf<Num> DualMotion::frame(const DualState& y, const Feature& f) const {
  return frame_of<Num>(f, history_.shapes[f.b]->part(f.shape_b), pose(y, f.a), pose(y, f.b));
}

Eigen::Matrix<Num, 3, 3> DualMotion::world_inverse(const DualState& y, std::uint32_t body) const {
  const Eigen::Matrix<Num, 3, 3> R = pose(y, body).orientation.toRotationMatrix();
  return R * inverse_[body].cast<Num>() * R.transpose() / mass_ratio[body];
}

void DualMotion::put(MatD& J, Place row, const DualState& y, std::uint32_t body, double sign, const Vec3D& point,
                     const Vec3D& along) const {
  if (place_[body] < 0) return;
  const Place at = 6 * place_[body];
  const Vec3D r = point - pose(y, body).position, moment = r.cross(along);
  for (int i = 0; i < 3; ++i) {
    J(row, at + i) += sign * along(i);
    J(row, at + 3 + i) += sign * moment(i);
  }
}

MatD DualMotion::mass_solve(const DualState& y, const MatD& X) const {
  MatD out(X.rows(), X.cols());
  for (std::size_t k = 0; k < moving_.size(); ++k) {
    const std::uint32_t i = moving_[k];
    const Place at = 6 * static_cast<Place>(k);
    const Num inverse_mass = Num(1) / (mass_ratio[i] * world_.bodies[i].body.mass);
    const Eigen::Matrix<Num, 3, 3> inverse = world_inverse(y, i);
    for (Place c = 0; c < X.cols(); ++c) {
      const Vec3D force = X.block<3, 1>(at, c), moment = X.block<3, 1>(at + 3, c);
      out.block<3, 1>(at, c) = inverse_mass * force;
      out.block<3, 1>(at + 3, c) = inverse * moment;
    }
  }
  return out;
}

MatD DualMotion::point_rows(const DualState& y, const Feature& f, const Vec3D& point) const {
  MatD J = MatD::Zero(3, 6 * static_cast<Place>(moving_.size()));
  for (int i = 0; i < 3; ++i) {
    const Vec3D along = Vec3(Vec3::Unit(i)).cast<Num>();
    put(J, i, y, f.b, 1, point, along);
    put(J, i, y, f.a, -1, point, along);
  }
  return J;
}

MatD DualMotion::joint_rows(const DualState& y) const {
  MatD J = MatD::Zero(3 * static_cast<Place>(joints_.size()), 6 * static_cast<Place>(moving_.size()));
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const Joint& joint = joints_[k];
    const PoseOf<Num> a = pose(y, joint.a), b = pose(y, joint.b);
    const Vec3D on_a = a.position + a.orientation * Vec3D(joint.arm_a.cast<Num>());
    const Vec3D on_b = b.position + b.orientation * Vec3D(joint.arm_b.cast<Num>());
    for (int i = 0; i < 3; ++i) {
      const Vec3D along = Vec3(Vec3::Unit(i)).cast<Num>();
      put(J, 3 * static_cast<Place>(k) + i, y, joint.b, 1, on_b, along);
      put(J, 3 * static_cast<Place>(k) + i, y, joint.a, -1, on_a, along);
    }
  }
  return J;
}

HeldRows DualMotion::held(const DualState& y, bool velocities) const {
  Place rows = 3 * static_cast<Place>(joints_.size());
  const auto holds_slip = [&](const DualContact& c) {
    return velocities && (c.recorded.mode == ContactMode::stick || c.recorded.begins);
  };
  for (const DualContact& c : contacts) rows += holds_slip(c) ? 3 : 1;
  HeldRows out;
  out.J = MatD::Zero(rows, 6 * static_cast<Place>(moving_.size()));
  out.values = VecD::Zero(rows);
  Place row = 0;
  for (const DualContact& c : contacts) {
    const FrameOf<Num> f = frame(y, c.recorded.feature);
    const auto add = [&](const Vec3D& along, const Num& value) {
      put(out.J, row, y, c.recorded.feature.b, 1, f.point, along);
      put(out.J, row, y, c.recorded.feature.a, -1, f.point, along);
      out.values(row++) = value;
    };
    add(f.n, velocities ? f.n.dot(f.V) : f.gap);
    if (!holds_slip(c)) continue;
    const Vec3D first = first_tangent(f.n), second = second_tangent(f.n, first);
    add(first, first.dot(f.V));
    add(second, second.dot(f.V));
  }
  if (joints_.empty()) return out;
  out.J.bottomRows(rows - row) = joint_rows(y);
  for (const Joint& joint : joints_) {
    const PoseOf<Num> a = pose(y, joint.a), b = pose(y, joint.b);
    const Vec3D ra = a.orientation * Vec3D(joint.arm_a.cast<Num>()),
                rb = b.orientation * Vec3D(joint.arm_b.cast<Num>());
    const Vec3D open =
        velocities ? Vec3D(b.velocity + b.angular_velocity.cross(rb) - a.velocity - a.angular_velocity.cross(ra))
                   : Vec3D(b.position + rb - a.position - ra);
    for (int i = 0; i < 3; ++i) out.values(row++) = open(i);
  }
  return out;
}

DualForces DualMotion::forces(const DualState& y, const Num& t) const {
  DualForces out;
  const Place count = 6 * static_cast<Place>(moving_.size());
  out.accelerations = VecD::Zero(count);
  VecD loads = VecD::Zero(count);
  for (std::size_t k = 0; k < moving_.size(); ++k) {
    const std::uint32_t i = moving_[k];
    const PoseOf<Num> p = pose(y, i);
    const Eigen::Matrix<Num, 3, 3> R = p.orientation.toRotationMatrix();
    const Vec3D in_body = R.transpose() * p.angular_velocity;
    const Vec3D L = mass_ratio[i] * (R * Vec3D(world_.bodies[i].body.inertia.cast<Num>() * in_body));
    const Vec3D gyroscopic = p.angular_velocity.cross(L);
    const Place at = 6 * static_cast<Place>(k);
    loads.segment<3>(at) = (mass_ratio[i] * world_.bodies[i].body.mass) * gravity;
    loads.segment<3>(at + 3) = -gyroscopic;
  }
  for (const AppliedForce& applied : world_.forces) {
    const int k = place_[applied.body];
    if (k < 0) continue;
    const DualLoad load = dual_load(applied, t);
    for (int i = 0; i < 3; ++i) {
      loads(6 * k + i) += load.force(i);
      loads(6 * k + 3 + i) += load.torque(i);
    }
  }
  const VecD free = mass_solve(y, loads);
  out.accelerations = free;
  Place rows = 3 * static_cast<Place>(joints_.size());
  for (const DualContact& c : contacts) rows += c.recorded.mode == ContactMode::stick ? 3 : 1;
  if (rows == 0) return out;
  // J measures velocities, K has the directions of the forces.
  MatD J = MatD::Zero(rows, count), K = J;
  VecD rhs = VecD::Zero(rows);
  Place row = 0;
  for (const DualContact& c : contacts) {
    const Feature& feature = c.recorded.feature;
    const FrameOf<Num>& f = out.frames.emplace_back(frame(y, feature));
    const PoseOf<Num> a = pose(y, feature.a), b = pose(y, feature.b);
    // Terms of velocities in the rate of V, (MO16).
    const Vec3D gamma =
        b.angular_velocity.cross(f.point_rate - b.velocity) - a.angular_velocity.cross(f.point_rate - a.velocity);
    const auto add = [&](const Vec3D& measured, const Vec3D& force, const Num& extra) {
      for (const auto& [body, sign] : {std::pair(feature.b, 1.0), std::pair(feature.a, -1.0)}) {
        put(J, row, y, body, sign, f.point, measured);
        put(K, row, y, body, sign, f.point, force);
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
  if (!joints_.empty()) {
    J.bottomRows(rows - row) = joint_rows(y);
    K.bottomRows(rows - row) = J.bottomRows(rows - row);
    for (const Joint& joint : joints_) {
      const PoseOf<Num> a = pose(y, joint.a), b = pose(y, joint.b);
      const Vec3D ra = a.orientation * Vec3D(joint.arm_a.cast<Num>());
      const Vec3D rb = b.orientation * Vec3D(joint.arm_b.cast<Num>());
      const Vec3D in_b = b.angular_velocity.cross(rb), in_a = a.angular_velocity.cross(ra);
      const Vec3D gamma = b.angular_velocity.cross(in_b) - a.angular_velocity.cross(in_a);
      for (int i = 0; i < 3; ++i) rhs(row++) -= gamma(i);
    }
  }
  const MatD G = mass_solve(y, K.transpose());
  rhs -= J * free;
  const VecD lambda = solve_least(J * G, rhs);
  out.accelerations += G * lambda;
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
  const DualForces f = forces(y, t);
  DualState out(y.size());
  for (std::uint32_t i = 0; i < world_.bodies.size(); ++i) {
    const Num* at = y.data() + numbers_of_pose * i;
    Num* rate = out.data() + numbers_of_pose * i;
    const Vec3D v(at[4], at[5], at[6]), w(at[10], at[11], at[12]);
    const Vec3D turn = 0.5 * (at[3] * w + w.cross(v));
    for (int k = 0; k < 3; ++k) rate[k] = at[7 + k];
    rate[3] = Num(-0.5) * w.dot(v);
    for (int k = 0; k < 3; ++k) rate[4 + k] = turn(k);
    for (int k = 0; k < 6; ++k) rate[7 + k] = place_[i] < 0 ? Num(0) : f.accelerations(6 * place_[i] + k);
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
  const auto kind = [](std::size_t i) {
    const std::size_t k = i % numbers_of_pose;
    return k < 3 ? 0U : k < 7 ? 1U : k < 10 ? 2U : 3U;
  };
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
      std::array<double, 4> largest{}, wrong{};
      if (std::any_of(y.begin(), y.end(), [&](const Num& x) { return std::isnan(part(x)); })) continue;
      for (std::size_t i = 0; i < y.size(); ++i) {
        largest[kind(i)] = std::max({largest[kind(i)], std::abs(part(y[i])), std::abs(part(next[i]))});
        wrong[kind(i)] = std::max(wrong[kind(i)], std::abs(part(error[i])));
      }
      const double most = *std::max_element(largest.begin(), largest.end());
      for (std::size_t c = 0; c < 4; ++c) {
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
