#include "ricochet/law/collide.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace ricochet {

Expected<void> in_range(const char* field, double value, double low, double high) {
  if (value >= low && value <= high) return {};
  if (high == std::numeric_limits<double>::max())
    return fail(field, to_text(value), fmt::format("must be finite and at least {}", low));
  if (high == std::numeric_limits<double>::infinity())
    return fail(field, to_text(value), fmt::format("must be at least {}, or inf", low));
  return fail(field, to_text(value), fmt::format("must be between {} and {}", low, high));
}

template <class T>
Expected<Outcome> answer(const Local<T>& local, const Solution<T>& solution, double mu) {
  if (solution.why == Why::no_solution || solution.why == Why::not_converged || solution.why == Why::rings)
    return fail("law", "", std::string(describe(solution.why)));
  const Outcome out = finish(local, solution, mu);
  if (!out.P.allFinite() || !out.V.allFinite() || !std::isfinite(out.normal_work) || !std::isfinite(out.friction_work))
    return fail("law", "", "the answer for these numbers is too large for double precision; use other units");
  return out;
}

template Expected<Outcome> answer<double>(const Local<double>&, const Solution<double>&, double);
template Expected<Outcome> answer<long double>(const Local<long double>&, const Solution<long double>&, double);

}  // namespace ricochet
