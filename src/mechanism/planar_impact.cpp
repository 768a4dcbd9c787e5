#include "ricochet/mechanism/planar_impact.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/base/constants.hpp"
#include "ricochet/base/parameter_binding.hpp"
#include "ricochet/base/text.hpp"
#include "ricochet/law/planar_closed_forms.hpp"
#include "ricochet/mechanism/lagrangian.hpp"

namespace ricochet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double eps = std::numeric_limits<double>::epsilon();

template <class L>
Expected<void> check(const L& law) {
  return check_members<PlanarParameters<L>>(law);
}

double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

/// Determinant of W relative to its diagonal: (sin of the angle between what J_n and J_t can move)².
double independence(const PlanarProblem& c) {
  const double scale = c.w_nn * c.w_tt;
  return scale > 0 ? (scale - c.w_nt * c.w_nt) / scale : 0;
}

/// More than one degree of freedom at the contact. The entries of W are known to a few eps, and their determinant to
/// no more.
bool is_regular(const PlanarProblem& c) { return independence(c) > singular_floor; }

PlanarState at_start(const PlanarProblem& c) {
  PlanarState s;
  s.u = c.u;
  s.v_n = c.v_n;
  // As in `localize`: slip below the rounding of V is none.
  s.v_t = std::abs(c.v_t) <= 4 * eps * std::hypot(c.v_n, c.v_t) ? 0 : c.v_t;
  return s;
}

PlanarState advance(const PlanarProblem& c, const PlanarState& from, const PlanarPiece& r, double p, Pause pause) {
  PlanarState to;
  to.pause = pause;
  to.p_n = from.p_n + p;
  to.p_t = from.p_t + r.sigma * p;
  to.u = c.u + c.L_n * to.p_n + c.L_t * to.p_t;
  to.v_n = from.v_n + r.k * p;
  to.v_t = from.v_t + r.g * p;
  to.E_n = from.E_n + p * (from.v_n + 0.5 * r.k * p);
  to.E_t = from.E_t + r.sigma * p * (from.v_t + 0.5 * r.g * p);
  return to;
}

PlanarOutcome no_impact(const PlanarProblem& c) {
  PlanarOutcome out;
  out.states.push_back(at_start(c));
  out.u = c.u;
  return out;
}

Expected<PlanarOutcome> finish(const PlanarProblem& c, PlanarOutcome out) {
  const PlanarState& last = out.states.back();
  out.u = last.u;
  out.p_n = last.p_n;
  out.p_t = last.p_t;
  out.normal_work = last.E_n;
  out.friction_work = last.E_t;
  out.energy_change = last.E_n + last.E_t;
  out.P = out.p_n * c.n + out.p_t * c.t;
  if (!out.u.allFinite() || !out.P.allFinite() || !std::isfinite(out.energy_change))
    return fail(ErrorCode::overflow, "u", "", "the answer exceeds double precision; use other units");
  return out;
}

/// The rates while slip is stopped: sticking where static friction can hold, else slip in the sense in which it grows.
struct AtRest {
  PlanarPiece rates;
  bool sticks = false;
};

AtRest at_rest(const PlanarProblem& c, double hold, double mu, double mu_s) {
  AtRest r;
  r.sticks = std::abs(hold) <= mu_s;
  if (r.sticks) {
    const double k = c.w_nn * independence(c);
    // With one degree of freedom nothing moves any more; where w_tt = 0 sticking is free and k = w_nn.
    r.rates = {hold, c.w_tt > 0 ? (is_regular(c) ? k : 0) : c.w_nn, 0};
  } else {
    const double sigma = -mu * sign(c.w_nt);
    r.rates = {sigma, c.w_nn + sigma * c.w_nt, c.w_nt + sigma * c.w_tt};
  }
  return r;
}

enum class Stop : std::uint8_t { impulse, work };

