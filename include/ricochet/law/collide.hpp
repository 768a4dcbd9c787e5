#pragma once
/// The shell around a law kernel, the same for every law: check, shortcut for separating bodies, solve, certify.

#include "ricochet/law/outcome.hpp"

namespace ricochet {

/// `check(law)` is the law's own range check of its parameters; empty Expected means fine.
template <class Law, class Check>
[[nodiscard]] Expected<Outcome> collide_by(const Law& law, const Contact& contact, double mu, Check check) {
  if (const Expected<void> fine = check(law); !fine) return tl::unexpected(fine.error());
  const Local<double> local = localize<double>(contact);
  if (!(local.V(0) < 0)) return no_collision(contact);
  const Solution<double> solution = solve(law, local);
  if (solution.why == Why::no_solution || solution.why == Why::not_converged)
    return fail("law", "", std::string(describe(solution.why)));
  return finish(local, solution, mu);
}

/// Range check of one parameter; NaN is never in a range.
[[nodiscard]] Expected<void> in_range(const char* field, double value, double low, double high);

}  // namespace ricochet
