#pragma once
/// Frictionless impact, docs/laws/frictionless.md.

#include "ricochet/contact/contact_view.hpp"
#include "ricochet/law/frictionless.hpp"
#include "ricochet/law/solution.hpp"

namespace ricochet {

/// P_I = −(V_n / W_nn) n, CR98 Eq. 3; P = (1 + e) P_I.
template <class S, class T>
[[nodiscard]] RICOCHET_HD Impulse<T> impulse(const FrictionlessT<S>& law, const ContactView<T>& c) {
  return {-(T(1) + T(law.e)) * c.V_n / quadratic3<T>(c.W, c.n), Vec3T<T>(T(0), T(0), T(0)), T(0)};
}

template <class S, class T>
RICOCHET_HD Solution<T> solve(const FrictionlessT<S>& law, const Local<T>& c) {
  return straight<T>(c, impulse(law, ContactView<T>(c)));
}

}  // namespace ricochet
