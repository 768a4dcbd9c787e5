#pragma once
/// Rigid bodies that hinges connect, as one mechanism with u = (v, ω) of each body in turn.

#include <vector>

#include "ricochet/mechanism/response.hpp"
#include "ricochet/simultaneous/body_scene.hpp"

namespace ricochet {

/// Bodies of each connected set, in ascending order; fixed bodies connect nothing and are in none.
[[nodiscard]] std::vector<std::vector<std::size_t>> connected_by_hinges(const BodyScene& scene);

/// Of every body in world axes; zero for a fixed one.
[[nodiscard]] Expected<std::vector<Mat3>> inverse_inertias(const BodyScene& scene);

struct HingedBodies {
  MassSolver solve;  ///< with the hinges closed, (G8) of docs/mechanisms.md
  VecX u;
};

/// Fails ("hinge 2") where the two bodies of a hinge move apart there by more than 1e-9 of the largest speed. `inverse`
/// has the inverse inertia of every body of the scene, in world axes.
[[nodiscard]] Expected<HingedBodies> hinged_bodies(const BodyScene& scene, const std::vector<std::size_t>& members,
                                                   const std::vector<Mat3>& inverse);

}  // namespace ricochet
