#pragma once
/// The result of a method that solves all contacts at once: the impulses with their certificate.

#include <cstdint>
#include <string_view>

#include "ricochet/complementarity/contact_space.hpp"
#include "ricochet/simultaneous/system_impact.hpp"

namespace ricochet {

/// How the impulses were selected if they are not unique.
enum class Chosen : std::uint8_t {
  only,          ///< there is no other
  minimal_norm,  ///< the least sum of squares
  vertex,        ///< where pivoting ended, with as many zero impulses as possible
  iterate,       ///< where the iteration ended
};
[[nodiscard]] std::string_view name(Chosen chosen);
[[nodiscard]] std::string_view describe(Chosen chosen);

struct JointOutcome : SystemImpact {
  double residual = 0;           ///< of the conditions that define the answer, relative to the largest speed
  std::string_view solver;       ///< what found it
  Chosen chosen = Chosen::only;  ///< of the impulses
  std::optional<bool> singular;  ///< W is singular; nothing: W is too large to examine
  std::vector<double> kappa;     ///< `weighted`: κ of each contact

  /// By more than rounding and the residual. Two phases with unequal e do not exclude it (G13 part II).
  [[nodiscard]] bool gains_energy() const { return certificate.violated.contains(Condition::energy); }
};

/// Applies impulses G, 3 for each contact of the space in its axes, and judges what they do. They solve the method's
/// equations to `residual`, relative to the largest speed.
[[nodiscard]] JointOutcome joint_outcome(const Problem& problem, const ContactSpace& space, const VecX& G,
                                         double residual);

}  // namespace ricochet
