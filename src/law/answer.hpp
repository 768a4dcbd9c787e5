#pragma once
/// From the solution of a kernel to an outcome: what `finish` (solution.hpp) and `answer` (collide.hpp) do, for a law
/// that is so short that calling them would be noticed.

#include <cmath>

#include "ricochet/law/collide.hpp"

namespace ricochet::answer_detail {

template <class T>
void finish(const Local<T>& local, const Solution<T>& solution, const Path<T>& path, double mu, Outcome& out) {
  const Mat3T<T>& R = local.R;
  const auto to_input = [&](const Vec3T<T>& v) {
    const Vec3T<T> x = times3<T>(R, v);
    return Vec3(double(x(0)), double(x(1)), double(x(2)));
  };
  out.P = to_input(solution.P);
  out.V = to_input(solution.V);
  out.normal_work = double(solution.normal_work);
  out.friction_work = double(solution.friction_work);
  // Computed from the reported works, so that they sum exactly.
  out.energy_change = out.normal_work + out.friction_work;
  out.mode = solution.mode;
  out.termination = solution.termination;
  out.jammed = solution.jammed;
  out.evaluations = solution.evaluations;
  out.certificate = certify(local.W, local.V, solution.P, mu);
  out.path.count = 0;
  if (path.count == 0) {
    out.path({Event::start, Vec3(0, 0, 0), to_input(local.V), 0, 0});
    out.path({Event::end, out.P, out.V, out.normal_work, out.friction_work});
  }
  for (const PathPoint<T>& p : path)
    out.path({p.event, to_input(p.P), to_input(p.V), double(p.normal_work), double(p.friction_work)});
}

// One object is returned on every way, so that it is made where the caller wants it: copying an outcome takes as long
// as an algebraic law.
template <class T>
Expected<Outcome> answer(const Local<T>& local, const Solution<T>& solution, const Path<T>& path, double mu) {
  Expected<Outcome> result(tl::in_place);
  if (solution.termination == Termination::no_solution || solution.termination == Termination::not_converged ||
      solution.termination == Termination::rings) {
    const bool none = solution.termination == Termination::no_solution;
    result = fail(none ? ErrorCode::no_solution : ErrorCode::not_converged, "", "",
                  std::string(describe(solution.termination)));
    return result;
  }
  Outcome& out = *result;
  answer_detail::finish(local, solution, path, mu, out);
  // Of finite numbers within reach; where the sum overflows, they are looked at one by one.
  const double sum =
      out.P.cwiseAbs().sum() + out.V.cwiseAbs().sum() + std::abs(out.normal_work) + std::abs(out.friction_work);
  if (!std::isfinite(sum) && (!out.P.allFinite() || !out.V.allFinite() || !std::isfinite(out.normal_work) ||
                              !std::isfinite(out.friction_work)))
    result = fail(ErrorCode::overflow, "", "",
                  "the answer for these numbers is too large for double precision; use other units");
  return result;
}

}  // namespace ricochet::answer_detail
