#include "motion/contact_forces.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "ricochet/law/friction_at_given_normal.hpp"

namespace ricochet::motion {
namespace {

using Vec2 = Eigen::Vector2d;
using At = Eigen::Index;

struct LocalForce {
  Vec3 F = Vec3::Zero();
  ContactMode mode = ContactMode::open;
  Vec2 s = Vec2::Zero();
  bool jammed = false;
};

/// Force of a contact that slides along s and would have the acceleration q without it.
LocalForce sliding_force(const Mat3& W, const Vec3& q, double mu, const Vec2& s) {
  LocalForce out;
  out.s = s;
  const Vec3 direction(1, -mu * s.x(), -mu * s.y());
  const double D = W.row(0).dot(direction);
  if (!(q(0) < 0)) return out;
  out.mode = ContactMode::slide;
  if (!(D > 0)) {
    out.jammed = true;
    return out;
  }
  out.F = -q(0) / D * direction;
  return out;
}

/// Slip that begins from rest has the direction of its acceleration, (MO18): N and its friction in turns, from those of
/// the last sweep. Both are exact for the other, and together where they no longer change.
LocalForce beginning_slip(const ForceContact& contact, const Mat3& W, const Vec3& q, const Vec3& last) {
  LocalForce out;
  out.mode = ContactMode::slide;
  out.F = last;
  // Without a limit nothing slips, and what no force holds jams.
  if (!std::isfinite(contact.mu)) {
    out.jammed = true;
    return out;
  }
  const Mat2 W_tt = W.block<2, 2>(1, 1);
  for (int turn = 0; turn < 10; ++turn) {
    const Vec3 before = out.F;
    out.F(0) = std::max(0.0, -(q(0) + W.block<1, 2>(0, 1).dot(out.F.tail<2>())) / W(0, 0));
    const Vec2 g = q.tail<2>() + W.block<2, 1>(1, 0) * out.F(0);
    out.F.tail<2>() = friction_at_given_normal<double>(W_tt, g, contact.mu * out.F(0)).q;
    if ((out.F - before).norm() <= 1e-15 * out.F.norm()) break;
  }
  const double friction = out.F.tail<2>().norm();
  out.s = friction > 0 ? Vec2(-out.F.tail<2>() / friction) : Vec2(Vec2::UnitX());
  return out;
}

LocalForce local_force(const ForceContact& contact, const Mat3& W, const Mat3& inverse, const Vec3& q,
                       const Vec3& last) {
  if (contact.slides) return sliding_force(W, q, contact.mu, contact.s);
  LocalForce out;
  if (!(q(0) < 0)) {
    out.s = Vec2::UnitX();
    return out;
  }
  const Vec3 held = -inverse * q;
  const double tangential = held.tail<2>().norm();
  if (held(0) > 0 && tangential <= contact.mu_s * held(0)) {
    out.F = held;
    out.mode = ContactMode::stick;
    return out;
  }
  if (contact.mu == 0) {
    const Vec2 a = q.tail<2>() - W.bottomLeftCorner<2, 1>() * (q(0) / W(0, 0));
    return sliding_force(W, q, 0, a.norm() > 0 ? Vec2(a.normalized()) : Vec2(Vec2::UnitX()));
  }
  return beginning_slip(contact, W, q, last);
}

/// Of a single row with the mobility w that would have the acceleration q without its force.
double row_force(const ForceRow& row, double w, double q) {
  if (!(w > 0)) return 0;
  return row.stop ? std::max(0.0, -q / w) : std::clamp(-q / w, -row.limit, row.limit);
}
ContactMode row_mode(const ForceRow& row, double w, double q) {
  const double held = w > 0 ? -q / w : 0;
  if (row.stop) return held > 0 ? ContactMode::stick : ContactMode::open;
  return std::abs(held) <= row.limit ? ContactMode::stick : ContactMode::slide;
}

/// The forces of the modes that the sweeps have come to, as one linear system: the smallest change of F that satisfies
/// it. Nothing where these forces contradict the modes.
std::optional<VecX> linear_forces(const ForceProblem& problem, const ForceAnswer& now) {
  const std::size_t m = problem.contacts.size();
  const At rows = problem.b.size(), singles = rows - static_cast<At>(problem.rows.size());
  // F = given + Σ x d: x is the normal force of a sliding contact, and a component of F otherwise. No two d share a
  // row.
  struct Unknown {
    At kept;  ///< row of the acceleration that vanishes
    At count;
    Vec3 d;  ///< the first `count` numbers, from row `kept`
  };
  std::vector<Unknown> unknowns;
  VecX given = VecX::Zero(rows);
  for (std::size_t k = 0; k < static_cast<std::size_t>(singles) / 3; ++k) {
    const At at = static_cast<At>(3 * k);
    const ContactMode mode = k < m ? now.modes[k] : ContactMode::stick;
    if (mode == ContactMode::open) continue;
    if (mode == ContactMode::slide) {
      const Vec2 friction = -problem.contacts[k].mu * now.s[k];
      unknowns.push_back({at, 3, Vec3(1, friction.x(), friction.y())});
      continue;
    }
    for (At i = 0; i < 3; ++i) unknowns.push_back({at + i, 1, Vec3::UnitX()});
  }
  for (std::size_t r = 0; r < problem.rows.size(); ++r) {
    const At at = singles + static_cast<At>(r);
    if (now.row_modes[r] == ContactMode::stick) {
      unknowns.push_back({at, 1, Vec3::UnitX()});
    } else if (now.row_modes[r] == ContactMode::slide) {
      given(at) = now.F(at) < 0 ? -problem.rows[r].limit : problem.rows[r].limit;
    }
  }
  if (unknowns.empty()) return given;
  // From what the modes allow of the present forces.
  VecX F = given;
  for (const Unknown& x : unknowns) {
    const auto d = x.d.head(x.count);
    F.segment(x.kept, x.count) += d * (d.dot((now.F - given).segment(x.kept, x.count)) / d.squaredNorm());
  }
  const VecX a = problem.W * F + problem.b;
  const auto count = static_cast<At>(unknowns.size());
  MatX A(count, count);
  VecX left(count);
  for (At c = 0; c < count; ++c) {
    const Unknown& x = unknowns[static_cast<std::size_t>(c)];
    const VecX response = problem.W.middleCols(x.kept, x.count) * x.d.head(x.count);
    for (At r = 0; r < count; ++r) A(r, c) = response(unknowns[static_cast<std::size_t>(r)].kept);
    left(c) = -a(x.kept);
  }
  Eigen::CompleteOrthogonalDecomposition<MatX> solver;
  solver.setThreshold(1e-11);
  solver.compute(A);
  const VecX change = solver.solve(left);
  for (At c = 0; c < count; ++c) {
    const Unknown& x = unknowns[static_cast<std::size_t>(c)];
    F.segment(x.kept, x.count) += change(c) * x.d.head(x.count);
  }
  const VecX end = problem.W * F + problem.b;
  const double size = problem.b.cwiseAbs().maxCoeff();
  for (const Unknown& x : unknowns)
    if (!(std::abs(end(x.kept)) <= 1e-11 * size)) return std::nullopt;
  return F;
}

/// As above, with the directions of slip that begins: they turn until each is that of its acceleration.
std::optional<VecX> forces_of_modes(const ForceProblem& problem, ForceAnswer& now) {
  const std::size_t m = problem.contacts.size();
  const double size = problem.b.cwiseAbs().maxCoeff();
  std::optional<VecX> found;
  VecX a;
  for (int turn = 0; turn < 40; ++turn) {
    found = linear_forces(problem, now);
    if (!found) return std::nullopt;
    a = problem.W * *found + problem.b;
    double turned = 0;
    for (std::size_t k = 0; k < m; ++k) {
      const ForceContact& c = problem.contacts[k];
      if (now.modes[k] != ContactMode::slide || c.slides || c.mu == 0) continue;
      const At at = static_cast<At>(3 * k);
      const Mat2 W_tt = problem.W.block<2, 2>(at + 1, at + 1);
      const Vec2 g = a.segment<2>(at + 1) - W_tt * found->segment<2>(at + 1);
      const auto friction = friction_at_given_normal<double>(W_tt, g, c.mu * (*found)(at));
      if (friction.sticks || !(friction.q.norm() > 0)) return std::nullopt;
      const Vec2 s = -friction.q.normalized();
      turned = std::max(turned, (s - now.s[k]).norm());
      now.s[k] = s;
    }
    if (turned <= 1e-13) break;
  }
  for (std::size_t k = 0; k < m; ++k) {
    const ForceContact& c = problem.contacts[k];
    const At at = static_cast<At>(3 * k);
    const Vec3 own = found->segment<3>(at), rate = a.segment<3>(at);
    switch (now.modes[k]) {
      case ContactMode::open:
        if (!(rate(0) >= -1e-11 * size)) return std::nullopt;
        break;
      case ContactMode::stick:
        if (!(own(0) >= 0) || !(own.tail<2>().norm() <= c.mu_s * own(0))) return std::nullopt;
        break;
      case ContactMode::slide:
        if (!(own(0) >= 0)) return std::nullopt;
        if (!c.slides && !(rate.tail<2>().dot(now.s[k]) >= (1 - 1e-9) * rate.tail<2>().norm() - 1e-11 * size))
          return std::nullopt;
        break;
    }
  }
  for (std::size_t r = 0; r < problem.rows.size(); ++r) {
    const ForceRow& row = problem.rows[r];
    const At at = problem.b.size() - static_cast<At>(problem.rows.size() - r);
    const double F = (*found)(at), rate = a(at);
    const bool fits = now.row_modes[r] == ContactMode::open    ? rate >= -1e-11 * size
                      : now.row_modes[r] == ContactMode::slide ? rate * F <= 1e-11 * size * row.limit
                      : row.stop                               ? F >= 0
                                                               : std::abs(F) <= row.limit;
    if (!fits) return std::nullopt;
  }
  return found;
}

/// Modes by looking at all choices, in the order of the number of contacts that begin to slip, (MO19). Where all
/// contacts slide this is a linear complementarity problem, and that nothing is found proves that it has no solution.
enum class Choice : std::uint8_t { found, none, too_many };
Choice choose_modes(const ForceProblem& problem, ForceAnswer& out) {
  using Mode = ContactMode;
  const std::size_t m = problem.contacts.size(), count = m + problem.rows.size();
  const At singles = problem.b.size() - static_cast<At>(problem.rows.size());
  constexpr std::size_t most = 8192;
  // Of a contact open, pressing (sliding or sticking) and beginning to slip; of dry friction sticking and its two
  // limits.
  std::vector<std::size_t> choices;
  std::size_t all = 1, at_rest = 0;
  for (const ForceContact& c : problem.contacts) {
    choices.push_back(c.slides || !std::isfinite(c.mu) ? 2 : 3);
    if (!c.slides) ++at_rest;
  }
  for (const ForceRow& row : problem.rows) choices.push_back(row.stop ? 2 : 3);
  for (const std::size_t c : choices) {
    all *= c;
    if (all > most) return Choice::too_many;
  }
  for (std::size_t slips = 0; slips <= at_rest; ++slips)
    for (std::size_t number = 0; number < all; ++number) {
      ForceAnswer trial = out;
      trial.F.setZero();
      std::size_t rest = number, begin = 0;
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t choice = rest % choices[k];
        rest /= choices[k];
        if (k < m) {
          const ForceContact& c = problem.contacts[k];
          trial.modes[k] = choice == 0 ? Mode::open : choice == 2 || c.slides ? Mode::slide : Mode::stick;
          if (c.slides) trial.s[k] = c.s;
          if (choice != 2) continue;
          ++begin;
          if (!(trial.s[k].norm() > 0)) trial.s[k] = Vec2::UnitX();
          continue;
        }
        const ForceRow& row = problem.rows[k - m];
        trial.row_modes[k - m] =
            row.stop ? (choice == 0 ? Mode::open : Mode::stick) : (choice == 0 ? Mode::stick : Mode::slide);
        if (!row.stop && choice > 0) trial.F(singles + static_cast<At>(k - m)) = choice == 1 ? 1 : -1;
      }
      if (begin != slips) continue;
      if (const auto found = forces_of_modes(problem, trial)) {
        out = trial;
        out.F = *found;
        return Choice::found;
      }
    }
  return Choice::none;
}

/// By how much the forces of contacts that do not slide yet miss N ≥ 0, a_n ≥ 0, N a_n = 0 and Coulomb's friction,
/// relative to the largest b: what a projected step from them would change.
double violation(const ForceProblem& problem, const VecX& F) {
  const VecX a = problem.W * F + problem.b;
  double out = 0;
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ForceContact& c = problem.contacts[k];
    const At at = static_cast<At>(3 * k);
    const double w = problem.W(at, at), most = problem.W(at + 1, at + 1) + problem.W(at + 2, at + 2);
    out = std::max(out, w > 0 ? std::abs(std::min(w * F(at), a(at))) : -a(at));
    if (c.slides || !std::isfinite(c.mu) || !(most > 0)) continue;
    const Vec2 T = F.segment<2>(at + 1);
    Vec2 next = T - a.segment<2>(at + 1) / most;
    if (const double q = next.norm(), limit = c.mu * F(at); q > limit) next *= limit / q;
    out = std::max(out, most * (next - T).norm());
  }
  return out / problem.b.cwiseAbs().maxCoeff();
}

