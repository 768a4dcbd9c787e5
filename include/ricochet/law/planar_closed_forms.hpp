#pragma once
/// The closed forms for planar impacts of mechanisms (M11, ST98) as rows of the table of laws. They act on generalised
/// speeds (mechanism/planar_impact.hpp) and are asked by `ricochet impact`; docs/mechanisms.md says why they are not
/// laws of a contact.

#include <array>
#include <span>
#include <string_view>
#include <tuple>

#include "ricochet/law/law_table.hpp"

namespace ricochet {

/// Binds the parameters that all of them have.
template <class L>
struct PlanarParameters {
  static constexpr std::array parameters{
      ParameterInfo{.name = "e", .bounds = between(0, 1), .meaning = "restitution, in the sense of the method"},
      ParameterInfo{.name = "mu", .bounds = finite_from(0), .meaning = "sliding friction coefficient"},
      ParameterInfo{.name = "mu_s",
                    .bounds = at_least(0),
                    .not_below = "mu",
                    .default_value = same_as("mu"),
                    .meaning = "sticking friction coefficient"}};
  static constexpr std::tuple members{&L::e, &L::mu, &L::mu_s};
};

/// morgan, shen-townsend, conventional and conventional-reversed.
[[nodiscard]] std::span<const LawInfo> planar_closed_forms();
[[nodiscard]] const LawInfo* find_planar_closed_form(std::string_view name);

}  // namespace ricochet
