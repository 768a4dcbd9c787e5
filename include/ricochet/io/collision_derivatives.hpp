#pragma once
/// Derivatives and uncertainty of an answer as JSON, docs/derivatives.md.

#include "ricochet/io/json.hpp"
#include "ricochet/scene/answer.hpp"

namespace ricochet {

/// {"P": {"V": [[…],[…],[…]], "e": […], …}, "V": {…}, "energy_change": {…}}; null for what the law does not tell.
[[nodiscard]] Json to_json(const Derivatives& derivatives);

/// The keys that derivatives add to an answer: "derivatives" with "mode_change" or "kink", "one_sided", "uncertainty".
[[nodiscard]] Json to_json(const DerivativeAnswer& answer);

}  // namespace ricochet
