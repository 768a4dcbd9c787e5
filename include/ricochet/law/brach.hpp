#pragma once
/// Brach's law, docs/laws/brach.md.

#include <limits>
#include <optional>

#include "ricochet/law/outcome.hpp"

namespace ricochet {

template <class S>
struct BrachT {
  S e = S(0);     ///< kinematic restitution, 0 ≤ e; may exceed 1, check the certificate
  S mu_2 = S(0);  ///< impulse ratio P_2 / P_n against the initial slip
  S mu_3 = S(0);  ///< impulse ratio P_3 / P_n across it
  S mu = S(std::numeric_limits<double>::infinity());  ///< friction of the certificate's cone
};
using Brach = BrachT<double>;

[[nodiscard]] Expected<Outcome> collide(const Brach& law, const Contact& contact);

/// Admissible ratios ‖(μ₂, μ₃)‖ of Brach's law in the direction (cos angle, sin angle) of local axes 2 and 3.
struct BrachBounds {
  struct Interval {
    double low = 0, high = 0;
    bool empty = false;
  };
  Interval energy;                 ///< no gain of kinetic energy; high is infinite where P_n can decrease to 0
  Interval friction;               ///< [0, μ]
  Interval permissible;            ///< both
  std::optional<double> critical;  ///< ratio at which the slip along the direction just ends; empty: there is none
};

/// e ≥ 0, any angle, 0 ≤ μ ≤ ∞.
[[nodiscard]] Expected<BrachBounds> brach_bounds(const Contact& contact, double e, double angle, double mu);

}  // namespace ricochet