Expected<PlanarOutcome> walk(const PlanarProblem& c, double e, double mu, double mu_s, Stop stop) {
  if (!(c.v_n < 0)) return no_impact(c);
  PlanarOutcome out;
  out.hold = c.w_tt > 0 ? -c.w_nt / c.w_tt : 0;
  PlanarState now = at_start(c);
  out.states.push_back(now);

  bool slipping = now.v_t != 0;
  const bool slid = slipping;
  bool rested = false, sticks = false;
  PlanarPiece rates;
  const auto rest = [&] {
    const AtRest r = at_rest(c, out.hold, mu, mu_s);
    rates = r.rates;
    sticks = r.sticks;
    slipping = !r.sticks;
    rested = true;
  };
  if (slipping) {
    rates.sigma = -mu * sign(now.v_t);
    rates.k = c.w_nn + rates.sigma * c.w_nt;
    rates.g = c.w_nt + rates.sigma * c.w_tt;
    out.p_star = now.v_t * rates.g < 0 ? -now.v_t / rates.g : infinity;
    out.jammed = rates.k < 0;
  } else {
    rest();
  }
  out.path = slid ? PlanarCase::normal_first : PlanarCase::tangential_first;

  const auto go = [&](double p, Pause pause) {
    now = advance(c, now, rates, p, pause);
    out.pieces.push_back(rates);
    if (pause == Pause::tangential || pause == Pause::both || sticks) now.v_t = 0;
    if (pause == Pause::normal || pause == Pause::both) now.v_n = 0;
    out.states.push_back(now);
  };
  /// Impulse until the slip that is going on stops; it does so once at most.
  const auto to_tangential = [&] { return slid && !rested ? out.p_star - now.p_n : infinity; };

  // Compression, boxes a and b of M11 Fig. 2.8. Where k ≤ 0 the contact goes deeper until the slip has stopped, and it
  // then does stop because W is positive.
  double to_normal = rates.k > 0 ? -now.v_n / rates.k : infinity;
  const double tie = is_regular(c) ? 8 * eps : 1e-9;
  if (slid && std::isfinite(out.p_star) && std::isfinite(to_normal) &&
      std::abs(out.p_star - to_normal) <= tie * std::max(out.p_star, to_normal)) {
    out.path = PlanarCase::simultaneous;
    go(to_normal, Pause::both);
    rest();
  } else {
    if (to_tangential() < to_normal) {
      out.path = PlanarCase::tangential_first;
      go(to_tangential(), Pause::tangential);
      rest();
      to_normal = rates.k > 0 ? -now.v_n / rates.k : infinity;
    }
    if (!std::isfinite(to_normal))
      return fail(
          ErrorCode::invalid, "W", fmt::format("w_nn = {}, w_nt = {}, w_tt = {}", c.w_nn, c.w_nt, c.w_tt),
          "must allow a compressive impulse to end the approach; the velocity violates a constraint of the contact");
    go(to_normal, Pause::normal);
  }
  out.p_c = now.p_n;
  const double E_c = now.E_n;

  // Restitution, boxes c and d; the returned work is accumulated from zero, so that small values keep their accuracy.
  double p_back = 0, E_back = 0;
  const auto to_stop = [&] {
    if (stop == Stop::impulse) return e * out.p_c - p_back;
    const double rest_of_work = -e * e * E_c - E_back;
    if (!(rest_of_work > 0) || !(rates.k > 0)) return 0.0;  // k = 0: an immovable contact returns no work
    return 2 * rest_of_work / (now.v_n + std::sqrt(now.v_n * now.v_n + 2 * rates.k * rest_of_work));
  };
  if (to_tangential() < to_stop()) {
    out.path = PlanarCase::normal_then_tangential;
    const double E_before = now.E_n, p_before = now.p_n;
    go(to_tangential(), Pause::tangential);
    p_back += now.p_n - p_before;
    E_back += now.E_n - E_before;
    rest();
  }
  go(std::max(0.0, to_stop()), Pause::end);
  if (!slid) {
    out.mode = sticks ? Mode::stick : Mode::slip;
  } else {
    out.mode = !rested ? Mode::slip : sticks ? Mode::slip_stick : Mode::slip_reversal;
  }
  return finish(c, std::move(out));
}

Expected<void> check_problem(const PlanarProblem& c) {
  if (c.L_n.size() != c.u.size() || c.L_t.size() != c.u.size())
    return fail(ErrorCode::wrong_type, "u", std::to_string(c.u.size()), "must have as many entries as L_n and L_t");
  const bool finite = c.u.allFinite() && c.L_n.allFinite() && c.L_t.allFinite() && std::isfinite(c.w_nn) &&
                      std::isfinite(c.w_nt) && std::isfinite(c.w_tt) && std::isfinite(c.v_n) && std::isfinite(c.v_t);
  if (!finite) return fail(ErrorCode::out_of_range, "problem", "", "every entry must be finite");
  return {};
}

