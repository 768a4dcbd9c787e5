#include "motion/island.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <cmath>
#include <limits>
#include <memory>

#include "motion/surface_contact.hpp"

namespace ricochet::motion {
namespace {

using At = Eigen::Index;
using Vec2 = Eigen::Vector2d;
constexpr At numbers_of_body = 13;

Mat3 cross_matrix_of(const Vec3& r) {
  Mat3 S;
  S << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
  return S;
}

struct Tangents {
  Vec3 first, second;
};
Tangents tangents(const Vec3& n) {
  int k = 0;
  n.cwiseAbs().minCoeff(&k);
  const Vec3 first = (Vec3::Unit(k) - n(k) * n).normalized();
  return {first, n.cross(first)};
}

/// J⁻¹ in world axes, without axes of zero moment.
Mat3 world_inverse_inertia(const RigidBody& body, const Mat3& R) {
  if (body.inertia.isDiagonal(0)) {
    Vec3 inverse = Vec3::Zero();
    const double most = body.inertia.diagonal().maxCoeff();
    for (int k = 0; k < 3; ++k)
      if (body.inertia(k, k) > 1e-14 * most) inverse(k) = 1 / body.inertia(k, k);
    return R * inverse.asDiagonal() * R.transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(body.inertia);
  Mat3 inverse = Mat3::Zero();
  for (int k = 0; k < 3; ++k)
    if (eigen.eigenvalues()(k) > 1e-14 * eigen.eigenvalues()(2)) {
      const Vec3 axis = R * eigen.eigenvectors().col(k);
      inverse += axis * axis.transpose() / eigen.eigenvalues()(k);
    }
  return inverse;
}

struct AppliedNow {
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
};
AppliedNow applied_at(const AppliedForce& force, double t) {
  if (force.times.empty()) return {force.forces[0], force.torques[0]};
  const auto after = std::upper_bound(force.times.begin(), force.times.end(), t);
  const auto k = static_cast<std::size_t>(after - force.times.begin());
  if (k == 0) return {force.forces.front(), force.torques.front()};
  if (k == force.times.size()) return {force.forces.back(), force.torques.back()};
  const double share = (t - force.times[k - 1]) / (force.times[k] - force.times[k - 1]);
  return {(1 - share) * force.forces[k - 1] + share * force.forces[k],
          (1 - share) * force.torques[k - 1] + share * force.torques[k]};
}

}  // namespace

/// Everything about one state.
struct Island::Forces {
  std::vector<Pose> poses;                      ///< of the island's bodies
  std::vector<Mat3> inverse;                    ///< J⁻¹ of free bodies, world axes
  std::vector<std::optional<TreeState>> trees;  ///< of mechanisms, by system
  std::vector<MatX> jacobians;                  ///< of links, by body
  std::vector<ContactFrame> frames;             ///< of the contacts
  std::vector<Vec3> direction;                  ///< of slip, of sliding contacts
  VecX free;                                    ///< accelerations without contacts and joints, six for each body
  VecX accelerations;                           ///< with them
  VecX free_speeds, speeds;                     ///< as above, rates of the speeds of the systems
  std::vector<Vec3> contact_force;              ///< on b, world
  VecX stop_force, dry_force;                   ///< of stops, and of joints that dry friction holds
  double friction_power = 0, applied_power = 0;

