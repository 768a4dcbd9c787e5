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

Vec3 sole(const Robot& robot, const Posture& posture) {
  const Posture::Place& at = posture.places[static_cast<std::size_t>(robot.foot)];
  return at.origin + at.R * robot.sole;
}

/// W, L and V by the mass matrix and its Cholesky factor.
Response dense(const Robot& robot, const VecX& q) {
  const Posture posture = value(place(robot.tree, q));
  const ContactPoint at =
      value(contact_point(robot.tree, posture, -1, robot.foot, sole(robot, posture), Vec3::UnitZ()));
  return value(respond(value(dense_solver(mass_matrix(robot.tree, posture))), at, robot.u));
}

/// The same by sweeps over the tree.
Response linear(const Robot& robot, const VecX& q) {
  const Posture posture = value(place(robot.tree, q));
  const Articulated articulated = value(Articulated::at(robot.tree, posture));
  const Vec3 point = sole(robot, posture);
  Response r;
  const Articulated::Propagated hit = value(articulated.propagate(-1, robot.foot, point));
  r.L = hit.L;
  r.W = hit.W;
  r.u = robot.u;
  r.V = point_jacobian(robot.tree, posture, robot.foot, point) * robot.u;
  r.contact = value(contact_from_mobility(r.W, r.V, Vec3::UnitZ()));
  return r;
}

VecX struck(const Response& r) {
  return r.after(value(collide(Routh{.e = 0.5, .mu = 0.4, .restitution = Restitution::stronge}, r.contact)).P);
}

using Way = Response (*)(const Robot&, const VecX&);

void response(benchmark::State& state, const Robot& robot, Way way) {
  const double error = mobility_error(robot, way(robot, robot.q[0]).W);
  if (!(error <= mobility_tolerance)) return state.SkipWithError("W differs");
  std::size_t i = 0;
  for (auto _ : state) {
    const Response r = way(robot, robot.q[i++ % 2]);
    benchmark::DoNotOptimize(r.W);
  }
  state.counters["W off by"] = error;
}

void impact(benchmark::State& state, const Robot& robot, Way way) {
  std::size_t i = 0;
  for (auto _ : state) {
    const VecX u = struck(way(robot, robot.q[i++ % 2]));
    benchmark::DoNotOptimize(u.data());
  }
}

void add(const char* name, Way way) {
  for (const Robot& robot : robots()) {
    const auto full = [&](const char* what) { return fmt::format("mechanism/{}/{}, {}", robot.dof(), name, what); };
    benchmark::RegisterBenchmark(full("L and W").c_str(), [&robot, way](benchmark::State& s) { response(s, robot, way); });
    benchmark::RegisterBenchmark(full("impact").c_str(), [&robot, way](benchmark::State& s) { impact(s, robot, way); });
  }
}

}  // namespace

const std::vector<Robot>& robots() {
  static const std::vector<Robot> list = [] {
    std::vector<Robot> made{chain("double pendulum", 2, 1), walker("biped", 2, 3), walker("five limbs", 5, 6),
                            chain("chain", 1000, 0.1)};
    for (Robot& robot : made)
      if (linear(robot, robot.q[0]).V.z() > 0) robot.u = -robot.u;
    return made;
  }();
  return list;
}

const Struck& expected(const Robot& robot) {
  static std::map<std::string, Struck> known;
  const auto found = known.find(robot.name);
  if (found != known.end()) return found->second;
  return known[robot.name] = {sole(robot, value(place(robot.tree, robot.q[0]))), dense(robot, robot.q[0]).W};
}

double mobility_error(const Robot& robot, const Mat3& W) {
  const Mat3& reference = expected(robot).W;
  return (W - reference).norm() / reference.norm();
}

void register_mechanisms() {
  add("ricochet, linear time", linear);
  add("ricochet, dense", dense);
}

}  // namespace ricochet::bench
