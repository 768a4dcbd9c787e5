#pragma once
/// First crossings of quartic gaps (docs/motion.md): the same events by several methods, timed and counted.

#include <benchmark/benchmark.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "motion/gap_families.hpp"

namespace ricochet::bench {

struct Crossing {
  motion::testing::Gap gap;
  motion::FirstCrossing exact;
};

inline constexpr double nothing = std::numeric_limits<double>::infinity();

/// 1024 quartics of a family.
const std::vector<Crossing>& crossings(motion::testing::Family family);

inline constexpr motion::testing::Family crossing_families[] = {
    motion::testing::Family::ordinary,      motion::testing::Family::spheres,
    motion::testing::Family::parted,        motion::testing::Family::near_double,
    motion::testing::Family::thin_obstacle, motion::testing::Family::off_by_one_unit,
    motion::testing::Family::two_events,    motion::testing::Family::repeated_quadratic};

/// `locate(gap)` gives the time of the event, `nothing`, or not a number where it failed. Counts over the events of the
/// set: missed, found only at a later crossing, and events that are none. `tolerance` is a share of T.
template <class Locate>
void run_crossings(benchmark::State& state, motion::testing::Family family, double tolerance, const Locate& locate) {
  const auto& all = crossings(family);
  double events = 0, missed = 0, late = 0, invented = 0, failed = 0;
  for (const Crossing& one : all) {
    const double t = locate(one.gap);
    if (std::isnan(t)) {
      ++failed;
      continue;
    }
    if (one.exact.kind != motion::CrossingKind::crosses) {
      invented += t != nothing;
      continue;
    }
    ++events;
    missed += t == nothing;
    late += t != nothing && t > one.exact.time + tolerance * one.gap.T;
    invented += t < one.exact.time - tolerance * one.gap.T;
  }
  state.counters["events"] = events;
  state.counters["missed"] = missed;
  state.counters["late"] = late;
  state.counters["invented"] = invented;
  state.counters["failed"] = failed;
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(locate(all[i].gap));
    i = (i + 1) % all.size();
  }
}

[[nodiscard]] inline std::string crossing_row(motion::testing::Family family, const std::string& method) {
  return "crossing/" + std::string(motion::testing::name(family)) + "/" + method;
}

}  // namespace ricochet::bench
