#pragma once
/// How the speeds of a mechanism after an impact change with its speeds and configuration before it, and with the
/// parameters of the law, docs/derivatives.md (DV19) to (DV21).

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/law/law.hpp"
#include "ricochet/mechanism/lagrangian.hpp"
#include "ricochet/mechanism/response.hpp"

namespace ricochet {

/// What an impact needs of a configuration.
struct ContactLeverage {
  MatX J, L;  ///< 3 × dof, dof × 3
  Vec3 n;
};

/// The same contact at a configuration whose entry `k` of q is larger by `step`.
using LeverageNearby = std::function<Expected<ContactLeverage>(int k, double step)>;

struct ImpactDerivatives {
  struct Parameter {
    std::string name;
    MatX by;  ///< dof × 1, or × 3 of a vector
  };
  VecX u;            ///< after
  std::string kink;  ///< why there are no derivatives; empty: there are
  MatX by_u;         ///< ∂u⁺/∂u, exact
  /// ∂u⁺/∂q: W, J, L and n by Richardson differences in q, the law exactly. A column that is not a number: that entry
  /// cannot change by itself (of a quaternion, say), or the contact does not change smoothly with it. Empty where it
  /// was not asked for.
  MatX by_q;
  std::vector<Parameter> parameters;  ///< exact
  /// W is singular in a direction that is not tangential: everything is by Richardson differences of the answers, none
  /// of which frees that direction. NaN where the two sides differ.
  bool by_differences = false;
};

/// Fails where `collide_with_derivatives` fails. A singular W, as of a planar mechanism, is given a mobility across its
/// range that no impulse uses; laws that would use it (permissible-point, projected) fail.
[[nodiscard]] Expected<ImpactDerivatives> impact_derivatives(const Law& law, const ContactPoint& at,
                                                             const Response& response, int positions = 0,
                                                             const LeverageNearby& nearby = {});

/// Of one of the system's contacts, by name.
[[nodiscard]] Expected<ImpactDerivatives> impact_derivatives(const Lagrangian& system, std::string_view contact,
                                                             const Law& law, const VecX& q, const VecX& u);

}  // namespace ricochet
