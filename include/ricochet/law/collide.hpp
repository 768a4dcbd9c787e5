#pragma once
/// The wrapper around every law kernel: validate, return early for separating bodies, solve, certify.

#include "ricochet/base/parameter.hpp"
#include "ricochet/law/check_parameters.hpp"
#include "ricochet/law/solution.hpp"

namespace ricochet {

/// The outcome of a kernel's solution, or the reason why there is none: no solution, no convergence, or an answer that
/// overflows double precision. Never an outcome with inf or NaN in it.
template <class T>
[[nodiscard]] Expected<Outcome> answer(const Local<T>& local, const Solution<T>& solution, const Path<T>& path,
                                       double mu);

extern template Expected<Outcome> answer<double>(const Local<double>&, const Solution<double>&, const Path<double>&,
                                                 double);
extern template Expected<Outcome> answer<long double>(const Local<long double>&, const Solution<long double>&,
                                                      const Path<long double>&, double);

/// The kernel's answer in local axes, its path kept where the law knows one, certified for friction coefficient mu.
template <class Law, class T>
[[nodiscard]] Expected<Outcome> solve_and_certify(const Law& law, const Local<T>& local, double mu) {
  Path<T> path;
  if constexpr (requires { solve(law, local, path); }) {
    const Solution<T> solution = solve(law, local, path);
    return answer(local, solution, path, mu);
  } else {
    return answer(local, solve(law, local), path, mu);
  }
}

/// `mu` is the friction of the certificate's cone.
template <class Law>
[[nodiscard]] Expected<Outcome> collide_by(const Law& law, const Contact& contact, double mu) {
  if (const Expected<void> fine = check_parameters(law); !fine) return tl::unexpected(fine.error());
  const Local<double> local = localize<double>(contact);
  if (!(local.V(0) < 0)) return no_collision(contact);
  return solve_and_certify(law, local, mu);
}

}  // namespace ricochet
