#pragma once
/// The contacts that everything here is timed on: fixed seeds, so that two runs and two programs see the same numbers.

#include <vector>

#include "ricochet/contact/contact.hpp"

namespace ricochet::bench {

struct Problem {
  Contact contact;
  Local<double> local;
  double mu, e, e_t;
};

inline constexpr std::size_t count = 1024;  ///< a power of two

/// Random mass matrices and normals, V uniform over directions at more than 0.01 rad to the surface, 0.1 ≤ μ ≤ 1,
/// 0 ≤ e ≤ 1, −1 ≤ e_t ≤ 1. No special cases: every contact slips at first, none grazes.
const std::vector<Problem>& typical();   ///< cond(M) ≤ 10
const std::vector<Problem>& hard();      ///< cond(M) ≤ 1e4
const std::vector<Problem>& planar();    ///< cond(M) ≤ 10, axis 3 uncoupled
const std::vector<Problem>& diagonal();  ///< cond(M) ≤ 10, M diagonal in the contact frame

/// Called by main before the benchmarks run.
void register_laws();
void register_batch();
void register_bullet();
void register_cvode();
void register_mujoco();
void register_ode();
void register_odeint();
void register_siconos();
void register_sledge();
void register_cvode_sledge();
void register_crossings();
void register_cvode_crossings();

/// The first few problems for engines that keep a whole world for each.
inline constexpr std::size_t worlds = 64;

}  // namespace ricochet::bench
