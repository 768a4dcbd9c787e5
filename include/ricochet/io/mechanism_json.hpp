#pragma once
/// Impacts of mechanisms as JSON.

#include "ricochet/io/json.hpp"
#include "ricochet/scene/mechanism_impact.hpp"

namespace ricochet {

[[nodiscard]] Json to_json(const VecX& x);
[[nodiscard]] Json to_json(const std::vector<CandidateContact>& found);
[[nodiscard]] Json to_json(const PlanarAnswer& answer);
/// Shapes with their place in the world.
[[nodiscard]] Json to_json(const std::vector<LinkShape>& shapes);

}  // namespace ricochet