  /// Of a row that measures the velocity of a point of a body along `direction`: what it has of the system's speeds.
  [[nodiscard]] Eigen::RowVectorXd row(const Island& island, std::size_t body, const Vec3& point,
                                       const Vec3& along) const {
    Eigen::Matrix<double, 1, 6> out;
    out << along.transpose(), (point - poses[body].position).cross(along).transpose();
    if (island.systems[island.bodies[body].system].mechanism == nullptr) return out;
    return out * jacobians[body];
  }
};

void Island::add(const IslandBody& body, const Pose& p) {
  IslandSystem system;
  system.places = {bodies.size()};
  system.at = std::max<At>(y.size() - 2, 0);
  system.speed_at = speed_count();
  bodies.push_back(body);
  bodies.back().system = systems.size();
  bodies.back().index = 0;
  systems.push_back(system);
  VecX grown = VecX::Zero(system.at + numbers_of_body + 2);
  grown.head(system.at) = y.head(system.at);
  grown.segment<numbers_of_body>(system.at) << p.position, p.orientation.w(), p.orientation.x(), p.orientation.y(),
      p.orientation.z(), p.velocity, p.angular_velocity;
  y = grown;
}

void Island::add(const Mechanism& mechanism, std::span<const IslandBody> own, const VecX& q, const VecX& u) {
  IslandSystem system;
  system.mechanism = &mechanism;
  system.at = std::max<At>(y.size() - 2, 0);
  system.positions = q.size();
  system.speed_at = speed_count();
  system.speeds = u.size();
  for (const IslandBody& body : own) {
    system.places.push_back(bodies.size());
    bodies.push_back(body);
    bodies.back().system = systems.size();
    bodies.back().index = system.places.size() - 1;
  }
  systems.push_back(system);
  VecX grown = VecX::Zero(system.at + system.positions + system.speeds + 2);
  grown.head(system.at) = y.head(system.at);
  grown.segment(system.at, system.positions) = q;
  grown.segment(system.at + system.positions, system.speeds) = u;
  y = grown;
  for (At k = 0; k < mechanism.dry_friction.size(); ++k)
    if (mechanism.dry_friction(k) > 0)
      dry.push_back({system.speed_at + k, mechanism.dry_friction(k), ContactMode::stick, 1});
}

Eigen::Index Island::speed_count() const {
  return systems.empty() ? 0 : systems.back().speed_at + systems.back().speeds;
}
Eigen::Index Island::state_count() const {
  return systems.empty() ? 2 : systems.back().at + systems.back().positions + systems.back().speeds + 2;
}
VecX Island::positions_of(const VecX& state, const IslandSystem& system) const {
  return state.segment(system.at, system.positions);
}
VecX Island::speeds_of(const VecX& state, const IslandSystem& system) const {
  return state.segment(system.at + system.positions, system.speeds);
}
VecX Island::speeds(const VecX& state) const {
  VecX out(speed_count());
  for (const IslandSystem& system : systems) out.segment(system.speed_at, system.speeds) = speeds_of(state, system);
  return out;
}
void Island::add_speeds(const VecX& change) {
  for (const IslandSystem& system : systems)
    y.segment(system.at + system.positions, system.speeds) += change.segment(system.speed_at, system.speeds);
}

double Island::kinetic(const VecX& state) const {
  double e = 0;
  const std::vector<Pose> at = poses(state);
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const Vec3 w = at[k].orientation.conjugate() * at[k].angular_velocity;
    e += 0.5 * bodies[k].inertia->mass * at[k].velocity.squaredNorm() + 0.5 * w.dot(bodies[k].inertia->inertia * w);
  }
  for (const IslandSystem& system : systems)
    if (system.mechanism != nullptr) e += rotor_energy(*system.mechanism, speeds_of(state, system));
  return e;
}

double Island::potential(const VecX& state) const {
  double e = 0;
  const std::vector<Pose> at = poses(state);
  for (std::size_t k = 0; k < bodies.size(); ++k) e -= bodies[k].weight.dot(at[k].position);
  for (const IslandSystem& system : systems)
    if (system.mechanism != nullptr) e += spring_energy(*system.mechanism, positions_of(state, system));
  return e;
}

Pose Island::pose(const VecX& state, std::size_t k) const {
  const IslandSystem& system = systems[bodies[k].system];
  if (system.mechanism != nullptr)
    return tree_poses(*system.mechanism, positions_of(state, system), speeds_of(state, system))[bodies[k].index];
  const auto v = state.segment<numbers_of_body>(system.at);
  return {v.head<3>(), Quaternion(v(3), v(4), v(5), v(6)).normalized(), v.segment<3>(7), v.segment<3>(10)};
}

std::vector<Pose> Island::poses(const VecX& state) const {
  std::vector<Pose> out(bodies.size());
  for (const IslandSystem& system : systems) {
    if (system.mechanism == nullptr) {
      out[system.places[0]] = pose(state, system.places[0]);
      continue;
    }
    const auto own = tree_poses(*system.mechanism, positions_of(state, system), speeds_of(state, system));
    for (std::size_t i = 0; i < own.size(); ++i) out[system.places[i]] = own[i];
  }
  return out;
}

Pose Island::side_pose(const IslandSide& side, const VecX& state, double t) const {
  return side.place >= 0 ? pose(state, static_cast<std::size_t>(side.place)) : side.fixed->pose(t);
}

MatX Island::mobility(const MatX& J, const MatX& L) const {
  MatX W = MatX::Zero(J.rows(), J.rows());
  std::vector<At> rows;
  for (const IslandSystem& system : systems) {
    const At at = system.speed_at, count = system.speeds;
    rows.clear();
    for (At r = 0; r < J.rows(); ++r)
      if ((J.row(r).segment(at, count).array() != 0).any()) rows.push_back(r);
    const MatX own = J(rows, Eigen::seqN(at, count)) * L(Eigen::seqN(at, count), rows);
    W(rows, rows) += own;
  }
  return W;
}

MatX Island::mass_solve(const Forces& f, const MatX& X) const {
  MatX out(X.rows(), X.cols());
  for (std::size_t i = 0; i < systems.size(); ++i) {
    const IslandSystem& system = systems[i];
    const At at = system.speed_at;
    if (system.mechanism != nullptr) {
      out.middleRows(at, system.speeds) = f.trees[i]->solve(X.middleRows(at, system.speeds));
    } else {
      const std::size_t k = system.places[0];
      out.middleRows<3>(at) = X.middleRows<3>(at) / bodies[k].inertia->mass;
      out.middleRows<3>(at + 3) = f.inverse[k] * X.middleRows<3>(at + 3);
    }
  }
  return out;
}

void Island::fill_accelerations(const Forces& f, const VecX& rates_of_speeds, VecX& accelerations) const {
  accelerations.resize(6 * static_cast<At>(bodies.size()));
  for (std::size_t i = 0; i < systems.size(); ++i) {
    const IslandSystem& system = systems[i];
    const auto own = rates_of_speeds.segment(system.speed_at, system.speeds);
    if (system.mechanism == nullptr)
      accelerations.segment<6>(6 * static_cast<At>(system.places[0])) = own;
    else {
      const auto of_links = f.trees[i]->accelerations(own);
      for (std::size_t b = 0; b < system.places.size(); ++b)
        accelerations.segment<6>(6 * static_cast<At>(system.places[b])) = of_links[b];
    }
  }
}

Island::Forces Island::forces(const VecX& state, double t, Part part, const std::vector<Vec3>* along_slip) const {
  Forces out;
  const At speed_total = speed_count();
  out.free_speeds = VecX::Zero(speed_total);
  out.poses.resize(bodies.size());
  out.inverse.assign(bodies.size(), Mat3::Zero());
  out.trees.resize(systems.size());
  out.jacobians.resize(bodies.size());
  const auto applied_to = [&](const IslandBody& b) {
    AppliedNow sum{b.force, Vec3::Zero()};
    for (const AppliedForce* applied : b.tabulated) {
      const AppliedNow now = applied_at(*applied, t);
      sum.force += now.force;
      sum.torque += now.torque;
    }
    return sum;
  };
  for (std::size_t i = 0; i < systems.size(); ++i) {
    const IslandSystem& system = systems[i];
    if (system.mechanism == nullptr) {
      const std::size_t k = system.places[0];
      const IslandBody& b = bodies[k];
      const Pose p = out.poses[k] = pose(state, k);
      const Mat3 R = p.orientation.toRotationMatrix();
      out.inverse[k] = world_inverse_inertia(*b.inertia, R);
      const AppliedNow now = applied_to(b);
      out.applied_power += now.force.dot(p.velocity) + now.torque.dot(p.angular_velocity);
      const Vec3 L = R * (b.inertia->inertia * (R.transpose() * p.angular_velocity));
      out.free_speeds.segment<3>(system.speed_at) = (now.force + b.weight) / b.inertia->mass;
      out.free_speeds.segment<3>(system.speed_at + 3) = out.inverse[k] * (now.torque - p.angular_velocity.cross(L));
      continue;
    }
    out.trees[i] = TreeState::at(*system.mechanism, positions_of(state, system), speeds_of(state, system));
    if (!out.trees[i]) {  // a step that is too long: nothing of it is a number
      out.speeds = out.free_speeds = VecX::Constant(speed_total, std::numeric_limits<double>::quiet_NaN());
      return out;
    }
    std::vector<LinkForce> applied;
    for (std::size_t b = 0; b < system.places.size(); ++b) {
      const std::size_t k = system.places[b];
      out.poses[k] = out.trees[i]->pose(b);
      const AppliedNow now = applied_to(bodies[k]);
      applied.push_back({now.force, now.torque});
    }
    const TreeState::Driven driven = out.trees[i]->driven(gravity, applied, t);
    out.applied_power += driven.applied_power;
    out.friction_power += driven.damped_power;
    out.free_speeds.segment(system.speed_at, system.speeds) = driven.acceleration;
  }
  add_sliding_dry(state, out);
  const bool held =
      !stops.empty() || !dry.empty() || !joints.empty() ||
      std::any_of(contacts.begin(), contacts.end(), [](const IslandContact& c) { return c.mode != ContactMode::open; });
  if (!held && part == Part::speeds && contacts.empty()) {
    out.speeds = out.free_speeds;
    return out;
  }
  fill_accelerations(out, out.free_speeds, out.free);
  const auto touch = [&](const IslandSide& side) {
    if (side.place < 0) return;
    const auto k = static_cast<std::size_t>(side.place);
    if (out.trees[bodies[k].system] && out.jacobians[k].size() == 0)
      out.jacobians[k] = out.trees[bodies[k].system]->jacobian(bodies[k].index);
  };
  for (const IslandContact& c : contacts) {
    touch(c.a);
    touch(c.b);
  }
  for (const IslandJoint& joint : joints) {
    touch(joint.a);
    touch(joint.b);
  }
  const auto pose_of = [&](const IslandSide& side) {
    return side.place >= 0 ? out.poses[static_cast<std::size_t>(side.place)] : side.fixed->pose(t);
  };
  for (const IslandContact& c : contacts) {
    const Pose a = pose_of(c.a), b = pose_of(c.b);
    out.frames.push_back(frame(c.feature, *c.part_a, *c.part_b, a, b));
    const ContactFrame& f = out.frames.back();
    Vec3 slip = f.V - f.n.dot(f.V) * f.n;
    const Vec3 given = along_slip != nullptr ? (*along_slip)[out.frames.size() - 1] : c.s;
    Vec3 s = given - f.n.dot(given) * f.n;
    if (c.mode == ContactMode::slide) {
      const double speed = slip.norm();
      if (s.norm() > 0) s.normalize();
      // Near a stop friction magnifies what rounding adds across the slip, so that this does not turn it. Beyond a stop
      // the direction stays: the step is cut there, and has to be smooth up to it.
      const double along = slip.dot(s);
      if (along_slip == nullptr && !c.creeps && speed > c.slip_limit &&
          (slip - along * s).norm() > 1e-12 * c.slip_speed && along > 0.1 * speed)
        s = slip / speed;
    }
    out.direction.push_back(s);
  }
  if (part == Part::frames) return out;
  // Rows of the constraints, and the directions of their forces.
  At rows = 3 * static_cast<At>(joints.size());
  for (const IslandContact& c : contacts)
    rows += c.mode == ContactMode::stick ? 3 : c.mode == ContactMode::slide ? 1 : 0;
  for (const IslandStop& stop : stops) rows += stop.mode == ContactMode::open ? 0 : 1;
  for (const IslandDry& d : dry) rows += d.mode == ContactMode::stick ? 1 : 0;
  out.accelerations = out.free;
  out.speeds = out.free_speeds;
  out.contact_force.assign(contacts.size(), Vec3::Zero());
  out.stop_force = VecX::Zero(static_cast<At>(stops.size()));
  out.dry_force = VecX::Zero(static_cast<At>(dry.size()));
  if (rows == 0) return out;
  // J measures velocities, K has the directions of the forces, G = 𝓜⁻¹ Kᵀ.
  MatX J(rows, speed_total), K(rows, speed_total), G(speed_total, rows);
  VecX rhs(rows);
  std::vector<std::vector<At>> rows_of(systems.size());
  const auto solve_rows = [&]() -> VecX {
    J.setZero();
    K.setZero();
    G.setZero();
    rhs.setZero();
    rows_of.assign(systems.size(), {});
    const auto put = [&](At row, const IslandSide& side, double sign, const Vec3& point, const Vec3& measured,
                         const Vec3& force) {
      if (side.place < 0) return;
      const auto k = static_cast<std::size_t>(side.place);
      const std::size_t i = bodies[k].system;
      const At at = systems[i].speed_at;
      if (rows_of[i].empty() || rows_of[i].back() != row) rows_of[i].push_back(row);
      const Vec3 r = point - out.poses[k].position;
      const auto free = out.free.segment<6>(6 * side.place);
      rhs(row) -= sign * (measured.dot(Vec3(free.head<3>())) + r.cross(measured).dot(Vec3(free.tail<3>())));
      if (systems[i].mechanism == nullptr) {
        J.block<1, 3>(row, at) += sign * measured.transpose();
        J.block<1, 3>(row, at + 3) += sign * r.cross(measured).transpose();
        G.block<3, 1>(at, row) += sign / bodies[k].inertia->mass * force;
        G.block<3, 1>(at + 3, row) += sign * (out.inverse[k] * r.cross(force));
      } else {
        J.row(row).segment(at, systems[i].speeds) += sign * out.row(*this, k, point, measured);
        K.row(row).segment(at, systems[i].speeds) += sign * out.row(*this, k, point, force);
      }
    };
    At row = 0;
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const IslandContact& c = contacts[k];
      if (c.mode == ContactMode::open) continue;
      const ContactFrame& f = out.frames[k];
      const Pose a = pose_of(c.a), b = pose_of(c.b);
      // Terms of velocities in the rate of V, (MO16).
      const Vec3 gamma =
          b.angular_velocity.cross(f.point_rate - b.velocity) - a.angular_velocity.cross(f.point_rate - a.velocity);
      const auto add = [&](const Vec3& measured, const Vec3& force, double extra) {
        put(row, c.b, 1, f.point, measured, force);
        put(row, c.a, -1, f.point, measured, force);
        rhs(row) -= measured.dot(gamma) + extra;
        ++row;
      };
      if (c.mode == ContactMode::slide) {
        add(f.n, f.n - c.mu * out.direction[k], f.n_rate.dot(f.V));
      } else {
        const Tangents axes = tangents(f.n);
        add(f.n, f.n, 0);
        add(axes.first, axes.first, 0);
        add(axes.second, axes.second, 0);
      }
    }
    for (const IslandJoint& joint : joints) {
      const Pose a = pose_of(joint.a), b = pose_of(joint.b);
      const Vec3 ra = a.orientation * joint.arm_a, rb = b.orientation * joint.arm_b;
      const Vec3 gamma = b.angular_velocity.cross(b.angular_velocity.cross(rb)) -
                         a.angular_velocity.cross(a.angular_velocity.cross(ra));
      for (int i = 0; i < 3; ++i) {
        put(row, joint.b, 1, b.position + rb, Vec3::Unit(i), Vec3::Unit(i));
        put(row, joint.a, -1, a.position + ra, Vec3::Unit(i), Vec3::Unit(i));
        rhs(row) -= gamma(i);
        ++row;
      }
    }
    const auto single = [&](At speed, double sign) {
      J(row, speed) = K(row, speed) = sign;
      rhs(row) = -sign * out.free_speeds(speed);
      rows_of[system_of_speed(speed)].push_back(row++);
    };
    for (const IslandStop& stop : stops)
      if (stop.mode != ContactMode::open) single(stop.speed, stop.sign);
    for (const IslandDry& d : dry)
      if (d.mode == ContactMode::stick) single(d.speed, 1);
    for (std::size_t i = 0; i < systems.size(); ++i) {
      if (systems[i].mechanism == nullptr || rows_of[i].empty()) continue;
      MatX forces_of(systems[i].speeds, static_cast<At>(rows_of[i].size()));
      for (std::size_t c = 0; c < rows_of[i].size(); ++c)
        forces_of.col(static_cast<At>(c)) =
            K.row(rows_of[i][c]).segment(systems[i].speed_at, systems[i].speeds).transpose();
      const MatX moved = out.trees[i]->solve(forces_of);
      for (std::size_t c = 0; c < rows_of[i].size(); ++c)
        G.col(rows_of[i][c]).segment(systems[i].speed_at, systems[i].speeds) = moved.col(static_cast<At>(c));
    }
    // Rows meet only in systems that they share.
    MatX A = MatX::Zero(rows, rows);
    for (std::size_t i = 0; i < systems.size(); ++i) {
      const At at = systems[i].speed_at, count = systems[i].speeds;
      for (const At r : rows_of[i])
        for (const At c : rows_of[i])
          A(r, c) += systems[i].mechanism == nullptr ? J.block<1, 6>(r, at).dot(G.block<6, 1>(at, c))
                                                     : J.row(r).segment(at, count).dot(G.col(c).segment(at, count));
    }
    if (!redundancy) {
      Eigen::CompleteOrthogonalDecomposition<MatX> rank(A);
      rank.setThreshold(1e-11);
      redundancy = rank.rank() < rows;
    }
    if (*redundancy) {
      // Of the forces that satisfy all rows the smallest: no part of them is left to rounding.
      Eigen::CompleteOrthogonalDecomposition<MatX> solver;
      solver.setThreshold(1e-11);
      solver.compute(A);
      return solver.solve(rhs);
    }
    return A.partialPivLu().solve(rhs);
  };
  VecX lambda = solve_rows();
  // Slow slip turns into the direction of its acceleration at once, (MO36): Newton's iteration on the angles.
  std::vector<std::size_t> creeping;
  for (std::size_t k = 0; k < contacts.size(); ++k)
    if (contacts[k].mode == ContactMode::slide && contacts[k].creeps && contacts[k].mu > 0) creeping.push_back(k);
  if (!creeping.empty()) {
    const auto count = static_cast<At>(creeping.size());
    VecX acceleration;
    double scale = 0;
    const auto across = [&] {  // of each acceleration, across its direction of slip
      fill_accelerations(out, out.free_speeds + G * lambda, acceleration);
      VecX r(count);
      scale = 0;
      for (At i = 0; i < count; ++i) {
        const std::size_t k = creeping[static_cast<std::size_t>(i)];
        const IslandContact& c = contacts[k];
        const ContactFrame& f = out.frames[k];
        const auto rate = [&](const IslandSide& side) {
          const Pose p = pose_of(side);
          Vec3 a = p.angular_velocity.cross(f.point_rate - p.velocity);
          if (side.place >= 0)
            a += acceleration.segment<3>(6 * side.place) +
                 Vec3(acceleration.segment<3>(6 * side.place + 3)).cross(f.point - p.position);
          return a;
        };
        const Vec3 a = rate(c.b) - rate(c.a);
        r(i) = f.n.cross(out.direction[k]).dot(a);
        scale = std::max(scale, a.norm());
      }
      return r;
    };
    const auto turn = [&](At i, double angle) {
      const std::size_t k = creeping[static_cast<std::size_t>(i)];
      const Vec3 s = out.direction[k], t_across = out.frames[k].n.cross(s);
      out.direction[k] = std::cos(angle) * s + std::sin(angle) * t_across;
    };
    VecX r = across();
    MatX slope(count, count);
    for (int iteration = 0; iteration < 12; ++iteration) {
      if (iteration % 4 == 0) {
        constexpr double small = 1e-6;
        const std::vector<Vec3> kept = out.direction;
        for (At i = 0; i < count; ++i) {
          turn(i, small);
          lambda = solve_rows();
          slope.col(i) = (across() - r) / small;
          out.direction = kept;
        }
      }
      const VecX angles = slope.completeOrthogonalDecomposition().solve(-r);
      const double most = angles.cwiseAbs().maxCoeff();
      if (!std::isfinite(most)) break;
      for (At i = 0; i < count; ++i) turn(i, angles(i) * std::min(1.0, 0.5 / std::max(most, 1e-300)));
      lambda = solve_rows();
      r = across();
      if (most <= 1e-13 || r.cwiseAbs().maxCoeff() <= 1e-15 * scale) break;
    }
  }
  out.speeds = out.free_speeds + G * lambda;
  if (part == Part::bodies) fill_accelerations(out, out.speeds, out.accelerations);
  At row = 0;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const IslandContact& c = contacts[k];
    const ContactFrame& f = out.frames[k];
    if (c.mode == ContactMode::slide) {
      out.contact_force[k] = lambda(row) * (f.n - c.mu * out.direction[k]);
      out.friction_power += c.mu * lambda(row) * out.direction[k].dot(f.V);
      row += 1;
    } else if (c.mode == ContactMode::stick) {
      const Tangents axes = tangents(f.n);
      out.contact_force[k] = lambda(row) * f.n + lambda(row + 1) * axes.first + lambda(row + 2) * axes.second;
      row += 3;
    }
    // A fixed body that moves does work.
    if (c.mode != ContactMode::open) {
      const auto power = [&](const IslandSide& side, double sign) {
        if (side.place >= 0) return 0.0;
        const Pose fixed = side.fixed->pose(t);
        return sign * out.contact_force[k].dot(fixed.velocity + fixed.angular_velocity.cross(f.point - fixed.position));
      };
      out.applied_power += power(c.a, 1) - power(c.b, 1);
    }
  }
  row += 3 * static_cast<At>(joints.size());
  for (std::size_t k = 0; k < stops.size(); ++k)
    if (stops[k].mode != ContactMode::open) out.stop_force(static_cast<At>(k)) = lambda(row++);
  for (std::size_t k = 0; k < dry.size(); ++k)
    if (dry[k].mode == ContactMode::stick) out.dry_force(static_cast<At>(k)) = lambda(row++);
  return out;
}

