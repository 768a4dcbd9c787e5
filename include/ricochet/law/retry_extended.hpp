#pragma once
/// A law whose equations always have an answer can still lose it to rounding: at grazing incidence on an
/// ill-conditioned contact, an admissible root is told from an inadmissible one by a difference that double precision
/// does not hold.

#include "ricochet/law/collide.hpp"

namespace ricochet {

/// As collide_by; where the kernel finds nothing in double it is asked again in extended precision, from the numbers
/// that were given.
template <class Law>
[[nodiscard]] Expected<Outcome> collide_retrying(const Law& law, const Contact& contact, double mu) {
  Expected<Outcome> outcome = collide_by(law, contact, mu);
  // A singular W is singular to the rounding of doubles only; a wider look would find mobility that is not there.
  if (outcome || !is_failure_to_solve(outcome.error().code) || contact.immovable) return outcome;
  const Local<long double> local = localize<long double>(contact);
  return solve_and_certify(law, local, mu);
}

}  // namespace ricochet