/// Forces of contacts none of which slides yet, by sweeps that project N and friction in turns: N onto N ≥ 0, friction
/// by a step of at most the mobility onto the disc μ N. They are slow, and need no modes, so that they also settle
/// where sweeps over whole contacts alternate between sticking and slipping.
/// At most `products` products are formed.
bool project_in_turns(const ForceProblem& problem, ForceAnswer& out, double products) {
  const std::size_t m = problem.contacts.size();
  const At rows = problem.b.size(), singles = rows - static_cast<At>(problem.rows.size());
  if (singles != 3 * static_cast<At>(m) ||
      std::any_of(problem.contacts.begin(), problem.contacts.end(),
                  [](const ForceContact& c) { return c.slides || !std::isfinite(c.mu) || c.mu_s > c.mu; }))
    return false;
  const double size = problem.b.cwiseAbs().maxCoeff();
  const auto most_sweeps = static_cast<long>(products / static_cast<double>(rows * rows));
  ForceAnswer trial = out;
  VecX F = VecX::Zero(rows), a = problem.b;
  long next_guess = 100;
  double change = 0;
  const auto move = [&](At row, double difference) {
    if (difference == 0) return;
    F(row) += difference;
    a += problem.W.col(row) * difference;
    change = std::max(change, problem.W(row, row) * std::abs(difference));
  };
  for (long sweep = 0; sweep < most_sweeps; ++sweep) {
    change = 0;
    for (std::size_t k = 0; k < m; ++k) {
      const At at = static_cast<At>(3 * k);
      if (const double w = problem.W(at, at); w > 0) move(at, std::max(-F(at), -a(at) / w));
      const double most = problem.W(at + 1, at + 1) + problem.W(at + 2, at + 2), limit = problem.contacts[k].mu * F(at);
      if (!(most > 0)) continue;
      Vec2 friction = F.segment<2>(at + 1) - a.segment<2>(at + 1) / most;
      if (const double q = friction.norm(); q > limit) friction *= limit / q;
      const Vec2 difference = friction - F.segment<2>(at + 1);
      move(at + 1, difference.x());
      move(at + 2, difference.y());
    }
    for (std::size_t r = 0; r < problem.rows.size(); ++r) {
      const At at = singles + static_cast<At>(r);
      if (const double w = problem.W(at, at); w > 0) move(at, row_force(problem.rows[r], w, a(at) - w * F(at)) - F(at));
    }
    if (sweep % 64 == 63) a = problem.W * F + problem.b;
    const bool ended = change <= 1e-15 * size;
    if (!ended && sweep != next_guess) continue;
    next_guess *= 2;
    // Modes of these forces have theirs at once, if they are right.
    trial.F = F;
    for (std::size_t k = 0; k < m; ++k) {
      const At at = static_cast<At>(3 * k);
      const double q = F.segment<2>(at + 1).norm(), limit = problem.contacts[k].mu * F(at);
      trial.modes[k] = !(F(at) > 0)             ? ContactMode::open
                       : q < (1 - 1e-9) * limit ? ContactMode::stick
                                                : ContactMode::slide;
      trial.s[k] = q > 0 ? Vec2(-F.segment<2>(at + 1) / q) : Vec2(Vec2::UnitX());
    }
    for (std::size_t r = 0; r < problem.rows.size(); ++r) {
      const At at = singles + static_cast<At>(r);
      trial.row_modes[r] = row_mode(problem.rows[r], problem.W(at, at), a(at) - problem.W(at, at) * F(at));
    }
    ForceAnswer exact = trial;
    if (const auto found = forces_of_modes(problem, exact); found && violation(problem, *found) <= 1e-12) {
      out = exact;
      out.F = *found;
      return true;
    }
    if (ended) {
      out = trial;
      return true;
    }
  }
  return false;
}

