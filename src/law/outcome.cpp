#include "ricochet/law/outcome.hpp"

namespace ricochet {

std::string_view name(Mode mode) {
  switch (mode) {
    case Mode::separating: return "separating";
    case Mode::slip: return "slip";
    case Mode::stick: return "stick";
    case Mode::slip_stick: return "slip-stick";
    case Mode::slip_reversal: return "slip-reversal";
    case Mode::stick_slip: return "stick-slip";
  }
  return "unknown";
}

std::string_view describe(Termination termination) {
  switch (termination) {
    case Termination::separating: return "the bodies separate already";
    case Termination::closed_form: return "closed form";
    case Termination::impulse_ratio_reached: return "normal impulse reached 1 + e times that of compression";
    case Termination::work_ratio_reached: return "normal work recovered e^2 times that of compression";
    case Termination::rebound_speed_reached: return "normal speed reached e times that of approach";
    case Termination::force_released: return "the normal force came down to zero";
    case Termination::root_found: return "equations of the law solved to rounding";
    case Termination::no_solution: return "the law has no solution here";
    case Termination::not_converged: return "the iteration did not converge";
    case Termination::rings: return "the contact rings: its springs swing more often than is followed";
  }
  return "unknown";
}

Outcome no_collision(const Contact& contact) {
  Outcome out;
  out.V = contact.V;
  out.certificate.margins = {0, contact.n.dot(contact.V), 0, 0};
  out.certificate.permissible = true;
  return out;
}

}  // namespace ricochet
