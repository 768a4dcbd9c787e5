/// The impact of a mechanism from its state to its speeds after: dense, and in linear time.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <map>
#include <stdexcept>

#include "ricochet/law/collide.hpp"
#include "ricochet/law/routh.hpp"
#include "ricochet/mechanism/lagrangian.hpp"
#include "robots.hpp"

namespace ricochet::bench {
namespace {

template <class T>
T value(Expected<T> x) {
  if (!x) throw std::logic_error("a benchmark mechanism: " + x.error().message());
  return *std::move(x);
}

Vec3 sole(const Robot& robot, int foot, const Kinematics& posture) {
  const Kinematics::Place& at = posture.places[static_cast<std::size_t>(foot)];
  return at.origin + at.R * robot.sole;
}

/// Response to unit impulses at the sole of the first foot.
struct Propagated {
  Kinematics posture;
  Vec3 point;
  MatX J, L;
  Mat3 W;
};

/// By the mass matrix and its Cholesky factor.
Propagated dense(const Robot& robot, const VecX& q) {
  Propagated out;
  out.posture = value(forward_kinematics(robot.tree, q));
  out.point = sole(robot, robot.feet[0], out.posture);
  out.J = point_jacobian(robot.tree, out.posture, robot.feet[0], out.point);
  out.L = value(dense_solver(mass_matrix(robot.tree, out.posture)))(out.J.transpose());
  out.W = out.J * out.L;
  return out;
}

/// By sweeps over the tree.
Propagated linear(const Robot& robot, const VecX& q) {
  Propagated out;
  out.posture = value(forward_kinematics(robot.tree, q));
  out.point = sole(robot, robot.feet[0], out.posture);
  auto hit = value(value(Articulated::at(robot.tree, out.posture)).propagate(-1, robot.feet[0], out.point));
  out.L = std::move(hit.L);
  out.W = hit.W;
  return out;
}

Vec3 velocity(const Robot& robot, const Propagated& p) {
  return (p.J.size() > 0 ? p.J : point_jacobian(robot.tree, p.posture, robot.feet[0], p.point)) * robot.u;
}

VecX struck(const Robot& robot, const Propagated& p) {
  const Contact contact = value(contact_from_mobility(p.W, velocity(robot, p), Vec3::UnitZ()));
  const Routh law{.e = 0.5, .mu = 0.4, .restitution = Restitution::stronge};
  return robot.u + p.L * value(collide(law, contact)).P;
}

using Trajectory = Propagated (*)(const Robot&, const VecX&);

void response(benchmark::State& state, const Robot& robot, Trajectory way) {
  const double error = mobility_error(robot, way(robot, robot.q[0]).W);
  if (!(error <= mobility_tolerance)) return state.SkipWithError("W differs");
  std::size_t i = 0;
  for (auto _ : state) {
    const Propagated p = way(robot, robot.q[i++ % 2]);
    benchmark::DoNotOptimize(p.W);
  }
  state.counters["W off by"] = error;
}

void impact(benchmark::State& state, const Robot& robot, Trajectory way) {
  std::size_t i = 0;
  for (auto _ : state) {
    const VecX u = struck(robot, way(robot, robot.q[i++ % 2]));
    benchmark::DoNotOptimize(u.data());
  }
}

void add(const char* name, Trajectory way) {
  for (const Robot& robot : robots()) {
    const auto full = [&](const char* what) { return fmt::format("mechanism/{}/{}, {}", robot.dof(), name, what); };
    benchmark::RegisterBenchmark(full("L and W").c_str(),
                                 [&robot, way](benchmark::State& s) { response(s, robot, way); });
    benchmark::RegisterBenchmark(full("impact").c_str(), [&robot, way](benchmark::State& s) { impact(s, robot, way); });
  }
}

}  // namespace

const std::vector<Robot>& robots() {
  static const std::vector<Robot> list = [] {
    std::vector<Robot> made{chain("double pendulum", 2, 1), walker("biped", 2, 3), walker("five limbs", 5, 6),
                            chain("chain", 1000, 0.1)};
    for (Robot& robot : made)
      if (velocity(robot, linear(robot, robot.q[0])).z() > 0) robot.u = -robot.u;
    return made;
  }();
  return list;
}

const Robot& lander() {
  static const Robot robot = standing("five limbs on a floor", 5, 6);
  return robot;
}

const MechanismImpact& expected(const Robot& robot) {
  static std::map<std::string, MechanismImpact> known;
  const auto found = known.find(robot.name);
  if (found != known.end()) return found->second;
  MechanismImpact out;
  const Kinematics posture = value(forward_kinematics(robot.tree, robot.q[0]));
  MatX J(3 * robot.feet.size(), robot.dof());
  for (const int foot : robot.feet) {
    J.middleRows<3>(3 * static_cast<Eigen::Index>(out.points.size())) =
        point_jacobian(robot.tree, posture, foot, sole(robot, foot, posture));
    out.points.push_back(sole(robot, foot, posture));
  }
  out.V = J * robot.u;
  out.W = J * value(dense_solver(mass_matrix(robot.tree, posture)))(J.transpose());
  return known[robot.name] = out;
}

double mobility_error(const Robot& robot, const MatX& W) {
  const MatX& reference = expected(robot).W;
  return (W - reference).norm() / reference.norm();
}

void register_mechanisms() {
  add("ricochet, linear time", linear);
  add("ricochet, dense", dense);
}

}  // namespace ricochet::bench