std::size_t Island::system_of_speed(Eigen::Index speed) const {
  std::size_t i = 0;
  while (i + 1 < systems.size() && speed >= systems[i + 1].speed_at) ++i;
  return i;
}

void Island::add_sliding_dry(const VecX& state, Forces& out) const {
  for (std::size_t i = 0; i < systems.size(); ++i) {
    const IslandSystem& system = systems[i];
    if (system.mechanism == nullptr || system.mechanism->dry_friction.size() == 0) continue;
    VecX force = VecX::Zero(system.speeds);
    for (const IslandDry& d : dry) {
      if (d.mode != ContactMode::slide || system_of_speed(d.speed) != i) continue;
      const At own = d.speed - system.speed_at;
      force(own) = -d.limit * d.s;
      out.friction_power += d.limit * d.s * state(system.at + system.positions + own);
    }
    if (!force.isZero(0)) out.free_speeds.segment(system.speed_at, system.speeds) += out.trees[i]->solve(force);
  }
}

Island::SpeedRates Island::speed_rates() const {
  return {forces(y, start, Part::speeds).speeds, forces(y_end, start + step, Part::speeds).speeds};
}

double Island::speed_rate(Eigen::Index speed) const { return forces(y, start, Part::speeds).speeds(speed); }

VecX Island::rates(const VecX& state, double t) const { return rates(state, forces(state, t, Part::speeds)); }

VecX Island::rates(const VecX& state, const Forces& f) const {
  VecX out(state.size());
  for (std::size_t i = 0; i < systems.size(); ++i) {
    const IslandSystem& system = systems[i];
    const At at = system.at;
    out.segment(at + system.positions, system.speeds) = f.speeds.segment(system.speed_at, system.speeds);
    if (system.mechanism != nullptr) {
      if (f.trees[i])
        out.segment(at, system.positions) = f.trees[i]->position_rates();
      else
        out.segment(at, system.positions).setConstant(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const auto q = state.segment<4>(at + 3);
    const Vec3 v = q.tail<3>(), w = state.segment<3>(at + 10);
    out.segment<3>(at) = state.segment<3>(at + 7);
    out(at + 3) = -0.5 * w.dot(v);
    out.segment<3>(at + 4) = 0.5 * (q(0) * w + w.cross(v));
  }
  out(out.size() - 2) = f.friction_power;
  out(out.size() - 1) = f.applied_power;
  return out;
}

VecX Island::advance(double h, VecX* error) const {
  using State = std::vector<double>;
  boost::numeric::odeint::runge_kutta_fehlberg78<State> stepper;
  const auto right_side = [&](const State& x, State& rate, double t) {
    const VecX r = rates(Eigen::Map<const VecX>(x.data(), static_cast<At>(x.size())), t);
    std::copy(r.data(), r.data() + r.size(), rate.begin());
  };
  State in(y.data(), y.data() + y.size()), out(in.size()), err(in.size());
  stepper.do_step(right_side, in, start, out, h, err);
  if (error != nullptr) *error = Eigen::Map<VecX>(err.data(), static_cast<At>(err.size()));
  VecX result = Eigen::Map<VecX>(out.data(), static_cast<At>(out.size()));
  normalise_state(result);
  return result;
}

void Island::normalise_state(VecX& state) const {
  for (const IslandSystem& system : systems) {
    if (system.mechanism == nullptr)
      state.segment<4>(system.at + 3).normalize();
    else
      normalise(system.mechanism->tree, state.segment(system.at, system.positions));
  }
}

bool Island::redundant() const {
  if (!redundancy) static_cast<void>(forces(y, start));
  return redundancy.value_or(false);
}

Island::ContactMatrix Island::contact_matrix(bool with_dry) const {
  ContactMatrix out;
  At singles = static_cast<At>(stops.size());
  if (with_dry)
    singles += std::count_if(dry.begin(), dry.end(), [](const IslandDry& d) { return d.mode == ContactMode::stick; });
  const At total = speed_count(), rows = 3 * static_cast<At>(contacts.size() + joints.size()) + singles;
  MatX& J = out.J = MatX::Zero(rows, total);
  out.L = MatX::Zero(total, rows);
  out.V = VecX::Zero(rows);
  const std::vector<Pose> at_y = poses(y);
  std::vector<std::optional<TreeState>> trees(systems.size());
  for (std::size_t i = 0; i < systems.size(); ++i)
    if (systems[i].mechanism != nullptr)
      trees[i] = TreeState::at(*systems[i].mechanism, positions_of(y, systems[i]), speeds_of(y, systems[i]));
  const auto pose_of = [&](const IslandSide& side) {
    return side.place >= 0 ? at_y[static_cast<std::size_t>(side.place)] : side.fixed->pose(start);
  };
  const auto put = [&](At row, const IslandSide& side, double sign, const Vec3& point, const Mat3& axes) {
    const Pose p = pose_of(side);
    const Vec3 r = point - p.position;
    out.V.segment<3>(row) += sign * axes.transpose() * (p.velocity + p.angular_velocity.cross(r));
    if (side.place < 0) return;
    const IslandBody& body = bodies[static_cast<std::size_t>(side.place)];
    const IslandSystem& system = systems[body.system];
    const At at = system.speed_at;
    const Mat3 S = cross_matrix_of(r);
    if (system.mechanism != nullptr) {
      Eigen::Matrix<double, 3, 6> measured;
      measured << sign * axes.transpose(), -sign * axes.transpose() * S;
      J.block(row, at, 3, system.speeds) += measured * trees[body.system]->jacobian(body.index);
      return;
    }
    J.block<3, 3>(row, at) += sign * axes.transpose();
    J.block<3, 3>(row, at + 3) -= sign * axes.transpose() * S;
    out.L.block<3, 3>(at, row) += sign / body.inertia->mass * axes;
    out.L.block<3, 3>(at + 3, row) +=
        sign * world_inverse_inertia(*body.inertia, p.orientation.toRotationMatrix()) * S * axes;
  };
  At row = 0;
  for (const IslandContact& c : contacts) {
    const Tangents t = tangents(c.n);
    Mat3 axes;
    axes << c.n, t.first, t.second;
    out.axes.push_back(axes);
    put(row, c.b, 1, c.point, axes);
    put(row, c.a, -1, c.point, axes);
    row += 3;
  }
  for (const IslandJoint& joint : joints) {
    const Pose a = pose_of(joint.a), b = pose_of(joint.b);
    put(row, joint.b, 1, b.position + b.orientation * joint.arm_b, Mat3::Identity());
    put(row, joint.a, -1, a.position + a.orientation * joint.arm_a, Mat3::Identity());
    row += 3;
  }
  const VecX u = singles > 0 ? speeds(y) : VecX();
  const auto single = [&](At speed, double sign) {
    J(row, speed) = sign;
    out.V(row++) = sign * u(speed);
  };
  for (const IslandStop& stop : stops) single(stop.speed, stop.sign);
  for (const IslandDry& d : dry)
    if (with_dry && d.mode == ContactMode::stick) single(d.speed, 1);
  for (std::size_t i = 0; i < systems.size(); ++i)
    if (trees[i])
      out.L.middleRows(systems[i].speed_at, systems[i].speeds) =
          trees[i]->solve(J.middleCols(systems[i].speed_at, systems[i].speeds).transpose());
  out.W = mobility(J, out.L);
  return out;
}

MassSolver Island::solver(std::span<const IslandStop> held) const {
  Island bare = *this;
  bare.contacts.clear();
  bare.stops.clear();
  bare.dry.clear();
  const auto f = std::make_shared<const Forces>(bare.forces(y, start));
  bare.stops.assign(held.begin(), held.end());
  const ContactMatrix rows = bare.contact_matrix();
  MatX closing;  // L (J L)⁻¹
  if (rows.W.rows() > 0) {
    Eigen::CompleteOrthogonalDecomposition<MatX> inverse;
    inverse.setThreshold(1e-11);
    inverse.compute(rows.W);
    closing = rows.L * inverse.pseudoInverse();
  }
  return [island = std::move(bare), f, closing, J = rows.J](const MatX& X) {
    MatX out = island.mass_solve(*f, X);
    if (closing.cols() > 0) out -= closing * (J * out);
    return out;
  };
}

ForceAnswer Island::solve_modes(double slip_tolerance, const VecX& guess) const {
  Island bare = *this;
  for (IslandContact& c : bare.contacts) c.mode = ContactMode::open;
  bare.joints.clear();
  bare.stops.clear();
  // Joints that move have the friction of sliding; of those at rest it is not known yet.
  const VecX u = dry.empty() ? VecX() : speeds(y);
  const auto moves = [&](const IslandDry& d) { return std::abs(u(d.speed)) > joint_tolerance(slip_tolerance); };
  std::erase_if(bare.dry, [&](const IslandDry& d) { return !moves(d) && !d.yields; });
  for (IslandDry& d : bare.dry) {
    d.mode = ContactMode::slide;
    if (moves(d)) d.s = u(d.speed) < 0 ? -1 : 1;
  }
  const Forces f = bare.forces(y, start);
  bare.joints = joints;
  bare.stops = stops;
  bare.dry = dry;
  for (IslandDry& d : bare.dry) d.mode = moves(d) || d.yields ? ContactMode::slide : ContactMode::stick;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    bare.contacts[k].point = f.frames[k].point;
    bare.contacts[k].n = f.frames[k].n;
  }
  const ContactMatrix matrix = bare.contact_matrix(true);
  ForceProblem problem;
  problem.W = matrix.W;
  problem.guess = guess;
  problem.b = VecX::Zero(matrix.V.size());
  // Accelerations without forces of contacts and joints: those of the bodies, and (MO16).
  const auto free_rate = [&](const IslandSide& side, const Vec3& point, const Vec3& point_rate) {
    const Pose p = side_pose(side, y, start);
    Vec3 a = p.angular_velocity.cross(point_rate - p.velocity);
    if (side.place >= 0) {
      const At at = 6 * side.place;
      a += f.free.segment<3>(at) + Vec3(f.free.segment<3>(at + 3)).cross(point - p.position);
    }
    return a;
  };
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const IslandContact& c = contacts[k];
    const ContactFrame& fr = f.frames[k];
    const At row = 3 * static_cast<At>(k);
    const Mat3& axes = matrix.axes[k];
    problem.b.segment<3>(row) =
        axes.transpose() * (free_rate(c.b, fr.point, fr.point_rate) - free_rate(c.a, fr.point, fr.point_rate));
    ForceContact contact;
    contact.mu = c.mu;
    contact.mu_s = c.mu_s;
    contact.released = c.released;
    const Vec3 slip = fr.V - fr.n.dot(fr.V) * fr.n;
    if (slip.norm() > slip_tolerance && !c.stopped) {
      contact.slides = true;
      contact.s = Vec2(axes.col(1).dot(slip), axes.col(2).dot(slip)).normalized();
      problem.b(row) += fr.n_rate.dot(fr.V);
    } else if (c.yields) {
      contact.slides = true;
      contact.s = Vec2(axes.col(1).dot(c.s), axes.col(2).dot(c.s)).normalized();
    }
    problem.contacts.push_back(contact);
  }
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const IslandJoint& joint = joints[k];
    const auto rate = [&](const IslandSide& side, const Vec3& arm) {
      const Pose p = side_pose(side, y, start);
      const Vec3 r = p.orientation * arm;
      return free_rate(side, p.position + r, p.velocity + p.angular_velocity.cross(r));
    };
    problem.b.segment<3>(3 * static_cast<At>(contacts.size() + k)) =
        rate(joint.b, joint.arm_b) - rate(joint.a, joint.arm_a);
  }
  At row = 3 * static_cast<At>(contacts.size() + joints.size());
  for (const IslandStop& stop : stops) {
    problem.rows.push_back({true, 0, stop.released});
    problem.b(row++) = stop.sign * f.free_speeds(stop.speed);
  }
  for (const IslandDry& d : bare.dry) {
    if (d.mode != ContactMode::stick) continue;
    problem.rows.push_back({false, d.limit, false});
    problem.b(row++) = f.free_speeds(d.speed);
  }
  if (auto together = slip_together(problem, f.free)) return *std::move(together);
  return contact_forces(problem);
}

