#include "ricochet/law/collide.hpp"

#include <cmath>

namespace ricochet {

namespace {

ErrorCode code_of(Termination termination) {
  return termination == Termination::no_solution ? ErrorCode::no_solution : ErrorCode::not_converged;
}

}  // namespace

// One object is returned on every way, so that it is made where the caller wants it: copying an outcome takes as long
// as an algebraic law.
template <class T>
Expected<Outcome> answer(const Local<T>& local, const Solution<T>& solution, const Path<T>& path, double mu) {
  Expected<Outcome> result(tl::in_place);
  if (solution.termination == Termination::no_solution || solution.termination == Termination::not_converged ||
      solution.termination == Termination::rings) {
    result = fail(code_of(solution.termination), "", "", std::string(describe(solution.termination)));
    return result;
  }
  Outcome& out = *result;
  finish(local, solution, path, mu, out);
  // Of finite numbers within reach; where the sum overflows, they are looked at one by one.
  const double sum =
      out.P.cwiseAbs().sum() + out.V.cwiseAbs().sum() + std::abs(out.normal_work) + std::abs(out.friction_work);
  if (!std::isfinite(sum) && (!out.P.allFinite() || !out.V.allFinite() || !std::isfinite(out.normal_work) ||
                              !std::isfinite(out.friction_work)))
    result = fail(ErrorCode::overflow, "", "",
                  "the answer for these numbers is too large for double precision; use other units");
  return result;
}

template Expected<Outcome> answer<double>(const Local<double>&, const Solution<double>&, const Path<double>&, double);
template Expected<Outcome> answer<long double>(const Local<long double>&, const Solution<long double>&,
                                               const Path<long double>&, double);

}  // namespace ricochet
