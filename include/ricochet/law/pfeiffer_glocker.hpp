#pragma once
/// Pfeiffer and Glocker's planar law, docs/laws/pfeiffer-glocker.md.

#include "ricochet/law/outcome.hpp"

namespace ricochet {

struct PfeifferGlocker {
  double e_k = 0;           ///< kinetic (Poisson) restitution, 0 ≤ e_k ≤ 1
  double nu = 0;            ///< reversible share of the tangential compression impulse, 0 ≤ ν ≤ 1
  double e_t = 0;           ///< tangential restitution of that share, 0 ≤ e_t ≤ 1
  double mu = 0;            ///< friction, 0 ≤ μ ≤ ∞
  double tolerance = 1e-9;  ///< couplings out of the plane, relative to W's largest entry, that still count as zero
};

/// Fails with field "M" where the contact is not planar. With slip, the plane is that of n and V; without, it is that
/// of n and the tangential direction that a normal impulse drives.
[[nodiscard]] Expected<Outcome> collide(const PfeifferGlocker& law, const Contact& contact);

}  // namespace ricochet
