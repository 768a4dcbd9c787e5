#pragma once
/// Properties of a collision's impulse space that do not depend on a law.

#include "ricochet/scene/collision.hpp"
#include "ricochet/space/impulse_space.hpp"

namespace ricochet {

struct Landmarks {
  ImpulseSpace space;
  Certificate P_I, P_II;
};

/// Quantities found by search, which cost more than all others together.
struct Extremes {
  Expected<Rebound> highest;
  Expected<CentroidResult<double>> centre;
};

/// Fails without mu, and for a separating contact.
[[nodiscard]] Expected<Landmarks> landmarks_of(const Collision& collision);

[[nodiscard]] Extremes extremes_of(const Landmarks& landmarks);

}  // namespace ricochet
