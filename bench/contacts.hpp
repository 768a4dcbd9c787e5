#pragma once
/// Many contacts at once: one graph for every solver, and what is measured of each.

#include <optional>
#include <string>

#include "ricochet/simultaneous/problem.hpp"

namespace ricochet::bench {

/// n × n × n touching balls, struck by one: 3 n² (n − 1) + 1 contacts, all with the same e and μ.
struct Crystal {
  Arrangement arrangement;
  double radius = 0.01, striker_radius = 0.02;
  double e = 0.5, mu = 0.2;
};
[[nodiscard]] Crystal crystal(std::size_t n);

/// What a solver made of it.
struct Answer {
  double seconds = 0;
  std::vector<RigidBody> bodies;  ///< after
  std::string note;
};

#ifdef BENCH_BULLET
[[nodiscard]] std::optional<Answer> by_bullet(const Crystal& crystal, int iterations);
#endif
#ifdef BENCH_MUJOCO
[[nodiscard]] std::optional<Answer> by_mujoco(const Crystal& crystal);
#endif

}  // namespace ricochet::bench
