#pragma once
/// Parameters of a law that reproduce given rebounds best: those of another law over a range of incidence, or measured
/// ones; docs/equivalents.md (EQ9) to (EQ12).

#include <span>
#include <string_view>
#include <vector>

#include "ricochet/law/chatterjee_ruina.hpp"
#include "ricochet/law/spring_sledge.hpp"

namespace ricochet {

/// A collision and the velocity after it.
struct Bounce {
  Contact contact;
  Vec3 V;  ///< V⁺ [m/s]
};

/// The collision at angles of incidence from `from` to `to` (radians from the normal, between −π/2 and π/2, positive
/// towards its own slip), at its own speed, in the plane of n and its slip (EQ9). Fails on a collision without slip,
/// unless n is a principal direction of W; on contacts with an immovable direction; and on angles and counts out of
/// range.
[[nodiscard]] Expected<std::vector<Contact>> incidences(const Contact& contact, double from, double to, int count);

struct FittedParameter {
  std::string_view name;
  double value = 0;
  /// With the other parameters fixed, the residual stays within 1 % of its minimum (or within 1e-6) from low to high.
  /// Infinite if every larger value fits equally well.
  double low = 0, high = 0;
  bool at_bound = false;  ///< the minimum lies at an end of the searched range
};

template <class Law>
struct Fit {
  Law law;
  std::vector<FittedParameter> parameters;
  double rms = 0;                 ///< root of the mean square of the residuals (EQ10)
  double worst = 0;               ///< the largest of them
  std::vector<double> residuals;  ///< ‖V⁺ of the law − V⁺‖ / ‖V⁻‖, for each bounce
  bool converged = false;         ///< the search reached its smallest step, and more than one descent ended there
  int agreeing = 0;               ///< descents that ended at the minimum
  int evaluations = 0;            ///< parameters tried
};

/// e and e_t in their whole ranges, μ from 0 to ∞.
[[nodiscard]] Expected<Fit<ChatterjeeRuina>> fit_chatterjee_ruina(std::span<const Bounce> bounces);

/// κ from 0.01 to 10, μ from 0 to ∞, e in the range of the damper.
[[nodiscard]] Expected<Fit<SpringSledge>> fit_spring_sledge(std::span<const Bounce> bounces,
                                                            compliant::Damper damper = compliant::Damper::hysteretic);

}  // namespace ricochet
