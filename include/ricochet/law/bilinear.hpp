#pragma once
/// Bilinear law for spheres and disks, CR98 Eq. 9, docs/laws/bilinear.md.

#include <cmath>
#include <limits>

#include "ricochet/law/outcome.hpp"

namespace ricochet {

struct Bilinear {
  double e = 0;             ///< kinematic restitution, 0 ≤ e ≤ 1
  double e_t = 0;           ///< tangential restitution, −1 ≤ e_t ≤ 1
  double mu = 0;            ///< friction, 0 ≤ μ ≤ ∞
  double tolerance = 1e-9;  ///< off-diagonal entries of M, relative to its largest, that still count as zero
};

/// Off-diagonal entries of the local M that the law has no word for. Without slip axes 2 and 3 are arbitrary, nothing
/// moves along them, and only the coupling with n counts.
struct Coupling {
  bool nt = false;  ///< M_12
  bool nb = false;  ///< M_13
  bool tb = false;  ///< M_23
  [[nodiscard]] RICOCHET_HD bool any() const { return nt || nb || tb; }
};

template <class T>
RICOCHET_HD Coupling coupling(const Local<T>& c, double tolerance) {
  using std::abs;
  T size(0);
  for (int i = 0; i < 3; ++i)
    if (abs(c.M(i, i)) > size) size = abs(c.M(i, i));
  const T limit = T(tolerance) * size;
  Coupling off;
  off.nt = !(abs(c.M(0, 1)) <= limit);
  off.nb = !(abs(c.M(0, 2)) <= limit);
  off.tb = c.V(1) != T(0) && !(abs(c.M(1, 2)) <= limit);
  return off;
}

/// P_n = −(1+e) M_11 V_n and, against the slip, P_t = min(μ P_n, (1+e_t) M_22 s).                  CR98 Eq. 9
template <class T>
RICOCHET_HD Solution<T> solve(const Bilinear& law, const Local<T>& c) {
  if (coupling(c, law.tolerance).any()) return straight<T>(c, Vec3T<T>::Zero(), Mode::slip, Why::no_solution);
  const T P_n = -(T(1) + T(law.e)) * c.M(0, 0) * c.V(0);
  const T sticking = -(T(1) + T(law.e_t)) * c.M(1, 1) * c.V(1);
  // ∞·P_n would do as a limit, but 0·∞ must not arise where P_n underflows.
  const bool limited = law.mu != std::numeric_limits<double>::infinity();
  const bool slips = limited && T(law.mu) * P_n < sticking;
  return straight<T>(c, Vec3T<T>(P_n, slips ? T(law.mu) * P_n : sticking, T(0)), slips ? Mode::slip : Mode::stick);
}

[[nodiscard]] Expected<Outcome> collide(const Bilinear& law, const Contact& contact);

}  // namespace ricochet
