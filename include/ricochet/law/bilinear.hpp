#pragma once
/// Bilinear law for spheres and disks, CR98 Eq. 9, docs/laws/bilinear.md.

#include "ricochet/law/outcome.hpp"

namespace ricochet {

struct Bilinear {
  double e = 0;             ///< kinematic restitution, 0 ≤ e ≤ 1
  double e_t = 0;           ///< tangential restitution, −1 ≤ e_t ≤ 1
  double mu = 0;            ///< friction, 0 ≤ μ ≤ ∞
  double tolerance = 1e-9;  ///< off-diagonal entries of M, relative to its largest, that still count as zero
};

[[nodiscard]] Expected<Outcome> collide(const Bilinear& law, const Contact& contact);

}  // namespace ricochet
