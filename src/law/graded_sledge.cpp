#include "ricochet/law/graded_sledge.hpp"

#include "ricochet/law/collide.hpp"
#include "ricochet/law/graded_sledge_kernel.hpp"
#include "sledge_run.hpp"

namespace ricochet {

Expected<Outcome> collide(const GradedSledge& law, const Contact& contact) {
  if (const Expected<void> fine = check_parameters(law); !fine) return tl::unexpected(fine.error());
  const Local<double> local = localize<double>(contact);
  if (!(local.V(0) < 0)) return no_collision(contact);
  const double mu = grade(law, local.V).mu;
  const Expected<Outcome> outcome = solve_and_certify(law, local, mu);
  // As in spring_sledge.cpp: what is not permissible has lost its small parts to rounding.
  if (!outcome || outcome->certificate.permissible || contact.immovable) return outcome;
  const Local<long double> wide = localize<long double>(contact);
  return solve_and_certify(law, wide, mu);
}

}  // namespace ricochet
