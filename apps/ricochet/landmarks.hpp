#pragma once
/// What there is to know about a collision's impulse space before any law is asked.

#include "collision.hpp"
#include "ricochet/space/impulse_space.hpp"
#include "to_json.hpp"

namespace ricochet::app {

struct Landmarks {
  ImpulseSpace space;
  Certificate P_I, P_II;
};

/// What has to be searched for, and costs more than everything else together.
struct Extremes {
  Expected<Rebound> highest;
  Expected<CentroidResult<double>> centre;
};

/// Fails without mu, and where there is no impulse space to speak of.
[[nodiscard]] Expected<Landmarks> landmarks_of(const Collision& collision);

[[nodiscard]] Extremes extremes_of(const Landmarks& landmarks);

[[nodiscard]] Json to_json(const Landmarks& landmarks);
[[nodiscard]] Json to_json(const Extremes& extremes);

}  // namespace ricochet::app
