#pragma once
/// Frictionless impact, docs/laws/frictionless.md.

#include "ricochet/law/frictionless.hpp"
#include "ricochet/law/solution.hpp"

namespace ricochet {

/// P_I = −(V_n / W_nn) n, CR98 Eq. 3; P = (1 + e) P_I.
template <class T>
RICOCHET_HD Solution<T> solve(const Frictionless& law, const Local<T>& c) {
  return straight<T>(c, Vec3T<T>(-(T(1) + T(law.e)) * c.V(0) / c.W(0, 0), T(0), T(0)), Mode::slip);
}

}  // namespace ricochet
