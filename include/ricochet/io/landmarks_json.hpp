#pragma once
/// Impulse space of a collision as JSON.

#include "ricochet/io/json.hpp"
#include "ricochet/scene/landmarks.hpp"

namespace ricochet {

[[nodiscard]] Json to_json(const Landmarks& landmarks);
[[nodiscard]] Json to_json(const Extremes& extremes);

}  // namespace ricochet
