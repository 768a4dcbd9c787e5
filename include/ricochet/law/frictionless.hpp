#pragma once
/// Frictionless impact, docs/laws/frictionless.md.

#include "ricochet/law/outcome.hpp"

namespace ricochet {

struct Frictionless {
  double e = 0;  ///< kinematic restitution, 0 ≤ e ≤ 1
};

/// P_I = −(V_n / W_nn) n, CR98 Eq. 3; P = (1 + e) P_I.
template <class T>
RICOCHET_HD Solution<T> solve(const Frictionless& law, const Local<T>& c) {
  return straight<T>(c, Vec3T<T>(-(T(1) + T(law.e)) * c.V(0) / c.W(0, 0), T(0), T(0)), Mode::slip);
}

[[nodiscard]] Expected<Outcome> collide(const Frictionless& law, const Contact& contact);

}  // namespace ricochet