/// The answer with the modes that forces have, if it is exact with them.
bool accept_modes(const ForceProblem& problem, const VecX& F, ForceAnswer& out) {
  const At singles = problem.b.size() - static_cast<At>(problem.rows.size());
  const VecX a = problem.W * F + problem.b;
  ForceAnswer trial = out;
  trial.F = F;
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ForceContact& c = problem.contacts[k];
    const At at = static_cast<At>(3 * k);
    const double q = F.segment<2>(at + 1).norm(), limit = c.mu * F(at);
    trial.modes[k] = !(F(at) > 0)                                                     ? ContactMode::open
                     : c.slides || (std::isfinite(c.mu) && !(q < (1 - 1e-9) * limit)) ? ContactMode::slide
                                                                                      : ContactMode::stick;
    trial.s[k] = c.slides ? c.s : q > 0 ? Vec2(-F.segment<2>(at + 1) / q) : Vec2(Vec2::UnitX());
  }
  for (std::size_t r = 0; r < problem.rows.size(); ++r) {
    const At at = singles + static_cast<At>(r);
    trial.row_modes[r] = row_mode(problem.rows[r], problem.W(at, at), a(at) - problem.W(at, at) * F(at));
  }
  const auto found = forces_of_modes(problem, trial);
  if (!found || violation(problem, *found) > 1e-12) return false;
  out = trial;
  out.F = *found;
  return true;
}