namespace {

/// Of a point of a flat end that stands: four times the number of the end, and the number of the point; −1: none.
int flat_point(const IslandContact& c) {
  if (c.feature.kind != Feature::Kind::plane_point || c.part_b->shape.core != ConvexShape::Core::cylinder) return -1;
  return c.feature.part_a >= 0 ? c.feature.part_b : c.feature.corner;
}

}  // namespace

bool Island::has_flat_ends() const {
  return std::any_of(contacts.begin(), contacts.end(), [](const IslandContact& c) { return flat_point(c) >= 0; });
}

bool Island::align_flat_ends(double slip_tolerance, const VecX& forces_of_contacts) {
  if (!has_flat_ends()) return false;
  VecX loads(static_cast<At>(contacts.size()));
  if (forces_of_contacts.size() > 0) {
    for (At k = 0; k < loads.size(); ++k) loads(k) = forces_of_contacts(3 * k);
  } else {
    Island lasting = *this;
    lasting.redundancy.reset();
    for (IslandContact& c : lasting.contacts) {
      const ContactFrame f = frame(c.feature, *c.part_a, *c.part_b, side_pose(c.a, y, start), side_pose(c.b, y, start));
      const Vec3 slip = f.V - f.n.dot(f.V) * f.n;
      c.mode = slip.norm() > slip_tolerance && !c.stopped ? ContactMode::slide : ContactMode::stick;
      if (c.mode == ContactMode::slide) c.s = slip.normalized();
    }
    for (IslandStop& stop : lasting.stops) stop.mode = ContactMode::stick;
    const Forces f = lasting.forces(y, start, Part::speeds);
    for (At k = 0; k < loads.size(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      loads(k) = f.contact_force.size() == contacts.size() ? f.contact_force[at].dot(f.frames[at].n) : 0;
    }
  }
  bool turned = false;
  for (const IslandContact& lead : contacts) {
    if (flat_point(lead) < 0 || flat_point(lead) % 4 != 0) continue;
    const Feature& own = lead.feature;
    std::array<std::size_t, 4> points{};
    std::size_t count = 0;
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const Feature& f = contacts[k].feature;
      if (flat_point(contacts[k]) / 4 != flat_point(lead) / 4 || flat_point(contacts[k]) < 0) continue;
      if (f.a != own.a || f.b != own.b || f.shape_a != own.shape_a || f.shape_b != own.shape_b ||
          f.part_a != own.part_a)
        continue;
      points[static_cast<std::size_t>(flat_point(contacts[k]) % 4)] = k;
      ++count;
    }
    if (count != 4) continue;  // it overhangs what it stands on
    const ConvexShape& shape = lead.part_b->shape;
    Vec3 centre = Vec3::Zero(), moment = Vec3::Zero();
    double total = 0;
    for (const std::size_t k : points) {
      centre += 0.25 * contacts[k].feature.c;
      total += loads(static_cast<At>(k));
      moment += loads(static_cast<At>(k)) * contacts[k].feature.c;
    }
    if (!(total > 0)) continue;
    const Vec3 axis = shape.rotation.col(2), off = moment / total - centre, across = off - off.dot(axis) * axis;
    const double r = shape.size.x();
    if (!(across.norm() > 1e-9 * r)) continue;
    const std::array<Vec3, 2> axes{across.normalized(), axis.cross(across).normalized()};
    std::array<Feature, 4> moved;
    bool stands = true;
    for (std::size_t i = 0; i < 4; ++i) {
      const IslandContact& c = contacts[points[i]];
      moved[i] = c.feature;
      moved[i].c = centre + r * (i < 2 ? 1 : -1) * axes[i % 2];
      stands = stands && extent(moved[i], *c.part_a, *c.part_b, side_pose(c.a, y, start), side_pose(c.b, y, start)) > 0;
    }
    if (!stands) continue;
    turned = turned || (moved[0].c - contacts[points[0]].feature.c).norm() > 1e-7 * r;
    for (std::size_t i = 0; i < 4; ++i) contacts[points[i]].feature = moved[i];
  }
  return turned;
}

std::optional<ForceAnswer> Island::slip_together(const ForceProblem& problem, const VecX& free) const {
  if (bodies.size() > 1 || systems[0].mechanism != nullptr || contacts.size() < 2 || !joints.empty())
    return std::nullopt;
  Island sliding = *this;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    IslandContact& c = sliding.contacts[k];
    if (problem.contacts[k].slides || c.released || !std::isfinite(c.mu_s)) return std::nullopt;
    c.mode = ContactMode::slide;
    c.slip_speed = 0;
    c.slip_limit = std::numeric_limits<double>::infinity();
    c.s = sliding.slip_acceleration(c, free);
    if (!(c.s.norm() > 0)) return std::nullopt;
    c.s.normalize();
  }
  for (const ContactMode mode : {ContactMode::stick, ContactMode::slide}) {
    for (std::size_t k = 0; k < contacts.size(); ++k)
      sliding.contacts[k].mu = mode == ContactMode::stick ? contacts[k].mu_s : contacts[k].mu;
    sliding.redundancy.reset();
    const Forces f = sliding.forces(y, start);
    ForceAnswer out;
    out.F = VecX::Zero(problem.b.size());
    out.a = VecX::Zero(problem.b.size());
    bool holds = true;
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const IslandContact& c = sliding.contacts[k];
      const Vec3 &F = f.contact_force[k], &n = f.frames[k].n;
      if (!(n.dot(F) > 0)) return std::nullopt;
      const Vec3 a = sliding.slip_acceleration(c, f.accelerations);
      holds = holds && (mode == ContactMode::stick ? a.dot(c.s) <= 0
                                                   : a.dot(c.s) >= (1 - 1e-9) * a.norm() ||
                                                         a.norm() <= 1e-9 * slip_acceleration(c, free).norm());
      const Tangents t = tangents(n);
      out.F.segment<3>(3 * static_cast<At>(k)) << n.dot(F), t.first.dot(F), t.second.dot(F);
      out.s.emplace_back(t.first.dot(c.s), t.second.dot(c.s));
    }
    if (!holds) continue;
    out.modes.assign(contacts.size(), mode);
    out.ambiguous.assign(contacts.size(), false);
    return out;
  }
  return std::nullopt;
}

Vec3 Island::contact_acceleration(const IslandContact& c, const ContactFrame& fr, const VecX& accelerations) const {
  const auto rate = [&](const IslandSide& side) {
    const Pose p = side_pose(side, y, start);
    Vec3 a = p.angular_velocity.cross(fr.point_rate - p.velocity);
    if (side.place >= 0)
      a += accelerations.segment<3>(6 * side.place) +
           Vec3(accelerations.segment<3>(6 * side.place + 3)).cross(fr.point - p.position);
    return a;
  };
  return rate(c.b) - rate(c.a);
}

Vec3 Island::slip_acceleration(const IslandContact& c, const VecX& accelerations) const {
  const ContactFrame fr = frame(c.feature, *c.part_a, *c.part_b, side_pose(c.a, y, start), side_pose(c.b, y, start));
  const Vec3 a = contact_acceleration(c, fr, accelerations);
  return a - fr.n.dot(a) * fr.n;
}

void Island::adopt(const ForceAnswer& answer, double slip_tolerance) {
  mode_forces = answer.F;
  redundancy.reset();
  for (std::size_t k = 0; k < stops.size(); ++k) stops[k].mode = answer.row_modes[k];
  if (!dry.empty()) {
    const VecX u = speeds(y);
    std::size_t at = stops.size();
    for (IslandDry& d : dry) {
      const bool moves = std::abs(u(d.speed)) > joint_tolerance(slip_tolerance);
      d.mode = moves || d.yields ? ContactMode::slide : answer.row_modes[at];
      if (moves) d.s = u(d.speed) < 0 ? -1 : 1;
      if (moves || d.yields) continue;
      const double rate = answer.a(answer.a.size() - static_cast<At>(answer.row_modes.size() - at));
      if (d.mode == ContactMode::slide) d.s = rate < 0 ? -1 : 1;
      ++at;
    }
  }
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    IslandContact& c = contacts[k];
    c.mode = answer.modes[k];
    const ContactFrame f = frame(c.feature, *c.part_a, *c.part_b, side_pose(c.a, y, start), side_pose(c.b, y, start));
    const Tangents t = tangents(f.n);
    c.s = answer.s[k].x() * t.first + answer.s[k].y() * t.second;
    c.slip_speed = (f.V - f.n.dot(f.V) * f.n).norm();
    c.slip_limit = slip_tolerance;
    if (c.slip_speed <= slip_tolerance || c.stopped) c.slip_speed = 0;
  }
}

double Island::normal_acceleration(const IslandContact& c) const {
  const ContactFrame fr = frame(c.feature, *c.part_a, *c.part_b, side_pose(c.a, y, start), side_pose(c.b, y, start));
  return fr.n.dot(contact_acceleration(c, fr, forces(y, start).accelerations)) + fr.n_rate.dot(fr.V);
}

namespace {
/// Whether the direction of a contact's friction follows its slip.
bool follows_slip(const IslandContact& c) {
  return c.mode == ContactMode::slide && !c.creeps && c.slip_speed > 0 && c.mu > 0;
}
}  // namespace

