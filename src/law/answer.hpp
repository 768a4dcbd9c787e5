#pragma once
/// From the solution of a kernel to an outcome: what `finish` (solution.hpp) and `answer` (collide.hpp) do, for a law
/// that is so short that calling them would be noticed.

#include "ricochet/law/certified.hpp"
#include "ricochet/law/collide.hpp"

namespace ricochet::answer_detail {

/// Everything but the path. Returns whether every number of the outcome is finite.
inline bool take(const Certified<double>& answer, Mode mode, Termination termination, Outcome& out) {
  out.P = answer.P;
  out.V = answer.V;
  out.normal_work = answer.normal_work;
  out.friction_work = answer.friction_work;
  out.energy_change = answer.energy_change;
  out.mode = mode;
  out.termination = termination;
  out.jammed = false;
  out.evaluations = 1;
  out.certificate.margins = answer.judged.margins;
  out.certificate.violated = set_of(answer.judged.violated);
  out.certificate.permissible = out.certificate.violated.empty();
  out.path.count = 0;
  return finite(answer);
}

template <class T>
bool finish(const Local<T>& local, const Solution<T>& solution, const Path<T>& path, double mu, Outcome& out) {
  const bool fine = take(certified<T>(local, solution, mu), solution.mode, solution.termination, out);
  out.jammed = solution.jammed;
  out.evaluations = solution.evaluations;
  const auto to_input = [&](const Vec3T<T>& v) {
    const Vec3T<T> x = times3<T>(local.R, v);
    return Vec3(double(x(0)), double(x(1)), double(x(2)));
  };
  if (path.count == 0) {
    out.path({Event::start, Vec3(0, 0, 0), to_input(local.V), 0, 0});
    out.path({Event::end, out.P, out.V, out.normal_work, out.friction_work});
  }
  for (const PathPoint<T>& p : path)
    out.path({p.event, to_input(p.P), to_input(p.V), double(p.normal_work), double(p.friction_work)});
  return fine;
}

inline void add_compression(const ContactView<double>&, const Impulse<double>&, Path<double>&) {}
inline void add_compression(const ContactView<double>& c, const TwoPhaseImpulse<double>& i, Path<double>& path) {
  const Vec3 P = i.P_cn * c.n + i.P_ct * i.t;
  const Works<double> works = work_of_compression(c, i);
  path({Event::compression_ends, P, velocity_after<double>(c.V, c.W, P), works.normal, works.friction});
}

// Out of the way of answers.
[[gnu::noinline, gnu::cold]] inline tl::unexpected<Error> too_large() {
  return fail(ErrorCode::overflow, "", "",
              "the answer for these numbers is too large for double precision; use other units");
}
[[gnu::noinline, gnu::cold]] inline tl::unexpected<Error> without_answer(Termination termination) {
  return fail(termination == Termination::no_solution ? ErrorCode::no_solution : ErrorCode::not_converged, "", "",
              std::string(describe(termination)));
}
/// An immovable direction needs local axes of its own.
template <class L>
[[gnu::noinline, gnu::cold]] Expected<Outcome> collide_immovable(const L& law, const Contact& contact, double mu) {
  return collide_by(law, contact, mu);
}

struct NeverRefused {
  Error operator()() const { return {}; }
};

/// The outcome of a law that is written in vectors; `refuse()` is the error for a contact that it does not serve. In
/// one piece, with [[gnu::flatten]] where it is called: as calls, its parts pass their numbers on through memory, which
/// takes as long as such a law.
template <class L, class Refuse = NeverRefused>
Expected<Outcome> collide_in_vectors(const L& law, const Contact& contact, double mu, const Refuse& refuse = {}) {
  Expected<Outcome> result(tl::in_place);
  const ContactView<double> c(contact.M, contact.W, contact.V, contact.n);
  if (!(c.V_n < 0)) {
    result = no_collision(contact);
    return result;
  }
  const auto answer = impulse(law, c);
  if (!answer.served) {
    result = tl::unexpected(refuse());
  } else if (answer.termination == Termination::no_solution) {
    result = without_answer(answer.termination);
  } else if (Outcome& out = *result; !take(certified<double>(c, answer, mu), answer.mode, answer.termination, out)) {
    result = too_large();
  } else {
    out.path({Event::start, Vec3(0, 0, 0), contact.V, 0, 0});
    add_compression(c, answer, out.path);
    out.path({Event::end, out.P, out.V, out.normal_work, out.friction_work});
  }
  return result;
}

// One object is returned on every way, so that it is made where the caller wants it: copying an outcome takes as long
// as an algebraic law.
template <class T>
Expected<Outcome> answer(const Local<T>& local, const Solution<T>& solution, const Path<T>& path, double mu) {
  Expected<Outcome> result(tl::in_place);
  if (solution.termination == Termination::no_solution || solution.termination == Termination::not_converged ||
      solution.termination == Termination::rings) {
    result = without_answer(solution.termination);
    return result;
  }
  if (!answer_detail::finish(local, solution, path, mu, *result)) result = too_large();
  return result;
}

}  // namespace ricochet::answer_detail