/// Newton's method on what a projected step changes, N onto N ≥ 0 and friction onto the disc of the N that this gives:
/// it settles many contacts at once, where sweeps converge slowly. Each step is the smallest that solves its linear
/// system. It may not converge.
bool project_at_once(const ForceProblem& problem, ForceAnswer& out) {
  const At rows = problem.b.size(), singles = rows - static_cast<At>(problem.rows.size());
  if (std::any_of(problem.contacts.begin(), problem.contacts.end(),
                  [](const ForceContact& c) { return !c.slides && c.mu_s > c.mu; }))
    return false;
  VecX F = out.F;
  MatX J(rows, rows);
  VecX r(rows);
  double before = std::numeric_limits<double>::infinity();
  int worse = 0;
  for (int turn = 0; turn < 40; ++turn) {
    const VecX a = problem.W * F + problem.b;
    // A row of J is that of W where an acceleration vanishes, and that of the identity where a force is known.
    const auto known = [&](At row, double error) {
      J.row(row).setZero();
      J(row, row) = 1;
      r(row) = error;
    };
    const auto vanishes = [&](At row) {
      J.row(row) = problem.W.row(row);
      r(row) = a(row);
    };
    for (At at = 0; at < singles; at += 3) {
      const auto k = static_cast<std::size_t>(at / 3);
      const double w = problem.W(at, at);
      const double most = problem.W(at + 1, at + 1) + problem.W(at + 2, at + 2);
      if (k >= problem.contacts.size()) {
        for (At i = 0; i < 3; ++i) vanishes(at + i);
        continue;
      }
      const ForceContact& c = problem.contacts[k];
      const double N = w > 0 ? F(at) - a(at) / w : 0;
      if (!(N > 0)) {
        for (At i = 0; i < 3; ++i) known(at + i, F(at + i));
        continue;
      }
      vanishes(at);
      if (c.slides) {
        for (At i = 0; i < 2; ++i) {
          known(at + 1 + i, F(at + 1 + i) + c.mu * c.s(i) * F(at));
          J(at + 1 + i, at) = c.mu * c.s(i);
        }
        continue;
      }
      const Vec2 T = F.segment<2>(at + 1);
      const Vec2 z = most > 0 ? Vec2(T - a.segment<2>(at + 1) / most) : T;
      const double q = z.norm(), limit = c.mu * N;
      if (!std::isfinite(c.mu) || q <= limit) {
        vanishes(at + 1);
        vanishes(at + 2);
        continue;
      }
      // T = μ N z/‖z‖.
      const Vec2 along = z / q;
      const Mat2 turned = limit / q * (Mat2::Identity() - along * along.transpose());
      for (At i = 0; i < 2; ++i) {
        J.row(at + 1 + i) = (turned(i, 0) * problem.W.row(at + 1) + turned(i, 1) * problem.W.row(at + 2)) / most +
                            c.mu * along(i) / w * problem.W.row(at);
        J(at + 1 + i, at) -= c.mu * along(i);
        J(at + 1 + i, at + 1) -= turned(i, 0);
        J(at + 1 + i, at + 2) -= turned(i, 1);
        J(at + 1 + i, at + 1 + i) += 1;
        r(at + 1 + i) = T(i) - limit * along(i);
      }
    }
    for (std::size_t n = 0; n < problem.rows.size(); ++n) {
      const At at = singles + static_cast<At>(n);
      const double w = problem.W(at, at), q = a(at) - w * F(at), wanted = row_force(problem.rows[n], w, q);
      const ForceRow& row = problem.rows[n];
      if (w > 0 && (row.stop ? wanted > 0 : std::abs(wanted) < row.limit))
        vanishes(at);
      else
        known(at, F(at) - wanted);
    }
    Eigen::CompleteOrthogonalDecomposition<MatX> solver;
    solver.setThreshold(1e-11);
    solver.compute(J);
    const VecX change = solver.solve(-r);
    if (!change.allFinite()) return false;
    F += change;
    const double moved = (problem.W * change).cwiseAbs().maxCoeff();
    if (moved <= 1e-12 * problem.b.cwiseAbs().maxCoeff()) return accept_modes(problem, F, out);
    worse = moved < before ? 0 : worse + 1;
    if (worse > 6) return false;
    before = std::min(before, moved);
  }
  return false;
}

