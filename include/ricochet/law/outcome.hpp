#pragma once
/// The result of every law: the impulse with its certificate, path and termination.

#include <cstdint>
#include <string_view>

#include "ricochet/base/linear.hpp"
#include "ricochet/contact/contact.hpp"
#include "ricochet/law/path.hpp"
#include "ricochet/space/certificate.hpp"

namespace ricochet {

/// Stick and slip during the impact.
enum class Mode : std::uint8_t {
  separating,     ///< V⁻·n ≥ 0: no collision, P = 0
  slip,           ///< slides from beginning to end
  stick,          ///< no friction limit reached: the tangential answer of the law holds unclipped
  slip_stick,     ///< slides, stops, and sticks to the end
  slip_reversal,  ///< slides, stops, and slides on in another direction
  stick_slip,     ///< alternates between stick and slip, as a compliant contact does
};

/// Why the law stopped.
enum class Termination : std::uint8_t {
  separating,             ///< no collision
  closed_form,            ///< an explicit formula
  impulse_ratio_reached,  ///< Poisson: p_n = (1 + e) p_c
  work_ratio_reached,     ///< Stronge: W_r = −e² W_c
  rebound_speed_reached,  ///< Newton: V⁺·n = −e V⁻·n
  force_released,         ///< compliant contact: the normal force fell to zero
  root_found,             ///< a nonlinear system solved to rounding
  no_solution,            ///< the law has no answer for this contact
  not_converged,          ///< an iteration ended before its tolerance
  rings,                  ///< compliant contact that exceeds the phase limit
};

[[nodiscard]] std::string_view name(Mode mode);
[[nodiscard]] std::string_view describe(Termination termination);

/// In the coordinates of the contact.
struct Outcome {
  Vec3 P = Vec3::Zero();
  Vec3 V = Vec3::Zero();  ///< V⁺
  double energy_change = 0;
  double normal_work = 0;
  double friction_work = 0;  ///< normal_work + friction_work = energy_change
  Mode mode = Mode::separating;
  Termination termination = Termination::separating;
  bool jammed = false;
  int evaluations = 0;
  Certificate certificate;
  Path<double> path;

  /// Not defaulted: `Outcome()` would then first clear the room for ten points of the path, which takes as long as an
  /// algebraic law.
  Outcome() {}  // NOLINT(modernize-use-equals-default)
};

/// The outcome of a separating contact.
[[nodiscard]] Outcome no_collision(const Contact& contact);

}  // namespace ricochet
