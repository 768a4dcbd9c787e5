#pragma once
/// What there is to know about a collision's impulse space before any law is asked.

#include "collision.hpp"
#include "ricochet/space/impulse_space.hpp"
#include "to_json.hpp"

namespace ricochet::app {

struct Landmarks {
  ImpulseSpace space;
  Certificate P_I, P_II;
  Expected<Rebound> highest;
  Expected<CentroidResult<double>> centre;
};

/// Fails without mu, and where there is no impulse space to speak of.
[[nodiscard]] Expected<Landmarks> landmarks_of(const Collision& collision);

[[nodiscard]] Json to_json(const Landmarks& landmarks);

}  // namespace ricochet::app
