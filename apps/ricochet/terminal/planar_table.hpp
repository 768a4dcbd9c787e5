#pragma once
/// Answers of the planar closed forms as text for display.

#include <span>
#include <string>

#include "ricochet/scene/planar_answer.hpp"

namespace ricochet::app {

/// One row for each method.
[[nodiscard]] std::string planar_table(std::span<const PlanarAnswer> answers);
/// The states of one impact.
[[nodiscard]] std::string planar_states(const PlanarOutcome& outcome);

}  // namespace ricochet::app
