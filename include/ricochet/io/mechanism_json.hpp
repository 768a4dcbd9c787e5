#pragma once
/// Impacts of mechanisms as JSON.

#include "ricochet/io/json.hpp"
#include "ricochet/mechanism/impact_derivatives.hpp"
#include "ricochet/scene/landing.hpp"
#include "ricochet/scene/mechanism_impact.hpp"
#include "ricochet/scene/strike_together.hpp"

namespace ricochet {

[[nodiscard]] Json to_json(const VecX& x);
[[nodiscard]] Json to_json(const std::vector<CandidateContact>& found);
[[nodiscard]] Json to_json(const PlanarAnswer& answer);
/// Shapes with their place in the world.
[[nodiscard]] Json to_json(const std::vector<LinkShape>& shapes);
[[nodiscard]] Json to_json(const RobotDescription& robot);
[[nodiscard]] Json to_json(const Landing& landing);
/// "derivatives": {"u": {"u": rows, "q": rows, "e": list, …}}, or null with "kink".
[[nodiscard]] Json to_json(const ImpactDerivatives& derivatives);
/// "struck", "method", "answers", "ensemble".
[[nodiscard]] Json to_json(const MechanismImpact& impact, const Together& together);

}  // namespace ricochet
