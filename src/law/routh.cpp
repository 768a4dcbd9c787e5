#include "ricochet/law/routh.hpp"

#include "ricochet/law/collide.hpp"
#include "ricochet/law/law_table.hpp"
#include "ricochet/law/routh_kernel.hpp"

namespace ricochet {
Expected<Outcome> collide(const Routh& law, const Contact& contact) {
  if (const auto fine = check_parameters(law); !fine) return tl::unexpected(fine.error());
  const Local<double> local = localize<double>(contact);
  if (!(local.V(0) < 0)) return no_collision(contact);
  Path<double> path;
  const Solution<double> solution = solve(law, local, path);
  const double mu = cone_friction(law);
  // Rounding of the double path is a few dozen units of eps · cond(M) · ‖P‖; above 4e-13 of ‖M V‖ the extended type is
  // used. A singular W has no M and is as exact as its entries.
  constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
  const double conditioning = contact.M.norm() * contact.W.norm() + solution.rounding;
  const bool sure = rounding * conditioning * solution.P.norm() <= 4e-13 * (contact.M * contact.V).norm();
  if (contact.immovable || (sure && solution.termination != Termination::not_converged))
    return answer(local, solution, path, mu);
  const Local<long double> wide = localize<long double>(contact);
  return solve_and_certify(law, wide, mu);
}

}  // namespace ricochet
