#include "ricochet/law/routh.hpp"

#include "ricochet/law/collide.hpp"

namespace ricochet {
namespace {

Expected<void> check(const Routh& law) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return in_range("e", law.e, 0, 1).and_then([&] { return in_range("mu", law.mu, 0, infinity); }).and_then([&] {
    return law.mu_s < 0 ? Expected<void>{} : in_range("mu_s", law.mu_s, law.mu, infinity);
  });
}

}  // namespace

Expected<Outcome> collide(const Routh& law, const Contact& contact) {
  if (const auto fine = check(law); !fine) return tl::unexpected(fine.error());
  const Local<double> local = localize<double>(contact);
  if (!(local.V(0) < 0)) return no_collision(contact);
  const Solution<double> solution = solve(law, local);
  const double mu = law.mu_s > law.mu ? law.mu_s : law.mu;  // sticking may use all of the static cone
  // Rounding of the double path is a few dozen units of eps · cond(M) · ‖P‖; past 4e-13 of ‖M V‖ the wider type takes
  // over. A singular W has no M to be conditioned by, and is as exact as its entries.
  constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
  const double conditioning = contact.M.norm() * contact.W.norm() + solution.rounding;
  const bool sure = rounding * conditioning * solution.P.norm() <= 4e-13 * (contact.M * contact.V).norm();
  if (contact.immovable || (sure && solution.why != Why::not_converged)) return answer(local, solution, mu);
  const Local<long double> wide = localize<long double>(contact);
  return answer(wide, solve(law, wide), mu);
}

}  // namespace ricochet