void Island::mark_creeping(double speed) {
  bool any = false;
  for (IslandContact& c : contacts) {
    c.creeps = c.mode == ContactMode::slide && c.slip_speed <= speed && c.mu > 0;
    any = any || (c.creeps && c.slip_speed > 0);
  }
  if (!any) return;
  const Forces f = forces(y, start);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    IslandContact& c = contacts[k];
    if (c.creeps && c.slip_speed > 0 && !(c.s.dot(f.direction[k]) >= 1 - 1e-6)) c.creeps = false;
  }
  // Slip that still turns changes the accelerations of the others within the time in which it turns. They follow only
  // if they are slower.
  double slowest = std::numeric_limits<double>::infinity();
  for (const IslandContact& c : contacts)
    if (follows_slip(c)) slowest = std::min(slowest, c.slip_speed);
  for (IslandContact& c : contacts)
    if (c.slip_speed > slowest) c.creeps = false;
  // Modes were chosen with friction along the slip itself. Where friction along the acceleration contradicts them, the
  // step would end where it begins, and the same modes would be found again.
  if (redundant()) return;
  const auto margins = [&] {  // negative where a mode does not hold
    const Forces found = forces(y, start);
    std::vector<double> out;
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const IslandContact& c = contacts[k];
      if (c.mode == ContactMode::open) continue;
      const double N = found.contact_force[k].dot(found.frames[k].n);
      out.push_back(N);
      if (c.mode == ContactMode::stick && std::isfinite(c.mu_s))
        out.push_back(c.mu_s * N - (found.contact_force[k] - N * found.frames[k].n).norm());
    }
    for (std::size_t k = 0; k < stops.size(); ++k) out.push_back(found.stop_force(static_cast<At>(k)));
    for (std::size_t k = 0; k < dry.size(); ++k)
      out.push_back(dry[k].limit - std::abs(found.dry_force(static_cast<At>(k))));
    return out;
  };
  const std::vector<double> creeping = margins();
  if (std::none_of(creeping.begin(), creeping.end(), [](double margin) { return margin < 0; })) return;
  const std::vector<IslandContact> marked = contacts;
  for (IslandContact& c : contacts)
    if (c.slip_speed > 0) c.creeps = false;
  const std::vector<double> along_slip = margins();
  for (std::size_t k = 0; k < creeping.size(); ++k)
    if (creeping[k] < 0 && along_slip[k] > 0) return;
  contacts = marked;
}

std::vector<std::size_t> Island::ending_slip(double within) const {
  std::vector<std::size_t> out;
  if (std::none_of(contacts.begin(), contacts.end(), [&](const IslandContact& c) {
        return c.mode == ContactMode::slide && c.slip_speed <= within * (gravity.norm() + 1);
      }))
    return out;
  const Forces f = forces(y, start);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const IslandContact& c = contacts[k];
    if (c.mode != ContactMode::slide) continue;
    const ContactFrame& fr = f.frames[k];
    const Vec3 slip = fr.V - fr.n.dot(fr.V) * fr.n, rate = contact_acceleration(c, fr, f.accelerations);
    const double speed = slip.norm();
    if (slip.dot(rate) < 0 && speed * speed <= -within * slip.dot(rate)) out.push_back(k);
  }
  return out;
}

void Island::align_beginning_slip() {
  const auto begins = [](const IslandContact& c) {
    return c.mode == ContactMode::slide && !(c.slip_speed > 0) && !c.yields;
  };
  if (std::none_of(contacts.begin(), contacts.end(), begins)) return;
  /// Directions of the accelerations of slip, with forces or without; the largest turn.
  const auto turn = [&](bool with_forces) {
    double turned = 0;
    const Forces f = forces(y, start);
    for (IslandContact& c : contacts) {
      if (!begins(c)) continue;
      const Vec3 a = slip_acceleration(c, with_forces ? f.accelerations : f.free);
      if (!(a.norm() > 0)) continue;
      const Vec3 s = a.normalized();
      turned = std::max(turned, (s - c.s).norm());
      c.s = s;
    }
    return turned;
  };
  // From the directions without forces, then from those of the force problem; an iteration that runs away is left.
  const std::vector<IslandContact> found = contacts;
  for (const bool free : {true, false}) {
    contacts = found;
    if (free) static_cast<void>(turn(false));
    std::vector<IslandContact> best = contacts;
    double least = turn(true);
    while (least > 1e-14) {
      const std::vector<IslandContact> tried = contacts;
      const double turned = turn(true);
      if (!(turned < 0.7 * least)) break;
      best = tried;
      least = turned;
    }
    contacts = best;
    if (least <= 1e-6) return;  // the force along the slip is then right to the square of it
  }
  contacts = found;
}

std::optional<Island::Rows> Island::held_rows(const Forces& f, bool velocities, double drift) const {
  std::vector<Eigen::RowVectorXd> rows;
  std::vector<double> values;
  const auto add = [&](const IslandSide& a, const Vec3& on_a, const IslandSide& b, const Vec3& on_b, const Vec3& along,
                       double value) {
    Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(speed_count());
    const auto put = [&](const IslandSide& side, const Vec3& point, double sign) {
      if (side.place < 0) return;
      const auto k = static_cast<std::size_t>(side.place);
      const IslandSystem& system = systems[bodies[k].system];
      row.segment(system.speed_at, system.speeds) += sign * f.row(*this, k, point, along);
    };
    put(b, on_b, 1);
    put(a, on_a, -1);
    rows.push_back(row);
    values.push_back(value);
  };
  double worst = 0;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const IslandContact& c = contacts[k];
    if (c.mode == ContactMode::open) continue;
    const ContactFrame& fr = f.frames[k];
    add(c.a, fr.point, c.b, fr.point, fr.n, velocities ? fr.n.dot(fr.V) : fr.gap - c.gap);
    worst = std::max(worst, std::abs(values.back()));
    // Slip that is about to begin is still zero.
    if (!velocities || (c.mode == ContactMode::slide && c.slip_speed > 0)) continue;
    const Tangents t = tangents(fr.n);
    for (const Vec3& d : {t.first, t.second}) add(c.a, fr.point, c.b, fr.point, d, d.dot(fr.V));
  }
  for (const IslandJoint& joint : joints) {
    const Pose a = side_pose(joint.a, y, start), b = side_pose(joint.b, y, start);
    const Vec3 ra = a.orientation * joint.arm_a, rb = b.orientation * joint.arm_b;
    const Vec3 open = velocities
                          ? Vec3(b.velocity + b.angular_velocity.cross(rb) - a.velocity - a.angular_velocity.cross(ra))
                          : Vec3(b.position + rb - a.position - ra);
    worst = std::max(worst, open.norm());
    for (int i = 0; i < 3; ++i) add(joint.a, a.position + ra, joint.b, b.position + rb, Vec3::Unit(i), open(i));
  }
  const VecX u = stops.empty() && dry.empty() ? VecX() : speeds(y);
  const auto single = [&](At speed, double sign, double value) {
    rows.emplace_back(sign * Eigen::RowVectorXd::Unit(speed_count(), speed));
    values.push_back(value);
    worst = std::max(worst, std::abs(value));
  };
  for (const IslandStop& stop : stops)
    if (stop.mode != ContactMode::open)
      single(stop.speed, stop.sign, stop.sign * (velocities ? u(stop.speed) : y(stop.position) - stop.bound));
  for (const IslandDry& d : dry)
    if (velocities && d.mode == ContactMode::stick) single(d.speed, 1, u(d.speed));
  if (rows.empty() || (!velocities && worst <= drift)) return std::nullopt;
  Rows out;
  out.J.resize(static_cast<At>(rows.size()), speed_count());
  out.values.resize(static_cast<At>(rows.size()));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    out.J.row(static_cast<At>(r)) = rows[r];
    out.values(static_cast<At>(r)) = values[r];
  }
  out.L = mass_solve(f, out.J.transpose());
  return out;
}

double Island::project_velocities() {
  const auto rows = held_rows(forces(y, start, Part::frames), true);
  if (!rows) return 0;
  Eigen::CompleteOrthogonalDecomposition<MatX> solver;
  solver.setThreshold(1e-11);
  solver.compute(mobility(rows->J, rows->L));
  const double before = kinetic(y);
  add_speeds(rows->L * solver.solve(-rows->values));
  return before - kinetic(y);
}

bool Island::slip_has_changed() const {
  return std::any_of(contacts.begin(), contacts.end(), [&](const IslandContact& c) {
    if (c.mode != ContactMode::slide || !(c.slip_speed > 0) || !(c.mu > 0)) return false;
    const ContactFrame f = frame(c.feature, *c.part_a, *c.part_b, side_pose(c.a, y, start), side_pose(c.b, y, start));
    const Vec3 slip = f.V - f.n.dot(f.V) * f.n;
    return !((slip - slip.norm() * c.s).norm() <= 1e-3 * slip.norm());
  });
}

double Island::stop_bounces() {
  Island bouncing = *this;
  for (IslandStop& stop : bouncing.stops) stop.mode = ContactMode::stick;
  for (IslandContact& c : bouncing.contacts) {
    c.mode = ContactMode::slide;
    c.slip_speed = 1;  // so that only the normal velocity is lost
  }
  const double lost = bouncing.project_velocities();
  y = bouncing.y;
  return lost;
}

void Island::project_positions(double drift) {
  for (int iteration = 0; iteration < 3; ++iteration) {
    const auto rows = held_rows(forces(y, start, Part::frames), false, drift);
    if (!rows) return;
    Eigen::CompleteOrthogonalDecomposition<MatX> solver;
    solver.setThreshold(1e-11);
    solver.compute(mobility(rows->J, rows->L));
    const VecX move = rows->L * solver.solve(-rows->values);
    for (const IslandSystem& system : systems) {
      if (system.mechanism != nullptr) {
        const auto moved = ricochet::advance(system.mechanism->tree, positions_of(y, system),
                                             move.segment(system.speed_at, system.speeds), 1);
        if (moved) y.segment(system.at, system.positions) = *moved;
        continue;
      }
      y.segment<3>(system.at) += move.segment<3>(system.speed_at);
      const Vec3 turn = 0.5 * move.segment<3>(system.speed_at + 3);
      auto q = y.segment<4>(system.at + 3);
      const Vec3 v = q.tail<3>();
      const double w = q(0);
      q(0) -= turn.dot(v);
      q.tail<3>() += w * turn + turn.cross(v);
      q /= q.norm();
    }
  }
}

VecX Island::uniform_state(double h) const {
  VecX out = y;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const At at = numbers_of_body * static_cast<At>(k), from = 6 * static_cast<At>(k);
    const Vec3 v = y.segment<3>(at + 7), w = y.segment<3>(at + 10);
    const Vec3 a = uniform.segment<3>(from), alpha = uniform.segment<3>(from + 3);
    out.segment<3>(at) += h * v + 0.5 * h * h * a;
    out.segment<3>(at + 7) += h * a;
    out.segment<3>(at + 10) += h * alpha;
    const Vec3 turn = h * w + 0.5 * h * h * alpha;
    const double angle = turn.norm();
    if (angle > 0) {
      const Quaternion q = Quaternion(Eigen::AngleAxisd(angle, turn / angle)) * pose(y, k).orientation;
      out.segment<4>(at + 3) << q.w(), q.x(), q.y(), q.z();
    }
  }
  // Constant forces at velocities that are linear in time: so are their powers.
  const At powers = uniform.size() - 4, sums = out.size() - 2;
  const double share = step > 0 ? 0.5 * h * h / step : 0;
  for (At i = 0; i < 2; ++i) {
    const double first = uniform(powers + 2 * i), last = uniform(powers + 2 * i + 1);
    out(sums + i) += first * h + (last - first) * share;
  }
  return out;
}

bool Island::keeps_accelerations(double by, double h, Forces& there) const {
  const At n = 6 * static_cast<At>(bodies.size());
  double most = 0, turning = 0;
  for (At k = 0; k < n; k += 6) {
    most = std::max(most, uniform.segment<3>(k).norm());
    turning = std::max(turning, uniform.segment<3>(k + 3).norm());
  }
  // At rest accelerations are what rounding leaves of the forces.
  double mass = 0;
  for (const IslandBody& b : bodies) mass += b.inertia->mass;
  const double still = 1e-13 * load_scale() / mass;
  there = forces(uniform_state(by), start + by);
  for (At k = 0; k < n; k += 6) {
    // A body turns by the closed form where the axis stays.
    const Vec3 w = y.segment<3>(numbers_of_body * (k / 6) + 10), alpha = uniform.segment<3>(k + 3);
    if (w.cross(alpha).norm() * h * h * h > 1e-13) return false;
    if (!((there.accelerations.segment<3>(k) - uniform.segment<3>(k)).norm() <= 1e-11 * most + still)) return false;
    if (!((there.accelerations.segment<3>(k + 3) - alpha).norm() <=
          1e-11 * std::max(turning, most / size) + still / size))
      return false;
  }
  return true;
}

