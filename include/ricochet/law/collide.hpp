#pragma once
/// The shell around a law kernel, the same for every law: check, shortcut for separating bodies, solve, certify.

#include "ricochet/law/outcome.hpp"

namespace ricochet {

/// Range check of one parameter; NaN is never in a range.
[[nodiscard]] Expected<void> in_range(const char* field, double value, double low, double high);

/// The outcome of what a kernel found, or why there is none: no solution, no convergence, or an answer that overflows
/// double precision. Never an outcome with inf or NaN in it.
template <class T>
[[nodiscard]] Expected<Outcome> answer(const Local<T>& local, const Solution<T>& solution, double mu);

extern template Expected<Outcome> answer<double>(const Local<double>&, const Solution<double>&, double);
extern template Expected<Outcome> answer<long double>(const Local<long double>&, const Solution<long double>&, double);

/// `check(law)` is the law's own range check of its parameters; empty Expected means fine.
template <class Law, class Check>
[[nodiscard]] Expected<Outcome> collide_by(const Law& law, const Contact& contact, double mu, Check check) {
  if (const Expected<void> fine = check(law); !fine) return tl::unexpected(fine.error());
  const Local<double> local = localize<double>(contact);
  if (!(local.V(0) < 0)) return no_collision(contact);
  return answer(local, solve(law, local), mu);
}

}  // namespace ricochet
