/// A robot that lands on all its feet at once, from its state to its speeds after: kinematics, inertias, L and W of
/// every sole, the sequence of collisions and its certificate.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <limits>
#include <stdexcept>

#include "ricochet/law/chatterjee_ruina.hpp"
#include "ricochet/law/routh.hpp"
#include "ricochet/mechanism/lagrangian.hpp"
#include "ricochet/simultaneous/block_mobility.hpp"
#include "ricochet/simultaneous/sequence.hpp"
#include "robots.hpp"

namespace ricochet::bench {
namespace {

using Eigen::Index;

template <class T>
T value(Expected<T> x) {
  if (!x) throw std::logic_error("a robot that lands: " + x.error().message());
  return *std::move(x);
}

using Inertias = MassSolver (*)(const Tree&, const Kinematics&);
MassSolver linear(const Tree& tree, const Kinematics& posture) {
  return value(Articulated::at(tree, posture)).solver();
}
MassSolver dense(const Tree& tree, const Kinematics& posture) {
  return value(dense_solver(mass_matrix(tree, posture)));
}

Problem touching(const Robot& robot, const VecX& q, const Law& law, Inertias inertias) {
  const Kinematics posture = value(forward_kinematics(robot.tree, q));
  Problem problem;
  const std::size_t system = value(problem.add(inertias(robot.tree, posture), robot.u));
  for (const int foot : robot.feet) {
    const Kinematics::Place& at = posture.places[static_cast<std::size_t>(foot)];
    const Vec3 sole = at.origin + at.R * robot.sole;
    value(problem.touch(system, value(contact_point(robot.tree, posture, -1, foot, sole, Vec3::UnitZ())), law));
  }
  return problem;
}

/// All blocks of W.
MatX whole(const BlockMatrix& blocks) {
  const auto count = static_cast<Index>(blocks.start.size()) - 1;
  MatX W = MatX::Zero(3 * count, 3 * count);
  for (Index i = 0; i < count; ++i)
    for (std::size_t b = blocks.start[static_cast<std::size_t>(i)]; b < blocks.start[static_cast<std::size_t>(i) + 1];
         ++b)
      W.block<3, 3>(3 * i, 3 * static_cast<Index>(blocks.column[b])) = blocks.block[b];
  return W;
}

/// Velocities of the soles after, by a plain loop over the dense W: always the fastest approach, until none is left.
VecX expected_velocities(const Robot& robot, const Law& law) {
  const MatX& W = expected(robot).W;
  VecX V = expected(robot).V;
  const double still = 1e-13 * V.norm();
  for (int collision = 0; collision < 100000; ++collision) {
    Index fastest = 0;
    for (Index i = 1; 3 * i < V.size(); ++i)
      if (V(3 * i + 2) < V(3 * fastest + 2)) fastest = i;
    if (V(3 * fastest + 2) >= -still) return V;
    const Mat3 own = W.block<3, 3>(3 * fastest, 3 * fastest);
    const Vec3 P = value(collide(law, value(contact_from_mobility(0.5 * (own + own.transpose()),
                                                                  V.segment<3>(3 * fastest), Vec3::UnitZ()))))
                       .P;
    V += W.middleCols<3>(3 * fastest) * P;
  }
  return VecX::Constant(V.size(), std::numeric_limits<double>::quiet_NaN());
}

/// ‖V − expected‖ / ‖expected change‖ of the soles, by the speeds after.
double answer_error(const Robot& robot, const Law& law, const Resolution& answer) {
  const Kinematics posture = value(forward_kinematics(robot.tree, robot.q[0]));
  VecX V(3 * static_cast<Index>(robot.feet.size()));
  for (std::size_t i = 0; i < robot.feet.size(); ++i)
    V.segment<3>(3 * static_cast<Index>(i)) =
        point_jacobian(robot.tree, posture, robot.feet[i], expected(robot).points[i]) * answer.u;
  const VecX reference = expected_velocities(robot, law);
  return (V - reference).norm() / (reference - expected(robot).V).norm();
}

void response(benchmark::State& state, const Robot& robot, Inertias inertias) {
  const auto W = [&](std::size_t k) { return mobility(touching(robot, robot.q[k], Frictionless{}, inertias)); };
  const double error = mobility_error(robot, whole(W(0)));
  if (!(error <= mobility_tolerance)) return state.SkipWithError("W differs");
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(W(i++ % 2).block.data());
  state.counters["W off by"] = error;
}

void impact(benchmark::State& state, const Robot& robot, const Law& law, Inertias inertias) {
  const Problem first = touching(robot, robot.q[0], law, inertias);
  const Resolution answer = value(resolve(first));
  for (const ProblemContact& contact : first.contacts())
    if (!(contact.contact.approach_speed() > 0)) return state.SkipWithError("a foot does not approach");
  if (answer.status == SequenceStatus::does_not_settle || !answer.certificate.permissible)
    return state.SkipWithError("no certified answer");
  const double error = answer_error(robot, law, answer);
  if (!(error <= mobility_tolerance)) return state.SkipWithError("V after differs");
  std::size_t i = 0;
  for (auto _ : state) {
    const Resolution after = value(resolve(touching(robot, robot.q[i++ % 2], law, inertias)));
    benchmark::DoNotOptimize(after.u.data());
  }
  state.counters["contacts"] = static_cast<double>(first.contacts().size());
  state.counters["collisions"] = static_cast<double>(answer.collisions);
  state.counters["V off by"] = error;
}

}  // namespace

void register_feet() {
  const Robot& robot = lander();
  const std::pair<const char*, Law> laws[] = {
      {"chatterjee-ruina", ChatterjeeRuina{.e = 0.5, .mu = 0.4}},
      {"routh", Routh{.e = 0.5, .mu = 0.4, .restitution = Restitution::stronge}}};
  const std::pair<const char*, Inertias> ways[] = {{"linear time", linear}, {"dense", dense}};
  for (const auto& [way, inertias] : ways) {
    benchmark::RegisterBenchmark(fmt::format("feet/ricochet, {}, L and W", way).c_str(),
                                 [&robot, w = inertias](benchmark::State& s) { response(s, robot, w); });
    for (const auto& [name, law] : laws)
      benchmark::RegisterBenchmark(fmt::format("feet/ricochet, {}, {}", way, name).c_str(),
                                   [&robot, l = law, w = inertias](benchmark::State& s) { impact(s, robot, l, w); });
  }
}

}  // namespace ricochet::bench
