#pragma once
/// The constructions that can be drawn of any collision.

#include <span>
#include <string_view>

#include "ricochet/report/impulse_plane.hpp"
#include "ricochet/report/plot.hpp"
#include "ricochet/scene/answers.hpp"

namespace ricochet {

/// "impulse-plane", "impulse-solid", "energy", "velocity", "process", "forces", "before", "after".
[[nodiscard]] std::span<const std::string_view> plot_kinds();

/// What a screen shows on the section beside the answers.
struct PlaneExtras {
  std::vector<Reach> reaches = {};
  bool own_e = false;        ///< the restitution line of the collision's own e stands out
  bool short_names = false;  ///< as in ImpulsePlaneOptions
  bool only_asked = false;   ///< kinds that hold several laws show none where none is asked for
};

/// `asked`: the laws to show, in kinds that hold several; none: every law that has an answer. Kinds of one law show the
/// first of `asked`, or else routh, or the first that has an answer. "process" and "forces" name their laws themselves.
[[nodiscard]] Expected<Plot> plot_of(Answers& answers, std::string_view kind, std::span<const std::string_view> asked,
                                     PlaneExtras extras = {});

/// What each of the laws reaches; fails where one of them cannot take the collision's parameters.
[[nodiscard]] Expected<std::vector<Reach>> reaches_of(const Collision& collision,
                                                      std::span<const std::string_view> laws);

/// The section with the reach and the answers of some laws.
[[nodiscard]] Expected<Plot> impulse_plane_of(Answers& answers, PlaneExtras extras,
                                              std::span<const std::string_view> answering);

}  // namespace ricochet
