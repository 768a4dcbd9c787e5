#pragma once
/// Two-parameter algebraic law of Chatterjee & Ruina 1998, docs/laws/chatterjee-ruina.md.

#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/base/product3.hpp"
#include "ricochet/law/chatterjee_ruina.hpp"
#include "ricochet/law/solution.hpp"

namespace ricochet {

/// P = (1+e) P_I + κ (P_II − P_I).                                                                CR98 Eq. 11
/// The ray starts inside the cone and leaves it at most once, at κ_slip, so Eqs. 12 to 14 are equivalent to κ
/// = min(1 + e_t, κ_slip); μ = ∞ is the limit in which the cone is the half space n·P ≥ 0. `smooth` replaces
/// the minimum by (a^−m + b^−m)^−1/m, m = 1/smooth, which is below both: P stays on the same permissible
/// segment.
template <class T>
RICOCHET_HD Solution<T> solve(const ChatterjeeRuina& law, const Local<T>& c) {
  using std::pow;
  using std::sqrt;
  const T infinity = std::numeric_limits<T>::infinity();
  const T P_I = -c.V(0) / c.W(0, 0);
  const Vec3T<T> MV = times3<T>(c.M, c.V);
  const Vec3T<T> P_II(-MV(0), -MV(1), -MV(2));
  const T P_IIt = sqrt(P_II(1) * P_II(1) + P_II(2) * P_II(2));
  const T reach = (T(1) + T(law.e)) * P_I;
  const bool unlimited = law.mu == std::numeric_limits<double>::infinity();
  const T leaving = unlimited ? P_I - P_II(0) : P_IIt - T(law.mu) * (P_II(0) - P_I);
  const T kappa_slip = leaving > T(0) ? (unlimited ? reach : T(law.mu) * reach) / leaving : infinity;
  const T kappa_stick = T(1) + T(law.e_t);
  const bool slips = kappa_slip < kappa_stick;
  T kappa = slips ? kappa_slip : kappa_stick;
  if (law.smooth > 0 && kappa > T(0)) {
    const T ratio = kappa / (slips ? kappa_stick : kappa_slip);
    kappa *= pow(T(1) + pow(ratio, T(1) / T(law.smooth)), -T(law.smooth));
  }
  // Towards the cone of a large μ, P_n is a small difference. In the form P_n = P_t/μ + reach (1 − κ/κ_slip), which the
  // definition of κ_slip gives, it is a sum of nonnegative terms.
  Vec3T<T> P(kappa * P_II(0), kappa * P_II(1), kappa * P_II(2));
  if (leaving > T(0) && law.mu > 1) {
    P(0) = (unlimited ? T(0) : kappa * P_IIt / T(law.mu)) + reach * (T(1) - kappa / kappa_slip);
  } else {
    P(0) += reach - kappa * P_I;
  }
  return straight<T>(c, P, slips ? Mode::slip : Mode::stick);
}

}  // namespace ricochet