bool Island::take_uniform_step(double h) {
  const bool tree =
      std::any_of(systems.begin(), systems.end(), [](const IslandSystem& s) { return s.mechanism != nullptr; });
  if (!std::isfinite(h) || tree) return false;
  const Forces first = forces(y, start);
  const At n = 6 * static_cast<At>(bodies.size());
  uniform = VecX::Zero(n + 4);
  uniform.head(n) = first.accelerations;
  Forces last;
  for (const double part : {0.21, 0.5, 1.0})
    if (!keeps_accelerations(part * h, h, last)) {
      uniform.resize(0);
      return false;
    }
  if (slip_has_turned(uniform_state(h), h)) {
    uniform.resize(0);
    return false;
  }
  uniform(n) = first.friction_power;
  uniform(n + 1) = last.friction_power;
  uniform(n + 2) = first.applied_power;
  uniform(n + 3) = last.applied_power;
  step = h;
  y_end = uniform_state(h);
  next_step = h;
  return true;
}

namespace {

/// Collocation at the nodes of Radau IIA of order 9, and the quadrature through them and the start of the step.
struct Collocation {
  static constexpr At stages = 5;
  static constexpr std::array<double, 6> nodes{
      0, 0.05710419611451768219, 0.27684301363812382768, 0.58359043236891682006, 0.86024013565621944784, 1};
  Eigen::Matrix<double, 5, 5> A;  ///< of the method
  Eigen::Matrix<double, 6, 6> D;  ///< of the six nodes: weights of a time x are Σ D_jm x^{m+1}

  Collocation() {
    using Square = Eigen::Matrix<double, 5, 5>;
    Square powers, integrals;
    for (At m = 0; m < 5; ++m)
      for (At j = 0; j < 5; ++j) {
        const double c = nodes[static_cast<std::size_t>(j + 1)];
        powers(m, j) = std::pow(c, m);
        integrals(j, m) = std::pow(c, m + 1) / static_cast<double>(m + 1);
      }
    A = integrals * powers.transpose().inverse();
    Eigen::Matrix<double, 6, 6> all;
    for (At m = 0; m < 6; ++m)
      for (At j = 0; j < 6; ++j) all(m, j) = std::pow(nodes[static_cast<std::size_t>(j)], m);
    D = all.inverse();
    for (At m = 0; m < 6; ++m) D.col(m) /= static_cast<double>(m + 1);
  }
  /// ∫₀ˣ of the polynomial through the six nodes.
  [[nodiscard]] Eigen::Matrix<double, 6, 1> weights(double x) const {
    Eigen::Matrix<double, 6, 1> out = D.col(5);
    for (At m = 5; m-- > 0;) out = out * x + D.col(m);
    return out * x;
  }
};
const Collocation& collocation() {
  static const Collocation method;
  return method;
}

}  // namespace

VecX Island::collocated_state(double h) const {
  const Eigen::Map<const MatX> at_nodes(collocated.data(), y.size(), 6);
  VecX out = y + step * (at_nodes * collocation().weights(h / step));
  normalise_state(out);
  return out;
}

/// What friction does to slip at the state y.
struct Island::SlipResponse {
  std::vector<std::size_t> slides;  ///< contacts whose friction follows their slip
  VecX rates;                       ///< of the state
  MatX turned;                      ///< their change with the angles of slip
  MatX across;                      ///< the same of the rate of slip across its direction
  std::vector<MatX> rows;           ///< of slip in the speeds, world axes
  std::vector<Vec3> directions;     ///< of all contacts
  double change_time = 0;           ///< in which the fastest slip changes by as much as it is
  double relaxation_time = 0;       ///< in which the fastest slip turns to where friction leaves it
};

Island::SlipResponse Island::slip_response() const {
  SlipResponse out;
  const Forces f = forces(y, start);
  out.rates = rates(y, f);
  out.directions = f.direction;
  for (std::size_t k = 0; k < contacts.size(); ++k)
    if (follows_slip(contacts[k])) out.slides.push_back(k);
  const auto count = static_cast<At>(out.slides.size());
  out.turned.resize(y.size(), count);
  out.across.resize(count, count);
  std::vector<Vec3> slip_rates;
  out.change_time = out.relaxation_time = std::numeric_limits<double>::infinity();
  for (const std::size_t k : out.slides) {
    const IslandContact& c = contacts[k];
    const ContactFrame& fr = f.frames[k];
    const Vec3 rate = contact_acceleration(c, fr, f.accelerations);
    slip_rates.push_back(rate);
    out.change_time = std::min(out.change_time, c.slip_speed / (rate - fr.n.dot(rate) * fr.n).norm());
    MatX row = MatX::Zero(3, speed_count());
    for (int i = 0; i < 3; ++i)
      for (const auto& [side, sign] : {std::pair(c.b, 1.0), std::pair(c.a, -1.0)}) {
        if (side.place < 0) continue;
        const auto body = static_cast<std::size_t>(side.place);
        const IslandSystem& system = systems[bodies[body].system];
        row.row(i).segment(system.speed_at, system.speeds) += sign * f.row(*this, body, fr.point, Vec3::Unit(i));
      }
    out.rows.push_back(row);
  }
  constexpr double small = 1e-6;
  for (At l = 0; l < count; ++l) {
    const std::size_t k = out.slides[static_cast<std::size_t>(l)];
    std::vector<Vec3> directions = f.direction;
    directions[k] += small * f.frames[k].n.cross(directions[k]);
    const Forces g = forces(y, start, Part::bodies, &directions);
    out.turned.col(l) = (rates(y, g) - out.rates) / small;
    for (At i = 0; i < count; ++i) {
      const auto own = static_cast<std::size_t>(i);
      const std::size_t other = out.slides[own];
      const ContactFrame& fr = f.frames[other];
      const Vec3 rate = contact_acceleration(contacts[other], fr, g.accelerations);
      out.across(i, l) = fr.n.cross(f.direction[other]).dot(rate - slip_rates[own]) / small;
    }
  }
  for (At i = 0; i < count; ++i)
    out.relaxation_time = std::min(out.relaxation_time, contacts[out.slides[static_cast<std::size_t>(i)]].slip_speed /
                                                            out.across.row(i).cwiseAbs().maxCoeff());
  return out;
}

std::optional<VecX> Island::collocate(const SlipResponse& response, double h, double usual, VecX& error) {
  const Collocation& method = collocation();
  constexpr At stages = Collocation::stages;
  const At n = y.size(), slides = static_cast<At>(response.slides.size());
  MatX F(n, stages + 1), Y(n, stages);
  F.col(0) = response.rates;
  for (At i = 0; i < stages; ++i)
    Y.col(i) = y + h * Collocation::nodes[static_cast<std::size_t>(i + 1)] * response.rates;
  std::vector<std::vector<Vec3>> directions(static_cast<std::size_t>(stages), response.directions);
  MatX newton(stages * slides, stages * slides);
  VecX right(stages * slides);
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < 20; ++iteration) {
    std::vector<Forces> at;
    for (At i = 0; i < stages; ++i) {
      const auto own = static_cast<std::size_t>(i);
      at.push_back(forces(Y.col(i), start + h * Collocation::nodes[own + 1], Part::speeds, &directions[own]));
      if (!at.back().speeds.allFinite() || at.back().direction.size() != contacts.size()) return std::nullopt;
      F.col(i + 1) = rates(Y.col(i), at.back());
    }
    MatX missed = h * (F.rightCols(stages) * method.A.transpose());
    missed.colwise() += y;
    missed -= Y;
    // Angles of slip beyond their directions, and how both move them: δ − t·(missed + h A ∂F δ)/‖V‖ = angle.
    newton.setIdentity();
    for (At i = 0; i < stages; ++i) {
      const auto own = static_cast<std::size_t>(i);
      VecX moved(speed_count());
      for (const IslandSystem& system : systems)
        moved.segment(system.speed_at, system.speeds) =
            missed.col(i).segment(system.at + system.positions, system.speeds);
      for (At k = 0; k < slides; ++k) {
        const std::size_t c = response.slides[static_cast<std::size_t>(k)];
        const ContactFrame& fr = at[own].frames[c];
        const Vec3 &s = at[own].direction[c], t = fr.n.cross(s), slip = fr.V - fr.n.dot(fr.V) * fr.n;
        const double along = slip.dot(s), side = slip.dot(t), speed = slip.norm();
        // Slip that ends or turns round is not followed further.
        if (!(along > 0.2 * speed) || !(speed > 1e3 * contacts[c].slip_limit)) return std::nullopt;
        const At row = i * slides + k;
        right(row) = std::atan2(side, along) + t.dot(Vec3(response.rows[static_cast<std::size_t>(k)] * moved)) / speed;
        for (At j = 0; j < stages; ++j)
          newton.block(row, j * slides, 1, slides) -= h * method.A(i, j) / speed * response.across.row(k);
      }
    }
    const VecX turn = newton.partialPivLu().solve(right);
    if (!turn.allFinite() || turn.cwiseAbs().maxCoeff() > 1) return std::nullopt;
    MatX change = missed;
    double worst = 0;
    for (At i = 0; i < stages; ++i)
      for (At j = 0; j < stages; ++j)
        change.col(i) += h * method.A(i, j) * (response.turned * turn.segment(j * slides, slides));
    Y += change;
    for (At i = 0; i < stages; ++i) {
      worst = std::max(worst, relative_error(h, Y.col(i), change.col(i), usual));
      const auto own = static_cast<std::size_t>(i);
      for (At k = 0; k < slides; ++k) {
        const std::size_t c = response.slides[static_cast<std::size_t>(k)];
        const Vec3 &s = at[own].direction[c], t = at[own].frames[c].n.cross(s);
        const double angle = turn(i * slides + k);
        directions[own][c] = std::cos(angle) * s + std::sin(angle) * t;
      }
    }
    if (!std::isfinite(worst)) return std::nullopt;
    if (worst <= 0.01 || (worst <= 0.1 && worst > 0.3 * last)) {
      collocated = Eigen::Map<const VecX>(F.data(), F.size());
      // At the end both polynomials agree. Between the nodes the one through the start is more accurate by an order.
      double most = -1;
      for (At i = 0; i + 1 < stages; ++i) {
        const VecX apart = y + h * (F * method.weights(Collocation::nodes[static_cast<std::size_t>(i + 1)])) - Y.col(i);
        const double off = relative_error(h, Y.col(i), apart, usual);
        if (off > most) error = 0.05 * apart;
        most = std::max(most, off);
      }
      VecX end = Y.col(stages - 1);
      normalise_state(end);
      return end;
    }
    if (iteration > 3 && worst > 0.7 * last) return std::nullopt;
    last = worst;
  }
  return std::nullopt;
}

bool Island::take_collocated_step(double longest) {
  const auto creeps = [](const IslandContact& c) { return c.mode == ContactMode::slide && c.creeps; };
  if (std::none_of(contacts.begin(), contacts.end(), follows_slip) ||
      std::any_of(contacts.begin(), contacts.end(), creeps))
    return false;
  const SlipResponse response = slip_response();
  const double usual = usual_speed(), natural = size / usual;
  // Slip that turns much faster than it changes, and than anything else moves.
  const double most = std::min(0.3 * response.change_time, longest), least = 10 * response.relaxation_time;
  if (!(least < 0.02 * natural) || !(least < most)) return false;
  double h = next_step > 0 ? std::min(std::max(next_step, least), most) : most;
  for (int attempt = 0; attempt < 8 && h >= least; ++attempt) {
    VecX error;
    const auto end = collocate(response, h, usual, error);
    const double worst = end ? relative_error(h, *end, error, usual) : std::numeric_limits<double>::infinity();
    if (worst <= 1) {
      step = h;
      y_end = *end;
      next_step = h * std::min(4.0, worst > 0 ? 0.9 * std::pow(worst, -1.0 / 6) : 4.0);
      return true;
    }
    h *= std::isfinite(worst) ? std::clamp(0.9 * std::pow(worst, -1.0 / 6), 0.1, 0.9) : 0.3;
  }
  collocated.resize(0);
  return false;
}

