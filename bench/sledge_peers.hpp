#pragma once
/// One spring-sledge impact by different means, on the same contacts, with what each gets wrong.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "problems.hpp"
#include "ricochet/law/spring_sledge.hpp"
#include "ricochet/law/spring_sledge_kernel.hpp"

namespace ricochet::bench {

/// Stiffness ratio of like spheres with Poisson's ratio 0.3, friction and restitution of the problem.
inline SpringSledge sledge_of(const Problem& p) { return {.mu = p.mu, .e = std::max(p.e, 0.1)}; }

struct SledgeImpulse {
  Vec3 P = Vec3::Zero();  ///< local axes
  bool ok = false;
};

inline constexpr std::size_t judged = 256;

/// Times `by` on the problems, and judges the first ones against the law in extended precision, in units of ‖M V‖.
template <class By>
void run_sledge(benchmark::State& state, const std::vector<Problem>& problems, By by) {
  std::size_t i = 0;
  for (auto _ : state) {
    const Problem& p = problems[i++ % judged];
    const SledgeImpulse impulse = by(sledge_of(p), p.local);
    benchmark::DoNotOptimize(impulse);
  }
  std::vector<double> errors;
  double failed = 0;
  for (std::size_t k = 0; k < judged; ++k) {
    const Problem& p = problems[k];
    const SledgeImpulse impulse = by(sledge_of(p), p.local);
    const auto exact = solve(sledge_of(p), localize<long double>(p.contact));
    if (!impulse.ok) {
      ++failed;
      continue;
    }
    errors.push_back((impulse.P - exact.P.cast<double>()).norm() / (p.contact.M * p.contact.V).norm());
  }
  std::sort(errors.begin(), errors.end());
  state.counters["median error"] = errors.empty() ? 0 : errors[errors.size() / 2];
  state.counters["largest error"] = errors.empty() ? 0 : errors.back();
  state.counters["failed"] = failed;
}

}  // namespace ricochet::bench
