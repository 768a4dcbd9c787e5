#pragma once
/// Impulses of the contacts and joints of connected bodies by sweeps over them, docs/time-stepping.md (TS5) to (TS9).
/// The bodies' velocities carry the sum, so that a sweep costs the number of contacts, not its square.

#include <cstdint>
#include <span>
#include <vector>

#include "ricochet/base/linear.hpp"

namespace ricochet::motion {

struct SweepBody {
  double inverse_mass = 0;              ///< zero: nothing changes its motion
  Mat3 inverse_inertia = Mat3::Zero();  ///< world axes
  Vec3 v = Vec3::Zero(), w = Vec3::Zero();
};

struct SweepContact {
  std::uint32_t a = 0, b = 0;  ///< bodies; P acts on b
  Vec3 r_a = Vec3::Zero(), r_b = Vec3::Zero();
  Mat3 axes = Mat3::Identity();  ///< columns n, t₁, t₂
  bool joint = false;            ///< keeps all three components of U at zero
  double mu = 0;
  Vec3 offset = Vec3::Zero();  ///< U = V⁺ + offset: (ε V_n⁻, δ V_t⁻), in its axes
  Vec3 P = Vec3::Zero();       ///< in its axes; the one at the start is a guess that is not yet in the velocities
  Mat3 W = Mat3::Zero();       ///< its own mobility, by `prepare`
  bool sticks = false;
};

/// W of every contact.
void prepare(std::span<SweepContact> contacts, std::span<const SweepBody> bodies);

/// V of the second body relative to the first, in the contact's axes.
[[nodiscard]] Vec3 contact_velocity(const SweepContact& c, std::span<const SweepBody> bodies);

struct SweepOutcome {
  std::uint32_t sweeps = 0;
  double residual = 0;  ///< change of velocity in the last sweep [m/s]
};
/// Solves for the impulses of the contacts named by `members` and adds them to the velocities. Ends where a sweep
/// changes no velocity by more than `tolerance` [m/s].
[[nodiscard]] SweepOutcome sweep_impulses(std::span<SweepContact> contacts, std::span<SweepBody> bodies,
                                          std::span<const std::uint32_t> members, double tolerance,
                                          std::uint32_t most_sweeps);

}  // namespace ricochet::motion
