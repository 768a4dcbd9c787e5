#pragma once
/// A body that strikes the ground at a point, measured before and after, reduced to contact space (docs/fitting.md).

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "ricochet/body/rigid_body.hpp"
#include "ricochet/contact/contact.hpp"
#include "ricochet/space/certificate.hpp"

namespace ricochet {

struct MeasuredImpact {
  RigidBody body;                        ///< before; its position is the origin
  Vec3 arm = Vec3::Zero();               ///< r, from the centre of mass to the contact point [m]
  Vec3 n = Vec3::UnitZ();                ///< from the ground to the body
  Vec3 velocity = Vec3::Zero();          ///< of the centre of mass after [m/s]
  Vec3 angular_velocity = Vec3::Zero();  ///< after [rad/s]
  bool spin_measured = true;             ///< whether that was measured
  std::size_t row = 0;                   ///< in its file, the first row of numbers is 1
  double group = 0;                      ///< rows of one group were not measured independently
  bool planar = false;                   ///< in the plane z = 0
};

/// What follows from a measurement without a law.
struct ReducedImpact {
  using Vec6 = Eigen::Matrix<double, 6, 1>;
  using ImpulseMap = Eigen::Matrix<double, 6, 3>;
  MeasuredImpact measured;
  Contact contact;
  /// The velocity after that an impulse P leaves, scaled by the root of the masses and by ‖u⁻‖, minus the measured one
  /// is A P − b; its norm is the relative error in the mass norm.                                            (FT3)
  ImpulseMap A;
  Vec6 b;
  Vec6 before;                    ///< u⁻, scaled as b is
  Vec3 arm = Vec3::Zero();        ///< r over the radius of gyration
  double speed = 0;               ///< ‖u⁻‖/√m [m/s]: a relative error times this is one in m/s
  Vec3 P = Vec3::Zero();          ///< the impulse that explains the measurement best (FT4)
  double best_error = 0;          ///< what it misses: no impulse at this point does better
  double energy_ratio = 0;        ///< kinetic energy after over before
  double impulse_ratio = 0;       ///< ‖P_t‖ / P_n
  double restitution = 0;         ///< −n·V⁺ / n·V⁻, measured
  Margins margins;                ///< of P, with friction unlimited
  bool separates_before = false;  ///< flags of rows that are no impact of a single point
  bool approaches_after = false;
  bool gains_energy = false;
  bool unbalanced = false;  ///< best_error above the limit

  struct Flag {
    std::string_view name, meaning;
    bool ReducedImpact::*raised;
  };
  static const std::array<Flag, 4> flags;

  /// Without a flag.
  [[nodiscard]] bool usable() const {
    return std::none_of(flags.begin(), flags.end(), [&](const Flag& flag) { return this->*flag.raised; });
  }
  /// Of the velocity after that P leaves, relative, in the mass norm.                                   (FT5)
  [[nodiscard]] double error_of(const Vec3& impulse) const { return (A * impulse - b).norm(); }
};

inline constexpr std::array<ReducedImpact::Flag, 4> ReducedImpact::flags{{
    {"separates-before", "separate before", &ReducedImpact::separates_before},
    {"approaches-after", "approach after", &ReducedImpact::approaches_after},
    {"gains-energy", "gain energy", &ReducedImpact::gains_energy},
    {"unbalanced", "fit no impulse at the point", &ReducedImpact::unbalanced},
}};

struct ReductionOptions {
  double unbalanced = 0.25;  ///< limit of best_error: more is no impact at that point
};

/// Fails for a body or contact that is not physical.
[[nodiscard]] Expected<ReducedImpact> reduce(const MeasuredImpact& impact, const ReductionOptions& options = {});

/// Contact space of a body that is struck at a point.
struct ImpactPoint {
  Contact contact;
  ReducedImpact::ImpulseMap A;  ///< (FT3)
};
/// `arm` takes the place of the measured one; `size` is ‖u⁻‖ (FT2).
[[nodiscard]] Expected<ImpactPoint> impact_point(const MeasuredImpact& impact, const Vec3& arm, double size);

}  // namespace ricochet
