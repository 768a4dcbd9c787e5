#pragma once
/// Bilinear law for spheres and disks, CR98 Eq. 9, docs/laws/bilinear.md.

#include "ricochet/law/outcome.hpp"

namespace ricochet {

template <class S>
struct BilinearT {
  S e = S(0);             ///< kinematic restitution, 0 ≤ e ≤ 1
  S e_t = S(0);           ///< tangential restitution, −1 ≤ e_t ≤ 1
  S mu = S(0);            ///< friction, 0 ≤ μ ≤ ∞
  S tolerance = S(1e-9);  ///< off-diagonal entries of M, relative to its largest, that still count as zero
};
using Bilinear = BilinearT<double>;

[[nodiscard]] Expected<Outcome> collide(const Bilinear& law, const Contact& contact);

}  // namespace ricochet
