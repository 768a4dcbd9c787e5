#pragma once
/// Bilinear law for spheres and disks, CR98 Eq. 9, docs/laws/bilinear.md.

#include <cmath>
#include <limits>

#include "ricochet/law/bilinear.hpp"
#include "ricochet/law/solution.hpp"

namespace ricochet {

/// Off-diagonal entries of the local M, which the law does not support. Without slip axes 2 and 3 are arbitrary, and
/// only the coupling with n counts.
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
  if (coupling(c, law.tolerance).any()) return straight<T>(c, Vec3T<T>::Zero(), Mode::slip, Termination::no_solution);
  const T P_n = -(T(1) + T(law.e)) * c.M(0, 0) * c.V(0);
  const T sticking = -(T(1) + T(law.e_t)) * c.M(1, 1) * c.V(1);
  // Avoids 0·∞ where P_n underflows.
  const bool limited = law.mu != std::numeric_limits<double>::infinity();
  const bool slips = limited && T(law.mu) * P_n < sticking;
  return straight<T>(c, Vec3T<T>(P_n, slips ? T(law.mu) * P_n : sticking, T(0)), slips ? Mode::slip : Mode::stick);
}

}  // namespace ricochet
