#pragma once
/// What the planar closed forms say to an impact of a mechanism (docs/mechanisms.md), beside the laws of the registry.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/law/registry.hpp"
#include "ricochet/mechanism/planar_impact.hpp"
#include "to_json.hpp"

namespace ricochet::app {

struct PlanarAnswer {
  std::string_view law;
  Expected<PlanarOutcome> outcome;
};

/// "morgan", "shen-townsend", "conventional", "conventional-reversed".
[[nodiscard]] std::span<const std::string_view> planar_laws();
[[nodiscard]] bool is_planar_law(std::string_view name);

/// The contact in its plane, which the slip spans with the normal. Fails where the impulse would leave it.
[[nodiscard]] Expected<PlanarProblem> in_its_plane(const Response& response);

[[nodiscard]] PlanarAnswer ask_planar(std::string_view law, const Settings& settings, const PlanarProblem& problem);

/// One row for each method.
[[nodiscard]] std::string planar_table(std::span<const PlanarAnswer> answers);
/// The states that one impact passes.
[[nodiscard]] std::string planar_states(const PlanarOutcome& outcome);
[[nodiscard]] Json to_json(const PlanarAnswer& answer);

}  // namespace ricochet::app