bool Island::take_step(double longest) {
  // Normals and radii of curved surfaces are searched from where they are now, and the lowest point of a rim is on the
  // side on which it is now.
  for (IslandContact& c : contacts) {
    const bool rim = c.feature.kind == Feature::Kind::plane_rim;
    if (!rim && c.feature.kind != Feature::Kind::surfaces) continue;
    const Pose a = side_pose(c.a, y, start), b = side_pose(c.b, y, start);
    if (!rim) {
      follow(c.feature, *c.part_a, *c.part_b, a, b);
      continue;
    }
    const Vec3 n = frame(c.feature, *c.part_a, *c.part_b, a, b).n;
    if (!n.allFinite()) continue;
    const Vec3 axis = b.orientation * c.feature.axis;
    c.feature.lowest = b.orientation.conjugate() * axis.cross(axis.cross(n)).normalized();
  }
  collocated.resize(0);
  if (take_uniform_step(longest)) return true;
  if (take_collocated_step(longest)) return true;
  const double turning = turning_time();
  double h = std::min(next_step > 0 ? std::min(next_step, longest) : longest, 0.5 * turning);
  const double usual = usual_speed();
  for (int attempt = 0; attempt < 200; ++attempt) {
    // Friction along the acceleration that needs steps as short as this is not what slip has: it is itself followed.
    if (h < 1e-3 * creeping_time(usual)) {
      for (IslandContact& c : contacts)
        if (c.slip_speed > 0) c.creeps = false;
      h = std::min(longest, 0.5 * turning_time());
    }
    VecX error;
    const VecX end = advance(h, &error);
    const double worst = relative_error(h, end, error, usual);
    if (worst <= 1 && !accurate_where_slip_turns(h, end, usual)) {
      h *= 0.5;
      if (!(start + h > start)) return false;
      continue;
    }
    if (worst <= 1) {
      step = h;
      y_end = end;
      next_step = h * std::min(4.0, worst > 0 ? 0.9 * std::pow(worst, -0.125) : 4.0);
      return true;
    }
    h *= std::isfinite(worst) ? std::max(0.1, 0.9 * std::pow(worst, -0.125)) : 0.1;
    if (!(start + h > start)) return false;
  }
  return false;
}

double Island::turning_time() const {
  double least = std::numeric_limits<double>::infinity();
  if (std::none_of(contacts.begin(), contacts.end(), follows_slip)) return least;
  const Forces f = forces(y, start);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const IslandContact& c = contacts[k];
    if (!follows_slip(c)) continue;
    const ContactFrame& fr = f.frames[k];
    Vec3 rate = contact_acceleration(c, fr, f.accelerations);
    rate -= fr.n.dot(rate) * fr.n;
    // Slip that only becomes slower or faster does not turn.
    if ((rate - rate.dot(c.s) * c.s).norm() > 1e-3 * rate.norm()) least = std::min(least, c.slip_speed / rate.norm());
  }
  return least;
}

double Island::creeping_time(double usual) const {
  double least = std::numeric_limits<double>::infinity();
  for (const IslandContact& c : contacts)
    if (c.mode == ContactMode::slide && c.creeps && c.slip_speed > 0) least = std::min(least, c.slip_speed);
  return std::isfinite(least) ? least * size / (usual * usual) : 0;
}

std::optional<std::size_t> Island::unlimited_force() const {
  const Forces f = forces(y, start, Part::speeds);
  if (f.contact_force.size() != contacts.size()) return std::nullopt;
  double usual = load_scale();
  for (std::size_t k = 0; k < bodies.size(); ++k)
    usual += bodies[k].inertia->mass * f.poses[k].angular_velocity.squaredNorm() * size;
  std::optional<std::size_t> out;
  double most = 1e4 * usual;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const double N = f.contact_force[k].dot(f.frames[k].n);
    if (contacts[k].mode != ContactMode::slide || !(N > most)) continue;
    most = N;
    out = k;
  }
  return out;
}

double Island::usual_speed() const {
  double mass = 0;
  for (const IslandBody& b : bodies) mass += b.inertia->mass;
  // At rest accelerations are what rounding leaves of the forces.
  return std::sqrt(std::max(largest_acceleration(), 1e-6 * load_scale() / mass) * size);
}

double Island::relative_error(double h, const VecX& end, const VecX& error, double usual) const {
  if (!error.allFinite() || !end.allFinite()) return std::numeric_limits<double>::infinity();
  double speed = 0, spin = 0;
  for (const Pose& p : poses(y)) {
    speed = std::max(speed, p.velocity.norm());
    spin = std::max(spin, p.angular_velocity.norm());
  }
  // What the accelerations give: slip that ends is resolved to a small part of it.
  const double now_speed = std::max(speed, std::min(size / std::max(h, 1e-300) * 1e-3, usual));
  double worst = 0;
  for (const IslandSystem& system : systems) {
    const At at = system.at;
    if (system.mechanism != nullptr) {
      // Angles and lengths alike, the size being that of the bodies.
      worst = std::max(worst, error.segment(at, system.positions).norm() / std::min(size, 1.0));
      worst = std::max(worst, error.segment(at + system.positions, system.speeds).norm() * std::max(size, 1.0) /
                                  std::max(now_speed, spin * size));
      continue;
    }
    worst = std::max(worst, error.segment<3>(at).norm() / size);
    worst = std::max(worst, error.segment<4>(at + 3).norm());
    worst = std::max(worst, error.segment<3>(at + 7).norm() / now_speed);
    worst = std::max(worst, error.segment<3>(at + 10).norm() * size / std::max(now_speed, spin * size));
  }
  return worst / tolerance;
}

bool Island::slip_has_turned(const VecX& end, double h) const {
  if (std::none_of(contacts.begin(), contacts.end(), follows_slip)) return false;
  const Forces last = forces(end, start + h, Part::frames);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    if (!follows_slip(contacts[k])) continue;
    const ContactFrame& f = last.frames[k];
    const Vec3 slip = f.V - f.n.dot(f.V) * f.n, before = contacts[k].s - f.n.dot(contacts[k].s) * f.n;
    const double along = slip.dot(before.normalized()), across = (slip - along * before.normalized()).norm();
    // Slower slip has the direction of its acceleration, (MO36).
    const double least = std::max(1e6 * contacts[k].slip_limit, 1e-10 * std::max(slip.norm(), contacts[k].slip_speed));
    if (along <= 0.1 * slip.norm() && across > least) return true;
  }
  return false;
}

bool Island::accurate_where_slip_turns(double h, const VecX& end, double usual) const {
  const auto slides = follows_slip;
  if (std::none_of(contacts.begin(), contacts.end(), slides)) return true;
  if (slip_has_turned(end, h)) return false;
  const Forces first = forces(y, start, Part::frames), last = forces(end, start + h, Part::frames);
  bool turns = false;
  for (std::size_t k = 0; k < contacts.size() && !turns; ++k) {
    if (!slides(contacts[k])) continue;
    const ContactFrame &a = first.frames[k], &b = last.frames[k];
    const Vec3 change = (b.V - b.n.dot(b.V) * b.n) - (a.V - a.n.dot(a.V) * a.n);
    turns = !(change.norm() <= 0.25 * contacts[k].slip_speed);
  }
  if (!turns) return true;
  Island half = *this;
  half.y = advance(0.5 * h, nullptr);
  half.start = start + 0.5 * h;
  if (!half.y.allFinite()) return false;
  const VecX twice = half.advance(0.5 * h, nullptr);
  return relative_error(h, end, twice - end, usual) <= 1;
}

bool Island::accurate(double t) const {
  const double h = t - start;
  if (!(h > 0) || h >= step) return true;
  if (uniform.size() > 0) {
    // Where the step was asked for its forces slip may have ended before, and these do not show how it turned.
    Forces there;
    return !slip_has_turned(uniform_state(h), h) && keeps_accelerations(0.4 * h, h, there) &&
           keeps_accelerations(0.9 * h, h, there);
  }
  if (collocated.size() > 0) return true;
  VecX error;
  const VecX there = advance(h, &error);
  const double usual = usual_speed();
  return relative_error(h, there, error, usual) <= 1 && accurate_where_slip_turns(h, there, usual);
}

VecX Island::state(double t) const {
  const double h = t - start;
  if (!(h > 0)) return y;
  if (h >= step) return y_end;
  if (uniform.size() > 0) return uniform_state(h);
  if (collocated.size() > 0) return collocated_state(h);
  return advance(h, nullptr);
}

double Island::largest_acceleration() const {
  const Forces f = forces(y, start);
  double most = 0;
  for (std::size_t k = 0; k < bodies.size(); ++k)
    most = std::max({most, f.accelerations.segment<3>(6 * static_cast<At>(k)).norm(),
                     size * f.accelerations.segment<3>(6 * static_cast<At>(k) + 3).norm()});
  return most;
}

std::vector<Piece> Island::pieces() const {
  const auto ends = [&](const VecX& state, double t) {
    const std::vector<Pose> at = poses(state);
    const VecX accelerations = uniform.size() > 0 ? uniform : forces(state, t).accelerations;
    std::vector<PieceEnd> out;
    out.reserve(bodies.size());
    for (std::size_t k = 0; k < bodies.size(); ++k)
      out.push_back({at[k], accelerations.segment<3>(6 * static_cast<At>(k)),
                     accelerations.segment<3>(6 * static_cast<At>(k) + 3)});
    return out;
  };
  const auto a = ends(y, start), b = ends(y_end, start + step);
  std::vector<Piece> out;
  out.reserve(bodies.size());
  for (std::size_t k = 0; k < bodies.size(); ++k) out.push_back(interpolate(a[k], b[k], start, step));
  return out;
}

