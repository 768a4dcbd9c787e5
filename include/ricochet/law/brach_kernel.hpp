#pragma once
/// Brach's law, docs/laws/brach.md.

#include <cmath>
#include <limits>

#include "ricochet/law/brach.hpp"
#include "ricochet/law/solution.hpp"

namespace ricochet {

/// P = N (1, μ₂, μ₃), and n·V⁺ = −e V_n gives N (W_nn + w·(μ₂, μ₃)) = −(1+e) V_n. Where the bracket is not positive,
/// more impulse in that direction presses the bodies together: there is no N ≥ 0.
template <class T>
RICOCHET_HD Solution<T> solve(const Brach& law, const Local<T>& c) {
  using std::sqrt;
  const T r_2(law.mu_2);
  const T r_3(law.mu_3);
  const T response = c.W(0, 0) + c.W(0, 1) * r_2 + c.W(0, 2) * r_3;
  if (!(response > T(0))) return straight<T>(c, Vec3T<T>::Zero(), Mode::slip, Termination::no_solution);
  const T N = -(T(1) + T(law.e)) * c.V(0) / response;
  const bool slips = !(sqrt(r_2 * r_2 + r_3 * r_3) < T(law.mu));
  return straight<T>(c, Vec3T<T>(N, N * r_2, N * r_3), slips ? Mode::slip : Mode::stick);
}

}  // namespace ricochet
