#include "ricochet/law/solution.hpp"

namespace ricochet {

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

template void finish<double>(const Local<double>&, const Solution<double>&, const Path<double>&, double, Outcome&);
template void finish<long double>(const Local<long double>&, const Solution<long double>&, const Path<long double>&,
                                  double, Outcome&);

}  // namespace ricochet
