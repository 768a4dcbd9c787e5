#pragma once
/// A law whose equations always have an answer can still lose it to rounding: at grazing incidence on an
/// ill-conditioned contact, an admissible root is told from an inadmissible one by a difference that double precision
/// does not hold.

#include "ricochet/law/collide.hpp"

namespace ricochet {

/// As collide_by; where the kernel finds nothing in double it is asked again in extended precision, from the numbers
/// that were given.
template <class Law, class Check>
[[nodiscard]] Expected<Outcome> collide_widening(const Law& law, const Contact& contact, double mu, Check check) {
  Expected<Outcome> outcome = collide_by(law, contact, mu, check);
  // A singular W is singular to the rounding of doubles only; a wider look would find mobility that is not there.
  if (outcome || outcome.error().field != "law" || contact.immovable) return outcome;
  const Local<long double> local = localize<long double>(contact);
  return answer(local, solve(law, local), mu);
}

}  // namespace ricochet
