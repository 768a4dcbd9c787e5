#pragma once
/// The constructions that can be drawn of any collision.

#include <span>
#include <string_view>
#include <vector>

#include "answer.hpp"
#include "ricochet/report/plot.hpp"

namespace ricochet::app {

/// "impulse-plane", "impulse-solid", "energy", "velocity", "process", "forces", "before", "after".
[[nodiscard]] std::span<const std::string_view> plot_kinds();

/// `laws`: those to show, in kinds that hold several; none: every law that has an answer. Kinds of one law show the
/// first of `laws`, or else routh, or the first that has an answer. "process" and "forces" name their laws themselves.
[[nodiscard]] Expected<Plot> plot_of(const Collision& collision, std::string_view kind,
                                     std::span<const std::string_view> laws);

/// The section with what some laws reach and where some laws land.
[[nodiscard]] Expected<Plot> impulse_plane_of(const Collision& collision, std::span<const std::string_view> reaching,
                                              std::span<const std::string_view> answering);

/// The impulse's way from 0 to P, input coordinates: curved where it is, else straight from event to event. `answer`
/// must have an outcome.
[[nodiscard]] std::vector<Vec3> path_of(const Collision& collision, const Answer& answer);

}  // namespace ricochet::app