std::optional<Island::ModeChange> Island::first_mode_change(double slip_tolerance) const {
  // Positive while the mode holds; each contact has at most four such functions.
  enum class Limit : std::uint8_t { force, cone, slip, extent, flat };
  struct Watched {
    std::size_t contact;
    Limit limit;
  };
  const bool indeterminate = redundant();
  /// Whether the other end of the chord touches as well.
  const auto has_other_end = [&](const IslandContact& c) {
    return c.feature.kind == Feature::Kind::chord &&
           std::any_of(contacts.begin(), contacts.end(), [&](const IslandContact& o) {
             Feature other = o.feature;
             other.corner = c.feature.corner;
             return o.mode != ContactMode::open && o.feature.corner != c.feature.corner && other.same(c.feature);
           });
  };
  /// Whether a cylinder lies on this rim, because its other rim or its side touches as well: the contact does not go
  /// over to the side.
  const auto lies = [&](const IslandContact& c) {
    const auto has = [](const IslandContact& o, std::uint32_t body, std::uint32_t shape, int part) {
      const Feature& f = o.feature;
      const bool curved = f.kind == Feature::Kind::plane_rim || f.kind == Feature::Kind::surfaces;
      return curved && ((f.b == body && f.shape_b == shape && f.part_b == part) ||
                        (f.kind == Feature::Kind::surfaces && f.a == body && f.shape_a == shape && f.part_a == part));
    };
    const auto lies_on = [&](const ShapePart& part, std::uint32_t body, std::uint32_t shape, int rim) {
      if (part.shape.core != ConvexShape::Core::cylinder || rim >= cylinder_side) return false;
      return std::any_of(contacts.begin(), contacts.end(), [&](const IslandContact& o) {
        return o.mode != ContactMode::open &&
               std::minmax(o.feature.a, o.feature.b) == std::minmax(c.feature.a, c.feature.b) &&
               (has(o, body, shape, 1 - rim) || has(o, body, shape, cylinder_side));
      });
    };
    const Feature& f = c.feature;
    if (f.kind != Feature::Kind::plane_rim && f.kind != Feature::Kind::surfaces) return false;
    return lies_on(*c.part_b, f.b, f.shape_b, f.part_b) ||
           (f.kind == Feature::Kind::surfaces && lies_on(*c.part_a, f.a, f.shape_a, f.part_a));
  };
  std::vector<double> rim_slack(contacts.size(), 0);
  std::vector<Watched> watched;
  std::vector<std::optional<double>> floors(contacts.size());  // of rims on lines: what rounding leaves at the start
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    if (contacts[k].mode == ContactMode::open) continue;
    if (contacts[k].mode == ContactMode::slide) watched.push_back({k, Limit::slip});
    if (!indeterminate) watched.push_back({k, Limit::force});
    if (!indeterminate && contacts[k].mode == ContactMode::stick && std::isfinite(contacts[k].mu_s))
      watched.push_back({k, Limit::cone});
    const bool flat_end = contacts[k].feature.kind == Feature::Kind::plane_point &&
                          contacts[k].part_b->shape.core == ConvexShape::Core::cylinder;
    if (contacts[k].feature.part_a >= 0 || flat_end) watched.push_back({k, Limit::extent});
    const IslandContact& c = contacts[k];
    if (c.feature.part_a >= 0 && lies(c)) rim_slack[k] = cone_slack(*c.part_a, *c.part_b);
    const auto turned =
        turned_down(c.feature, *c.part_a, *c.part_b, side_pose(c.a, y, start), side_pose(c.b, y, start));
    if (turned && !has_other_end(c)) {
      floors[k] = std::min(*turned, 0.0) - 1e-12;
      watched.push_back({k, Limit::flat});
    }
    if (contacts[k].feature.kind == Feature::Kind::plane_rim) watched.push_back({k, Limit::flat});
  }
  const std::size_t first_stop = contacts.size(), first_dry = first_stop + stops.size();
  for (std::size_t k = 0; k < stops.size(); ++k)
    if (!indeterminate && stops[k].mode != ContactMode::open) watched.push_back({first_stop + k, Limit::force});
  for (std::size_t k = 0; k < dry.size(); ++k) {
    if (dry[k].mode == ContactMode::slide) watched.push_back({first_dry + k, Limit::slip});
    if (!indeterminate && dry[k].mode == ContactMode::stick) watched.push_back({first_dry + k, Limit::cone});
  }
  if (watched.empty() && !indeterminate) return std::nullopt;
  const bool no_forces = std::all_of(watched.begin(), watched.end(), [](const Watched& w) {
    return w.limit == Limit::slip || w.limit == Limit::extent || w.limit == Limit::flat;
  });
  const auto values_at = [&](const VecX& at, double h) {
    const Forces f = forces(at, start + h, no_forces ? Part::frames : Part::speeds);
    std::vector<double> out;
    for (const Watched& w : watched) {
      if (w.contact >= first_dry) {
        const IslandDry& d = dry[w.contact - first_dry];
        out.push_back(w.limit == Limit::slip ? d.s * speeds(at)(d.speed)
                                             : d.limit - std::abs(f.dry_force(static_cast<At>(w.contact - first_dry))));
        continue;
      }
      if (w.contact >= first_stop) {
        out.push_back(f.stop_force(static_cast<At>(w.contact - first_stop)));
        continue;
      }
      const ContactFrame& fr = f.frames[w.contact];
      if (w.limit == Limit::slip) {
        out.push_back(fr.V.dot(contacts[w.contact].s));
        continue;
      }
      if (w.limit == Limit::extent || w.limit == Limit::flat) {
        const IslandContact& c = contacts[w.contact];
        const auto pose_of = [&](const IslandSide& side) {
          return side.place >= 0 ? f.poses[static_cast<std::size_t>(side.place)] : side.fixed->pose(start + h);
        };
        if (w.limit == Limit::flat && floors[w.contact]) {
          out.push_back(turned_down(c.feature, *c.part_a, *c.part_b, pose_of(c.a), pose_of(c.b)).value_or(0) -
                        *floors[w.contact]);
        } else if (w.limit == Limit::flat) {  // the lowest point of a rim is still on its side
          const Pose b = pose_of(c.b);
          const Vec3 axis = b.orientation * c.feature.axis;
          out.push_back(axis.cross(axis.cross(fr.n)).dot(b.orientation * c.feature.lowest));
        } else if (rim_slack[w.contact] > 0) {
          out.push_back(
              curved_extent(c.feature, *c.part_a, *c.part_b, pose_of(c.a), pose_of(c.b), rim_slack[w.contact]));
        } else {
          out.push_back(extent(c.feature, *c.part_a, *c.part_b, pose_of(c.a), pose_of(c.b)));
        }
        continue;
      }
      const double N = f.contact_force[w.contact].dot(fr.n);
      const Vec3 tangential = f.contact_force[w.contact] - N * fr.n;
      out.push_back(w.limit == Limit::force ? N : contacts[w.contact].mu_s * N - tangential.norm());
    }
    return out;
  };
  const auto values = [&](double h) { return values_at(h >= step ? y_end : state(start + h), h); };
  // Where a change is looked for, a cubic through both ends is enough; what it finds is asked again.
  VecX rate_start, rate_end;
  const auto rough = [&](double h) {
    if (uniform.size() > 0 || collocated.size() > 0) return values(h);
    if (rate_start.size() == 0) {
      rate_start = rates(y, start);
      rate_end = rates(y_end, start + step);
    }
    const double x = h / step, z = 1 - x;
    const VecX at =
        z * z * (1 + 2 * x) * y + x * x * (3 - 2 * x) * y_end + step * x * z * (z * rate_start - x * rate_end);
    return values_at(at, h);
  };
  std::optional<ModeChange> found;
  // Sign changes at the middle and at the end, then each function's own zero, the earliest of all.
  double low = 0;
  std::vector<double> before = watched.empty() ? std::vector<double>{} : values(0);
  // A contact that began without a force, because it did not open either, does not pull afterwards.
  const double weight = load_scale();
  std::vector<double> soon;
  for (std::size_t k = 0; k < watched.size(); ++k) {
    if (watched[k].limit != Limit::force || !(before[k] < 0)) continue;
    if (soon.empty()) soon = values(0.25 * step);
    if (soon[k] < before[k] && soon[k] < -1e-10 * weight) return ModeChange{start, watched[k].contact, false, true};
  }
  // Friction that was at its limit, without an acceleration of slip, does not pass it. Contacts that are at their
  // limits at the same time yield together.
  ModeChange yielding{start, 0, false, false};
  bool passes = false;
  for (std::size_t k = 0; k < watched.size(); ++k) {
    if (watched[k].limit != Limit::cone || !(before[k] < 1e-10 * weight)) continue;
    if (watched[k].contact < first_stop && contacts[watched[k].contact].settled) continue;
    if (soon.empty()) soon = values(0.25 * step);
    if (!(soon[k] < before[k] && soon[k] < -1e-12 * weight)) continue;
    const Forces f = forces(y, start, Part::speeds);
    Vec3 s = Vec3::UnitX();
    if (watched[k].contact >= first_dry) {
      if (f.dry_force(static_cast<At>(watched[k].contact - first_dry)) > 0) s = -s;
    } else {
      const Vec3 &F = f.contact_force[watched[k].contact], &n = f.frames[watched[k].contact].n;
      s = (n.dot(F) * n - F).normalized();
    }
    if (before[k] < 0 && !passes) yielding.contact = watched[k].contact;
    passes = passes || before[k] < 0;
    yielding.yields.emplace_back(static_cast<std::uint32_t>(watched[k].contact), s);
  }
  if (passes) return yielding;
  for (const double share : {0.25, 0.5, 0.75, 1.0}) {
    if (watched.empty()) break;
    double high = share * step;
    std::vector<double> after = share < 1 ? rough(high) : values(high);
    const auto crossing = [&](const std::vector<double>& v) {
      for (std::size_t k = 0; k < watched.size(); ++k)
        if (v[k] < 0 && !(before[k] < 0)) return true;
      return false;
    };
    if (share < 1 && crossing(after)) after = values(high);
    if (!crossing(after)) {
      low = high;
      for (std::size_t k = 0; k < before.size(); ++k) before[k] = std::max(before[k], after[k]);
      continue;
    }
    // Illinois on the least function that becomes negative; the bracket keeps the first change inside.
    double f_low = 0, f_high = 0, width = high - low;
    for (int i = 0; i < 200 && high - low > 2 * std::numeric_limits<double>::epsilon() * (start + high); ++i) {
      // The crossing function whose chord ends first.
      double first = high;
      for (std::size_t k = 0; k < watched.size(); ++k) {
        if (!(after[k] < 0) || before[k] < 0) continue;
        f_low = before[k];
        f_high = after[k];
        first = std::min(first, low + (high - low) * f_low / (f_low - f_high));
      }
      // Chords that hardly narrow the bracket are replaced by its middle.
      if (i % 3 == 0) width = high - low;
      double middle = i % 3 == 2 && high - low > 0.01 * width ? 0.5 * (low + high) : first;
      const double margin = 1e-3 * (high - low);
      if (i % 3 == 1) middle += middle - low < high - middle ? margin : -margin;
      middle = std::clamp(middle, low, high);
      if (middle <= low || middle >= high) middle = 0.5 * (low + high);
      if (middle <= low || middle >= high) break;
      const std::vector<double> at = values(middle);
      if (crossing(at)) {
        high = middle;
        after = at;
      } else {
        low = middle;
        before = at;
      }
    }
    ModeChange change;
    change.time = start + high;
    for (std::size_t k = 0; k < watched.size(); ++k)
      if (after[k] < 0 && !(before[k] < 0)) {
        change.contact = watched[k].contact;
        change.slip_ends = watched[k].limit == Limit::slip;
        change.opens = watched[k].limit == Limit::force;
        break;
      }
    found = change;
    break;
  }
  if (found || !indeterminate) return found;
  // Forces that are not unique decide nothing by themselves: whether the modes still have forces is asked at the end.
  const auto holds = [&](double h) {
    Island there = *this;
    there.start = start + h;
    there.y = h >= step ? y_end : state(start + h);
    static_cast<void>(there.align_flat_ends(slip_tolerance));
    const ForceAnswer answer = there.solve_modes(slip_tolerance, mode_forces);
    return answer.status == ForceAnswer::Status::solved && [&] {
      for (std::size_t k = 0; k < contacts.size(); ++k)
        if (contacts[k].mode != answer.modes[k]) return false;
      there.adopt(answer, slip_tolerance);
      for (std::size_t k = 0; k < stops.size(); ++k)
        if (stops[k].mode != there.stops[k].mode) return false;
      for (std::size_t k = 0; k < dry.size(); ++k)
        if (dry[k].mode != there.dry[k].mode) return false;
      return true;
    }();
  };
  if (holds(step)) return std::nullopt;
  double good = 0, bad = step;
  while (bad - good > 4 * std::numeric_limits<double>::epsilon() * (start + bad)) {
    const double middle = 0.5 * (good + bad);
    if (middle <= good || middle >= bad) break;
    (holds(middle) ? good : bad) = middle;
  }
  // Modes that do not even hold at the start: a contact without a force, which would pull.
  const bool at_once = bad <= 1e-9 * step;
  if (at_once && unloaded(start, slip_tolerance).empty()) return std::nullopt;  // rounding
  return ModeChange{start + bad, 0, false, at_once};
}

double Island::load_scale() const {
  double weight = 0;
  for (const IslandBody& b : bodies) weight += b.weight.norm() + b.force.norm();
  return weight;
}

std::vector<std::size_t> Island::unloaded(double t, double slip_tolerance) const {
  Island there = *this;
  there.start = t;
  there.y = state(t);
  const ForceAnswer answer = there.solve_modes(slip_tolerance, mode_forces);
  std::vector<std::size_t> out;
  if (answer.status != ForceAnswer::Status::solved) return out;
  for (std::size_t k = 0; k < contacts.size(); ++k)
    if (answer.F(3 * static_cast<At>(k)) <= 1e-9 * load_scale()) out.push_back(k);
  const At row = 3 * static_cast<At>(contacts.size() + joints.size());
  for (std::size_t k = 0; k < stops.size(); ++k)
    if (answer.F(row + static_cast<At>(k)) <= 1e-9 * load_scale() * size) out.push_back(contacts.size() + k);
  return out;
}

}  // namespace ricochet::motion
