#pragma once
/// Pfeiffer and Glocker's planar law, docs/laws/pfeiffer-glocker.md.

#include "ricochet/law/outcome.hpp"

namespace ricochet {

template <class S>
struct PfeifferGlockerT {
  S e_k = S(0);           ///< kinetic (Poisson) restitution, 0 ≤ e_k ≤ 1
  S nu = S(0);            ///< reversible share of the tangential compression impulse, 0 ≤ ν ≤ 1
  S e_t = S(0);           ///< tangential restitution of that share, 0 ≤ e_t ≤ 1
  S mu = S(0);            ///< friction, 0 ≤ μ ≤ ∞
  S tolerance = S(1e-9);  ///< couplings out of the plane, relative to W's largest entry, that still count as zero
};
using PfeifferGlocker = PfeifferGlockerT<double>;

/// Fails with field "M" where the contact is not planar. With slip, the plane is that of n and V; without, it is that
/// of n and the tangential direction that a normal impulse drives.
[[nodiscard]] Expected<Outcome> collide(const PfeifferGlocker& law, const Contact& contact);

}  // namespace ricochet
