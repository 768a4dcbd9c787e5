#pragma once
/// Brach's law, docs/laws/brach.md.

#include <cmath>
#include <limits>
#include <optional>

#include "ricochet/law/outcome.hpp"

namespace ricochet {

struct Brach {
  double e = 0;     ///< kinematic restitution, 0 ≤ e (above 1 allowed: the answer's certificate tells)
  double mu_2 = 0;  ///< impulse ratio P_2 / P_n against the initial slip
  double mu_3 = 0;  ///< impulse ratio P_3 / P_n across it
  double mu = std::numeric_limits<double>::infinity();  ///< friction that the certificate holds the ratios to
};

/// P = N (1, μ₂, μ₃), and n·V⁺ = −e V_n gives N (W_nn + w·(μ₂, μ₃)) = −(1+e) V_n. Where the bracket is not positive,
/// more impulse of that direction presses the bodies together: no N ≥ 0 will do.
template <class T>
RICOCHET_HD Solution<T> solve(const Brach& law, const Local<T>& c) {
  using std::sqrt;
  const T r_2(law.mu_2);
  const T r_3(law.mu_3);
  const T response = c.W(0, 0) + c.W(0, 1) * r_2 + c.W(0, 2) * r_3;
  if (!(response > T(0))) return straight<T>(c, Vec3T<T>::Zero(), Mode::slip, Why::no_solution);
  const T N = -(T(1) + T(law.e)) * c.V(0) / response;
  const bool slips = !(sqrt(r_2 * r_2 + r_3 * r_3) < T(law.mu));
  return straight<T>(c, Vec3T<T>(N, N * r_2, N * r_3), slips ? Mode::slip : Mode::stick);
}

[[nodiscard]] Expected<Outcome> collide(const Brach& law, const Contact& contact);

/// Which ratios ‖(μ₂, μ₃)‖ in the direction (cos angle, sin angle) of local axes 2 and 3 are open to Brach's law.
struct BrachBounds {
  struct Interval {
    double low = 0, high = 0;
    bool empty = false;
  };
  Interval energy;                 ///< no gain of kinetic energy; high is infinite where P_n can go down to 0
  Interval friction;               ///< [0, μ]
  Interval permissible;            ///< both
  std::optional<double> critical;  ///< ratio at which the slip along the direction just ends; empty: there is none
};

/// e ≥ 0, any angle, 0 ≤ μ ≤ ∞.
[[nodiscard]] Expected<BrachBounds> brach_bounds(const Contact& contact, double e, double angle, double mu);

}  // namespace ricochet
