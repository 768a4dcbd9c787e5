#include "ricochet/law/spring_sledge.hpp"

#include "ricochet/law/collide.hpp"

namespace ricochet {

Expected<Outcome> collide(const SpringSledge& law, const Contact& contact) {
  const Expected<Outcome> outcome = collide_by(law, contact, law.mu, [](const SpringSledge& l) { return check(l); });
  // The theory promises a permissible impulse; one that is not has lost its small parts to rounding, as happens at
  // grazing incidence on an ill-conditioned contact. Asked again in extended precision, from the numbers that were
  // given.
  if (!outcome || outcome->certificate.permissible || contact.immovable) return outcome;
  const Local<long double> local = localize<long double>(contact);
  return answer(local, solve(law, local), law.mu);
}

}  // namespace ricochet