ForceAnswer solve_forces(const ForceProblem& problem) {
  const std::size_t m = problem.contacts.size();
  const At rows = problem.b.size(), singles = rows - static_cast<At>(problem.rows.size());
  const std::size_t blocks = static_cast<std::size_t>(singles) / 3;
  ForceAnswer out;
  out.row_modes.assign(problem.rows.size(), ContactMode::open);
  out.F = problem.guess.size() == rows ? problem.guess : VecX(VecX::Zero(rows));
  out.modes.assign(m, ContactMode::open);
  out.s.assign(m, Vec2::Zero());
  out.ambiguous.assign(m, false);
  if (rows == 0) return out;
  const double size = problem.b.cwiseAbs().maxCoeff();
  VecX a = problem.W * out.F + problem.b, moved = a;
  // W of a block may be singular: a direction in which nothing can move carries no force.
  std::vector<Mat3> inverse;
  for (std::size_t k = 0; k < blocks; ++k) {
    const At at = static_cast<At>(3 * k);
    inverse.emplace_back(Mat3(problem.W.block<3, 3>(at, at)).completeOrthogonalDecomposition().pseudoInverse());
  }
  constexpr int most_sweeps = 8000;
  bool converged = false;
  std::optional<std::size_t> jammed;  // the contact that the others, as they are, leave without a force
  double change = 0;
  int next_guess = 10;
  for (int sweep = 0; sweep < most_sweeps && !converged && !jammed; ++sweep) {
    change = 0;
    const double share = sweep < 300    ? 1
                         : sweep < 1500 ? 0.6
                                        : 0.25;  // modes that alternate settle at a part of the way
    for (std::size_t k = 0; k < blocks; ++k) {
      const At at = static_cast<At>(3 * k);
      const Mat3 W = problem.W.block<3, 3>(at, at);
      const Vec3 F = out.F.segment<3>(at), q = a.segment<3>(at) - W * F;
      Vec3 next;
      if (k < m) {
        LocalForce force = local_force(problem.contacts[k], W, inverse[k], q, F);
        // What closes by rounding only needs no force.
        if (force.jammed && q(0) >= -1e-13 * size) force = LocalForce{};
        if (force.jammed) {
          jammed = k;
          break;
        }
        next = force.F;
        out.modes[k] = force.mode;
        out.s[k] = force.s;
      } else {
        next = -inverse[k] * q;
      }
      const Vec3 difference = share * (next - F);
      if (difference.isZero(0)) continue;
      moved.noalias() = problem.W.middleCols<3>(at) * difference;
      a += moved;
      out.F.segment<3>(at) += difference;
      change = std::max(change, moved.cwiseAbs().maxCoeff());
    }
    if (jammed) break;
    for (std::size_t r = 0; r < problem.rows.size(); ++r) {
      const At at = singles + static_cast<At>(r);
      const double w = problem.W(at, at), q = a(at) - w * out.F(at);
      out.row_modes[r] = row_mode(problem.rows[r], w, q);
      const double difference = share * (row_force(problem.rows[r], w, q) - out.F(at));
      if (difference == 0) continue;
      moved.noalias() = problem.W.col(at) * difference;
      a += moved;
      out.F(at) += difference;
      change = std::max(change, moved.cwiseAbs().maxCoeff());
    }
    converged = change <= 1e-14 * size || blocks + problem.rows.size() == 1;
    if (sweep % 64 == 63) a = problem.W * out.F + problem.b;  // what rounding has added is removed
    // Modes that no longer change have their forces at once.
    if (!converged && sweep == next_guess) {
      next_guess += std::max(10, next_guess / 4);
      ForceAnswer guess = out;
      if (const auto exact = forces_of_modes(problem, guess)) {
        out.F = *exact;
        out.s = guess.s;
        converged = true;
      }
    }
    if (!converged && (sweep == 200 || sweep == 1000) && change < size) converged = project_at_once(problem, out);
    // Forces without limit: no forces hold contacts that slide, though each of them alone would be held (Painlevé).
    if (!(change < 1e8 * size)) break;
    // Slow convergence ends where forces no longer decide anything.
    if (sweep > 2000 && change <= 1e-10 * size) converged = true;
  }
  // Sweeps do not converge, or only with forces without limit: sliding contacts, alone or against stops, may have no
  // forces at all (Painlevé).
  if (jammed || (!converged && !(change <= 1e-6 * size))) {
    const bool unbounded = jammed || !(change < 1e8 * size);
    const Choice choice = choose_modes(problem, out);
    converged = choice == Choice::found || (!jammed && project_in_turns(problem, out, 3e8));
    const auto sliding =
        std::count_if(problem.contacts.begin(), problem.contacts.end(), [](const ForceContact& c) { return c.slides; });
    const bool none_holds = choice == Choice::none && sliding > 0;
    if (none_holds || (unbounded && !converged && m > 0)) {
      out.status = ForceAnswer::Status::jammed;
      double largest = -1;
      for (std::size_t k = 0; k < m; ++k) {
        const double N = out.F(static_cast<At>(3 * k));
        if (!problem.contacts[k].slides || !(N >= largest)) continue;
        largest = N;
        out.jammed_contact = k;
      }
      if (jammed) out.jammed_contact = *jammed;
      out.a = problem.b;
      return out;
    }
  }
  // Sweeps may end where N and friction of one contact still change in turns.
  if (converged) {
    const double off = violation(problem, out.F);
    if (off > 1e-9 && !project_in_turns(problem, out, 3e7) && off > 1e-6) {
      converged = choose_modes(problem, out) == Choice::found;
      change = std::numeric_limits<double>::infinity();
    }
  }
  out.a = problem.W * out.F + problem.b;
  // Modes follow from less, and impulses that are not exact leave an approach that is resolved next.
  if (!converged && !(change <= 1e-6 * size)) out.status = ForceAnswer::Status::not_converged;
  for (std::size_t k = 0; k < m; ++k) {
    const ForceContact& c = problem.contacts[k];
    const At at = static_cast<At>(3 * k);
    const Vec3 direction(1, -c.mu * c.s.x(), -c.mu * c.s.y());
    out.ambiguous[k] = c.slides && !(problem.W.block<1, 3>(at, at).dot(direction.transpose()) > 0);
  }
  for (std::size_t r = 0; r < problem.rows.size(); ++r) {
    const double rate = out.a(singles + static_cast<At>(r));
    // A stop without force that does not open either stays; friction at its limit without an acceleration holds.
    if (problem.rows[r].stop && out.row_modes[r] == ContactMode::open && !problem.rows[r].released &&
        rate <= 1e-9 * size)
      out.row_modes[r] = ContactMode::stick;
    if (!problem.rows[r].stop && out.row_modes[r] == ContactMode::slide && std::abs(rate) <= 1e-9 * size)
      out.row_modes[r] = ContactMode::stick;
  }
  // A contact without force that does not open either stays.
  for (std::size_t k = 0; k < m; ++k) {
    // On the cone, and yet without an acceleration of slip.
    if (out.modes[k] == ContactMode::slide && !problem.contacts[k].slides &&
        out.a.segment<2>(static_cast<At>(3 * k) + 1).norm() <= 1e-9 * size)
      out.modes[k] = ContactMode::stick;
    if (out.modes[k] != ContactMode::open || problem.contacts[k].released) continue;
    if (out.a(static_cast<At>(3 * k)) > 1e-9 * size) continue;
    const Vec2 across = out.a.segment<2>(static_cast<At>(3 * k) + 1);
    out.modes[k] = ContactMode::stick;
    if (problem.contacts[k].slides) {
      out.modes[k] = ContactMode::slide;
      out.s[k] = problem.contacts[k].s;
    } else if (across.norm() > 1e-9 * size) {
      out.modes[k] = ContactMode::slide;
      out.s[k] = across.normalized();
    }
  }
  return out;
}

}  // namespace

ForceAnswer contact_forces(const ForceProblem& problem) {
  bool drops = false;
  for (const ForceContact& c : problem.contacts) drops = drops || (!c.slides && c.mu_s > c.mu);
  if (!drops) return solve_forces(problem);
  // What can stick does, (MO19): the friction of slip is that of sticking until it is known who slips.
  ForceProblem sticking = problem;
  for (ForceContact& c : sticking.contacts)
    if (!c.slides) c.mu = c.mu_s;
  for (std::size_t round = 0; round <= problem.contacts.size(); ++round) {
    ForceAnswer answer = solve_forces(sticking);
    bool more = false;
    for (std::size_t k = 0; k < problem.contacts.size() && answer.status == ForceAnswer::Status::solved; ++k) {
      ForceContact& c = sticking.contacts[k];
      if (c.slides || answer.modes[k] != ContactMode::slide || c.mu == problem.contacts[k].mu) continue;
      c.mu = c.mu_s = problem.contacts[k].mu;
      more = true;
    }
    if (!more) return answer;
  }
  return solve_forces(problem);
}

}  // namespace ricochet::motion
