#pragma once
/// Many contacts at once: one graph for every solver, and what is measured of each.

#include <optional>
#include <string>

#include "ricochet/simultaneous/assemble.hpp"

namespace ricochet::bench {

/// n × n × n touching balls, struck by one: 3 n² (n − 1) + 1 contacts, all with the same e and μ.
struct Crystal {
  BodyScene arrangement;
  double radius = 0.01, striker_radius = 0.02;
  double e = 0, mu = 0;
};
[[nodiscard]] Crystal crystal(std::size_t n, double e, double mu);

/// Result of a solver.
struct Answer {
  double seconds = 0;
  std::vector<RigidBody> bodies;  ///< after; empty where there is no answer
  std::string note;               ///< a remark on this answer, or the reason why there is none
};

#ifdef BENCH_COMPLEMENTARITY
/// Siconos NSGS by itself: Coulomb friction and Newton's e on W in sparse blocks.
[[nodiscard]] Answer by_siconos(const Crystal& crystal);
#endif
#ifdef BENCH_BULLET
[[nodiscard]] Answer by_bullet(const Crystal& crystal, int iterations);
#endif
#ifdef BENCH_MUJOCO
enum class MujocoSolver : std::uint8_t { newton, conjugate_gradients };
[[nodiscard]] Answer by_mujoco(const Crystal& crystal, MujocoSolver solver);
#endif
#ifdef BENCH_SIMBODY
/// PLUS (Uchida, Sherman and Delp 2015) as Simbody's time stepper drives it: compression, expansion, correction.
[[nodiscard]] Answer by_simbody(const Crystal& crystal);
#endif

}  // namespace ricochet::bench
