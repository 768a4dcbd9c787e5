/// The spring-sledge contact: exact phases, and the time-stepping of particle codes.

#include <cmath>
#include <string>

#include "sledge_peers.hpp"

namespace ricochet::bench {
namespace {

SledgeImpulse by_phases(const SpringSledge& law, const Local<double>& local) {
  const auto s = solve(law, local);
  return {s.P, s.termination == Termination::force_released};
}

/// Semi-implicit Euler with the tangential spring cut back to the cone after every step, `steps` of them for the
/// duration of a frictionless impact.
SledgeImpulse by_stepping(const SpringSledge& law, const Local<double>& local, int steps) {
  const auto p = sledge::spatial_problem(law, local);
  const double h = 3.14159265358979 / steps, unload = 1 / (law.e * law.e);
  Vec3 v(-1, p.v_t(0), p.v_t(1)), P = Vec3::Zero();
  Vec2 xi = Vec2::Zero();
  double depth = 0, deepest = 0;
  for (long i = 0; i < 200L * steps; ++i) {
    depth -= h * v(0);
    xi += h * Vec2(v(1), v(2));
    deepest = std::max(deepest, depth);
    const double N = depth < deepest ? unload * (depth - deepest * (1 - law.e * law.e)) : depth;
    if (N <= 0 && i > 0) return {P * (-local.V(0) / local.W(0, 0)), true};
    const double most = law.mu * N / law.kappa, length = xi.norm();
    if (length > most) xi *= most / length;
    const Vec3 F(N, -law.kappa * xi(0), -law.kappa * xi(1));
    v += h * (p.A * F);
    P += h * F;
  }
  return {};
}

void add(const std::string& set, const std::vector<Problem>& (*problems)()) {
  benchmark::RegisterBenchmark(("sledge/" + set + "/ricochet").c_str(),
                               [=](benchmark::State& state) { run_sledge(state, problems(), by_phases); });
  for (const int steps : {1000, 100000})
    benchmark::RegisterBenchmark(
        ("sledge/" + set + "/time-stepping, " + std::to_string(steps) + " steps").c_str(),
        [=](benchmark::State& state) {
          run_sledge(state, problems(),
                     [steps](const SpringSledge& law, const Local<double>& c) { return by_stepping(law, c, steps); });
        });
}

}  // namespace

void register_sledge() {
  add("planar", planar);
  add("space", typical);
}

}  // namespace ricochet::bench
