#include "ricochet/law/spring_sledge.hpp"

#include "ricochet/law/collide.hpp"
#include "sledge_run.hpp"

namespace ricochet {

template Solution<double> sledge::run(const sledge::Coefficients<double>&, const Local<double>&, Path<double>&);
template Solution<long double> sledge::run(const sledge::Coefficients<long double>&, const Local<long double>&,
                                           Path<long double>&);

Expected<Outcome> collide(const SpringSledge& law, const Contact& contact) {
  const Expected<Outcome> outcome = collide_by(law, contact, law.mu);
  // The impulse is permissible in exact arithmetic; one that is not has lost its small parts to rounding, as at
  // grazing incidence on an ill-conditioned contact. It is recomputed in extended precision from the original
  // input.
  if (!outcome || outcome->certificate.permissible || contact.immovable) return outcome;
  const Local<long double> local = localize<long double>(contact);
  return solve_and_certify(law, local, law.mu);
}

}  // namespace ricochet
