#pragma once
/// Brach's law, docs/laws/brach.md.

#include <cmath>

#include "ricochet/contact/contact_view.hpp"
#include "ricochet/law/brach.hpp"
#include "ricochet/law/solution.hpp"

namespace ricochet {

/// P = N (n + r), r = μ₂ t + μ₃ b, and n·V⁺ = −e V_n gives N n·W(n + r) = −(1+e) V_n. Where the factor of N is not
/// positive, more impulse in that direction presses the bodies together: there is no N ≥ 0.
template <class S, class T>
[[nodiscard]] RICOCHET_HD Impulse<T> impulse(const BrachT<S>& law, const ContactView<T>& c) {
  using std::sqrt;
  const LocalTangents<T> axes = c.tangents();
  const T r_2(law.mu_2), r_3(law.mu_3);
  const auto part = [&](int i) { return T(r_2 * axes.t(i) + r_3 * axes.b(i)); };
  const Vec3T<T> r(part(0), part(1), part(2));
  const Vec3T<T> Wn = times3<T>(c.W, c.n);
  const T response = dot3<T>(c.n, Wn) + dot3<T>(r, Wn);
  const MaskOf<T> solvable = response > T(0);
  const T N = select(solvable, T(-(T(1) + T(law.e)) * c.V_n / response), T(0));
  const T ratio = sqrt(r_2 * r_2 + r_3 * r_3);
  const MaskOf<T> slips = !(ratio < T(law.mu));
  return {N, Vec3T<T>(N * r(0), N * r(1), N * r(2)), N * ratio, select(slips, Mode::slip, Mode::stick),
          select(solvable, Termination::closed_form, Termination::no_solution)};
}

template <class S, class T>
RICOCHET_HD Solution<T> solve(const BrachT<S>& law, const Local<T>& c) {
  return straight<T>(c, impulse(law, ContactView<T>(c)));
}

}  // namespace ricochet
