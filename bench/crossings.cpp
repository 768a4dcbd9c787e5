/// First crossings of quartics: certified, and by sign changes at equal steps.

#include "crossings.hpp"

#include <map>

#include "problems.hpp"

namespace ricochet::bench {

const std::vector<Crossing>& crossings(motion::testing::Family family) {
  static std::map<motion::testing::Family, std::vector<Crossing>> sets;
  std::vector<Crossing>& set = sets[family];
  if (set.empty()) {
    motion::testing::GapSource source(1 + static_cast<std::uint64_t>(family));
    while (set.size() < count) {
      Crossing one{source.draw(family, 4), {}};
      one.exact = motion::testing::first_crossing_of(one.gap);
      // What begins below zero or on a crossing needs no search.
      const bool begins = one.exact.kind == motion::CrossingKind::crosses && one.exact.time == 0;
      if (one.exact.kind != motion::CrossingKind::starts_negative && !begins) set.push_back(one);
    }
  }
  return set;
}

namespace {

using motion::testing::Family;
using motion::testing::Gap;

double certified(const Gap& gap) {
  const auto hit = motion::first_crossing<4>({gap.c[0], gap.c[1], gap.c[2], gap.c[3], gap.c[4]}, gap.T);
  return hit.kind == motion::CrossingKind::crosses ? hit.time : nothing;
}

/// The first of `steps` equal steps that ends below zero, and the event halved down within it.
double by_steps(const Gap& gap, int steps) {
  const auto value = [&](double t) {
    return (((gap.c[4] * t + gap.c[3]) * t + gap.c[2]) * t + gap.c[1]) * t + gap.c[0];
  };
  double before = 0;
  for (int k = 1; k <= steps; ++k) {
    double after = gap.T * k / steps;
    if (value(after) < 0) {
      for (int i = 0; i < 50; ++i) {
        const double middle = 0.5 * (before + after);
        (value(middle) < 0 ? after : before) = middle;
      }
      return before;
    }
    before = after;
  }
  return nothing;
}

}  // namespace

void register_crossings() {
  for (const Family family : crossing_families) {
    benchmark::RegisterBenchmark(crossing_row(family, "ricochet").c_str(),
                                 [family](benchmark::State& state) { run_crossings(state, family, 0, certified); });
    for (const int steps : {10, 100, 1000})
      benchmark::RegisterBenchmark(crossing_row(family, "sign changes, " + std::to_string(steps) + " steps").c_str(),
                                   [family, steps](benchmark::State& state) {
                                     run_crossings(state, family, 1e-6,
                                                   [steps](const Gap& gap) { return by_steps(gap, steps); });
                                   });
  }
}

}  // namespace ricochet::bench