double static_friction(double mu, double mu_s) { return mu_s < 0 ? mu : mu_s; }

}  // namespace

Expected<PlanarProblem> planar_problem(const MatX& mass, const Eigen::RowVectorXd& J_n, const Eigen::RowVectorXd& J_t,
                                       const VecX& u) {
  if (J_n.size() != u.size() || J_t.size() != u.size())
    return fail(ErrorCode::wrong_type, "u", std::to_string(u.size()),
                fmt::format("must have as many entries as J_n and J_t, {} and {}", J_n.size(), J_t.size()));
  if (mass.rows() != u.size())
    return fail(ErrorCode::wrong_type, "mass", fmt::format("{} × {}", mass.rows(), mass.cols()),
                fmt::format("must be {0} × {0}, as u has {0} entries", u.size()));
  const auto solve = dense_solver(mass);
  if (!solve) return tl::unexpected(solve.error());
  PlanarProblem c;
  c.u = u;
  c.L_n = (*solve)(J_n.transpose());
  c.L_t = (*solve)(J_t.transpose());
  c.w_nn = J_n.dot(c.L_n);
  c.w_nt = J_n.dot(c.L_t);
  c.w_tt = J_t.dot(c.L_t);
  c.v_n = J_n.dot(u);
  c.v_t = J_t.dot(u);
  if (auto fine = check_problem(c); !fine) return tl::unexpected(fine.error());
  return c;
}

Expected<PlanarProblem> planar_problem(const Response& response, const Vec3& t) {
  const Vec3 n = response.contact.n;
  if (!t.allFinite() || std::abs(t.norm() - 1) > 1e-9 || std::abs(t.dot(n)) > 1e-9)
    return fail(ErrorCode::invalid, "t", to_text(t), "must be a unit vector across n");
  const Vec3 along = (t - t.dot(n) * n).normalized();
  const Vec3 across = n.cross(along);
  const Vec3 coupling = response.W * across;
  const double loose = 1e-9 * response.W.norm();
  if (std::abs(coupling.dot(n)) > loose || std::abs(coupling.dot(along)) > loose)
    return fail(ErrorCode::invalid, "W", to_text(response.W),
                fmt::format("must not couple the plane of n and t to {}: the impact is not planar", to_text(across)));
  if (std::abs(response.V.dot(across)) > 1e-9 * response.V.norm())
    return fail(ErrorCode::invalid, "V", to_text(response.V),
                fmt::format("must have no part along {}", to_text(across)));
  PlanarProblem c;
  c.u = response.u;
  c.n = n;
  c.t = along;
  c.L_n = response.L * n;
  c.L_t = response.L * along;
  c.w_nn = n.dot(response.W * n);
  c.w_nt = n.dot(response.W * along);
  c.w_tt = along.dot(response.W * along);
  c.v_n = n.dot(response.V);
  c.v_t = along.dot(response.V);
  if (auto fine = check_problem(c); !fine) return tl::unexpected(fine.error());
  return c;
}

std::string_view name(Pause pause) {
  switch (pause) {
    case Pause::start: return "start";
    case Pause::normal: return "normal";
    case Pause::tangential: return "tangential";
    case Pause::both: return "both";
    case Pause::end: return "end";
  }
  return "";
}

std::string_view morgan_path(PlanarCase c) {
  switch (c) {
    case PlanarCase::tangential_first:
    case PlanarCase::simultaneous: return "a-b-e";
    case PlanarCase::normal_first: return "a-c-e";
    case PlanarCase::normal_then_tangential: return "a-c-d-e";
    case PlanarCase::separating:
    case PlanarCase::at_once: break;
  }
  return "";
}

std::string_view shen_townsend_case(PlanarCase c) {
  switch (c) {
    case PlanarCase::tangential_first: return "i";
    case PlanarCase::simultaneous: return "ii";
    case PlanarCase::normal_first:
    case PlanarCase::normal_then_tangential: return "iii";
    case PlanarCase::separating:
    case PlanarCase::at_once: break;
  }
  return "";
}

Expected<PlanarOutcome> collide(const Morgan& law, const PlanarProblem& problem) {
  const auto fine = check(law).and_then([&] { return check_problem(problem); });
  if (!fine) return tl::unexpected(fine.error());
  return walk(problem, law.e, law.mu, static_friction(law.mu, law.mu_s), Stop::work);
}

