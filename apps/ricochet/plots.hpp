#pragma once
/// The constructions that can be drawn of any collision.

#include <span>
#include <string_view>

#include "answers.hpp"
#include "ricochet/report/plot.hpp"

namespace ricochet::app {

/// "impulse-plane", "impulse-solid", "energy", "velocity", "process", "forces", "before", "after".
[[nodiscard]] std::span<const std::string_view> plot_kinds();

/// `asked`: the laws to show, in kinds that hold several; none: every law that has an answer. Kinds of one law show the
/// first of `asked`, or else routh, or the first that has an answer. "process" and "forces" name their laws themselves.
[[nodiscard]] Expected<Plot> plot_of(Answers& answers, std::string_view kind, std::span<const std::string_view> asked);

/// The section with what some laws reach and where some laws land.
[[nodiscard]] Expected<Plot> impulse_plane_of(Answers& answers, std::span<const std::string_view> reaching,
                                              std::span<const std::string_view> answering);

}  // namespace ricochet::app
