#pragma once
/// The parameters of the spring-sledge contact as data.

#include <array>
#include <tuple>

#include "ricochet/base/parameter.hpp"
#include "ricochet/compliant/sledge_problem.hpp"

namespace ricochet {

struct SpringSledgeParameters {
  /// In the order of compliant::Damper.
  static constexpr std::array<std::string_view, 3> dampers{"hysteretic", "linear", "hunt-crossley"};
  static constexpr std::array parameters{
      ParameterInfo{.name = "kappa",
                    .bounds = finite_above(0),
                    .default_value = default_number(14.0 / 17.0, "14/17"),
                    .meaning = "tangential over normal stiffness",
                    .hint = "routh is the limit of a rigid surface"},
      ParameterInfo{.name = "mu", .bounds = at_least(0), .meaning = "friction coefficient"},
      ParameterInfo{.name = "e",
                    .bounds = between(0, 1),
                    .stricter_low = StricterLow{.low = compliant::least_viscous_e,
                                                .parameter = "damper",
                                                .unless = "hysteretic",
                                                .reason = "no viscous damper reaches 0, and one close to it freezes "
                                                          "the contact"},
                    .meaning = "restitution of the normal spring; 1e-4 to 1 with a viscous damper"},
      ParameterInfo{.name = "damper",
                    .kind = ParameterKind::word,
                    .choices = dampers,
                    .default_value = default_word("hysteretic"),
                    .meaning = "how the normal spring loses energy"}};
  static constexpr std::tuple members{&SpringSledge::kappa, &SpringSledge::mu, &SpringSledge::e, &SpringSledge::damper};
};

}  // namespace ricochet