Expected<PlanarOutcome> collide(const ShenTownsend& law, const PlanarProblem& problem) {
  const auto fine = check(law).and_then([&] { return check_problem(problem); });
  if (!fine) return tl::unexpected(fine.error());
  return walk(problem, law.e, law.mu, static_friction(law.mu, law.mu_s), Stop::impulse);
}

Expected<PlanarOutcome> collide(const Conventional& law, const PlanarProblem& problem) {
  const PlanarProblem& c = problem;
  const auto fine = check(law).and_then([&] { return check_problem(c); });
  if (!fine) return tl::unexpected(fine.error());
  if (!(c.v_n < 0)) return no_impact(c);
  const double mu_s = static_friction(law.mu, law.mu_s);
  const PlanarState start = at_start(c);
  const double rise = -(1 + law.e) * c.v_n;

  PlanarOutcome out;
  out.path = PlanarCase::at_once;
  out.hold = c.w_tt > 0 ? -c.w_nt / c.w_tt : 0;
  out.states.push_back(start);

  // Sticking: W p = (rise, −v_t). Without tangential mobility there is no slip to stop.
  double p_n = 0, p_t = 0;
  bool can_stick = false;
  if (is_regular(c)) {
    const double det = c.w_nn * c.w_tt * independence(c);
    p_n = (c.w_tt * rise + c.w_nt * start.v_t) / det;
    p_t = (-c.w_nn * start.v_t - c.w_nt * rise) / det;
    can_stick = p_n > 0 && std::abs(p_t) <= mu_s * p_n;
  } else if (!(c.w_tt > 0)) {
    p_n = rise / c.w_nn;
    can_stick = true;
  }
  double sigma = 0;
  if (can_stick) {
    sigma = p_t / p_n;
  } else {
    const double tendency = start.v_t != 0 ? start.v_t : c.w_nt;  // without slip: the slip that p_n alone would cause
    const double sense = law.opposes == Opposes::initial_slip || start.v_t == 0 ? sign(tendency) : -sign(tendency);
    sigma = -law.mu * sense;
    const double k = c.w_nn + sigma * c.w_nt;
    if (!(k > 0))
      return fail(
          ErrorCode::no_solution, "mu", to_text(law.mu),
          "is so large that no compressive impulse with friction in the assumed direction separates the bodies");
    p_n = rise / k;
  }
  const PlanarPiece rates{sigma, c.w_nn + sigma * c.w_nt, c.w_nt + sigma * c.w_tt};
  out.p_c = -c.v_n / rates.k;
  out.p_star = start.v_t == 0 ? 0 : start.v_t * rates.g < 0 ? -start.v_t / rates.g : infinity;
  out.pieces.push_back(rates);
  out.states.push_back(advance(c, start, rates, p_n, Pause::end));
  if (can_stick) out.states.back().v_t = 0;
  out.mode = can_stick                               ? (start.v_t == 0 ? Mode::stick : Mode::slip_stick)
             : start.v_t * out.states.back().v_t < 0 ? Mode::slip_reversal
                                                     : Mode::slip;
  return finish(c, std::move(out));
}

Expected<PlanarState> state_at(const PlanarOutcome& outcome, double p_n) {
  if (outcome.states.empty()) return fail(ErrorCode::invalid, "outcome", "", "must come from collide");
  if (!(p_n >= 0) || !(p_n <= outcome.p_n))
    return fail(ErrorCode::out_of_range, "p_n", to_text(p_n), fmt::format("must be between 0 and {}", outcome.p_n));
  std::size_t i = 0;
  while (i + 1 < outcome.pieces.size() && outcome.states[i + 1].p_n <= p_n) ++i;
  PlanarState s = outcome.states[i];
  if (outcome.pieces.empty()) return s;
  const PlanarState& next = outcome.states[i + 1];
  const PlanarPiece& r = outcome.pieces[i];
  const double p = p_n - s.p_n;
  const double share = next.p_n > s.p_n ? p / (next.p_n - s.p_n) : 0;
  s.E_n += p * (s.v_n + 0.5 * r.k * p);
  s.E_t += r.sigma * p * (s.v_t + 0.5 * r.g * p);
  s.u += share * (next.u - s.u);
  s.v_n += r.k * p;
  s.v_t += r.g * p;
  s.p_n = p_n;
  s.p_t += r.sigma * p;
  return s;
}

}  // namespace ricochet
