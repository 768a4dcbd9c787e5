#pragma once
/// Sensitivities of a motion as JSON and as a short text, docs/derivatives.md.

#include <string>

#include "ricochet/io/json.hpp"
#include "ricochet/motion/sensitivity.hpp"

namespace ricochet {

/// "ball.velocity", "gravity", "e", or "law[2].e" where the world has several laws.
[[nodiscard]] std::string name_of(const motion::SensitivityInput& input, const motion::World& world);

[[nodiscard]] Json to_json(const motion::Sensitivity& sensitivity, const motion::World& world);

/// Derivatives of the positions at the end by gravity, masses and parameters, or why there are none.
[[nodiscard]] std::string to_text(const motion::Sensitivity& sensitivity, const motion::World& world);

}  // namespace ricochet
