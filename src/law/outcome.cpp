#include "ricochet/law/outcome.hpp"

#include <limits>

namespace ricochet {

std::string_view name(Mode mode) {
  switch (mode) {
    case Mode::separating: return "separating";
    case Mode::slip: return "slip";
    case Mode::stick: return "stick";
    case Mode::slip_stick: return "slip-stick";
    case Mode::slip_reversal: return "slip-reversal";
    case Mode::stick_slip: return "stick-slip";
  }
  return "unknown";
}

std::string_view name(Event event) {
  switch (event) {
    case Event::start: return "start";
    case Event::compression_ends: return "compression-ends";
    case Event::slip_stops: return "slip-stops";
    case Event::slip_resumes: return "slip-resumes";
    case Event::compression_resumes: return "compression-resumes";
    case Event::end: return "end";
  }
  return "unknown";
}

std::string_view describe(Why why) {
  switch (why) {
    case Why::separating: return "the bodies separate already";
    case Why::closed_form: return "closed form";
    case Why::impulse_ratio_reached: return "normal impulse reached 1 + e times that of compression";
    case Why::work_ratio_reached: return "normal work recovered e^2 times that of compression";
    case Why::rebound_speed_reached: return "normal speed reached e times that of approach";
    case Why::force_released: return "the normal force came down to zero";
    case Why::root_found: return "equations of the law solved to rounding";
    case Why::no_solution: return "the law has no solution here";
    case Why::not_converged: return "the iteration did not converge";
    case Why::rings: return "the contact rings: its springs swing more often than is followed";
  }
  return "unknown";
}

template <class T>
Outcome finish(const Local<T>& local, const Solution<T>& solution, double mu) {
  Outcome out;
  const Mat3T<T>& R = local.R;
  out.P = (R * solution.P).template cast<double>();
  out.V = (R * solution.V).template cast<double>();
  out.normal_work = double(solution.normal_work);
  out.friction_work = double(solution.friction_work);
  // Of the works as they are given, so that who adds them finds this very number.
  out.energy_change = out.normal_work + out.friction_work;
  out.mode = solution.mode;
  out.why = solution.why;
  out.jammed = solution.jammed;
  out.evaluations = solution.evaluations;
  out.certificate = certify(local.W, local.V, solution.P, mu);
  const auto place = [&](Event event, const Vec3T<T>& P, const Vec3T<T>& V, T normal_work, T friction_work) {
    out.path.add({event, (R * P).template cast<double>(), (R * V).template cast<double>(), double(normal_work),
                  double(friction_work)});
  };
  if (solution.path.count == 0) {
    out.path.add({Event::start, Vec3::Zero(), (R * local.V).template cast<double>(), 0, 0});
    out.path.add({Event::end, out.P, out.V, out.normal_work, out.friction_work});
  }
  for (const auto& p : solution.path) place(p.event, p.P, p.V, p.normal_work, p.friction_work);
  return out;
}

template Outcome finish<double>(const Local<double>&, const Solution<double>&, double);
template Outcome finish<long double>(const Local<long double>&, const Solution<long double>&, double);

Outcome no_collision(const Contact& contact) {
  Outcome out;
  out.V = contact.V;
  out.certificate.margins = {0, contact.n.dot(contact.V), 0, 0};
  out.certificate.permissible = true;
  return out;
}

}  // namespace ricochet
