#pragma once
/// What a method that takes all contacts at once returns: the impulses with the certificate of the whole.

#include <cstdint>
#include <string_view>

#include "ricochet/complementarity/contact_space.hpp"

namespace ricochet {

/// Which impulses were taken where more than one set would do.
enum class Chosen : std::uint8_t {
  only,          ///< there is no other
  minimal_norm,  ///< the least sum of squares
  vertex,        ///< where the pivots ended: some impulses are zero that need not be
  iterate,       ///< where the iteration ended
};
[[nodiscard]] std::string_view name(Chosen chosen);
[[nodiscard]] std::string_view describe(Chosen chosen);

struct JointOutcome {
  VecX u;                        ///< speeds after
  std::vector<Vec3> G;           ///< impulse of each contact, on its second body, world axes [N s]
  std::vector<Vec3> V;           ///< relative velocity of each contact after [m/s]
  double energy_change = 0;      ///< (Q2) [J]
  bool gains_energy = false;     ///< by more than rounding; two phases with unequal e do not exclude it (G13 part II)
  double remaining = 0;          ///< largest approach speed that is left [m/s]
  double residual = 0;           ///< of the conditions that define the answer, relative to the largest speed
  std::string_view solver;       ///< what found it
  Chosen chosen = Chosen::only;  ///< of the impulses
  std::optional<bool> singular;  ///< W is; nothing: it is too large to tell
  std::vector<double> kappa;     ///< `weighted`: κ of each contact
};

/// Applies impulses G, 3 for each contact of the space in its axes, and measures what they do.
[[nodiscard]] JointOutcome joint_outcome(const Problem& problem, const ContactSpace& space, const VecX& G);

}  // namespace ricochet
