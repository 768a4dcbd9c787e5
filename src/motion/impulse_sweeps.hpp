#pragma once
/// Impulses of the contacts and joints of connected bodies by sweeps over them, docs/time-stepping.md (TS5) to (TS9).
/// Velocities carry the sum, so that a sweep costs the number of contacts, not its square.

#include <cstdint>
#include <span>
#include <vector>

#include "ricochet/mechanism/response.hpp"

namespace ricochet::motion {

struct SweepBody {
  double inverse_mass = 0;              ///< zero: nothing changes its motion, or its mechanism does
  Mat3 inverse_inertia = Mat3::Zero();  ///< world axes
  Vec3 v = Vec3::Zero(), w = Vec3::Zero();
};

/// Free bodies, and the speeds of mechanisms.
struct SweepState {
  std::vector<SweepBody> bodies;
  std::vector<VecX> speeds;
};

/// What a contact is to a mechanism: V has J u of its speeds, and an impulse P changes these by L P.
struct SweepLink {
  std::uint32_t mechanism = 0;
  MatX J, L;  ///< in the axes of the contact
};

enum class SweepKind : std::uint8_t {
  contact,
  joint,  ///< keeps all three components of U at zero
  stop,   ///< of a joint of a mechanism: the first component only, without friction
  dry,    ///< dry friction of such a joint: the first component only, at most `limit`
};

struct SweepContact {
  std::uint32_t a = 0, b = 0;  ///< bodies; P acts on b
  Vec3 r_a = Vec3::Zero(), r_b = Vec3::Zero();
  Mat3 axes = Mat3::Identity();  ///< columns n, t₁, t₂
  SweepKind kind = SweepKind::contact;
  double mu = 0, limit = 0;
  Vec3 offset = Vec3::Zero();  ///< U = V⁺ + offset: (ε V_n⁻, δ V_t⁻), in its axes
  Vec3 P = Vec3::Zero();       ///< in its axes; the one at the start is a guess that is not yet in the velocities
  Mat3 W = Mat3::Zero();       ///< its own mobility, by `prepare`
  bool sticks = false;
  std::vector<SweepLink> links;  ///< mechanisms that take part; the sides that are links have no inverse mass
};

/// W of every contact.
void prepare(std::span<SweepContact> contacts, const SweepState& state);

/// V of the second body relative to the first, in the contact's axes.
[[nodiscard]] Vec3 contact_velocity(const SweepContact& c, const SweepState& state);

/// The velocities that these contacts can change, as they are now.
class SweptVelocities {
 public:
  SweptVelocities(std::span<const SweepContact> contacts, std::span<const std::uint32_t> members,
                  const SweepState& state);
  void restore(SweepState& state) const;

 private:
  std::vector<std::uint32_t> bodies_, mechanisms_;
  std::vector<SweepBody> of_bodies_;
  std::vector<VecX> of_mechanisms_;
};

struct SweepOutcome {
  std::uint32_t sweeps = 0;
  double residual = 0;  ///< change of velocity in the last sweep [m/s]
};
/// Solves for the impulses of the contacts named by `members` and adds them to the velocities. Ends where a sweep
/// changes no velocity by more than `tolerance` [m/s].
[[nodiscard]] SweepOutcome sweep_impulses(std::span<SweepContact> contacts, SweepState& state,
                                          std::span<const std::uint32_t> members, double tolerance,
                                          std::uint32_t most_sweeps);

}  // namespace ricochet::motion
