#include "motion/contact_forces.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

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

/// How far the acceleration of slip that begins along s turns away from s.
double deviation(const Mat3& W, const Vec3& q, double mu, double angle, Vec2& s, LocalForce& force) {
  s = {std::cos(angle), std::sin(angle)};
  force = sliding_force(W, q, mu, s);
  const Vec2 a = (q + W * force.F).tail<2>();
  return s.x() * a.y() - s.y() * a.x();
}

/// Slip that begins from rest: its direction is that of the acceleration, (MO18).
LocalForce beginning_slip(const Mat3& W, const Vec3& q, double mu, const Vec2& guess) {
  // Brackets of zeros of the deviation at which the acceleration is along s, not against it.
  constexpr int directions = 24;
  const double first = std::atan2(guess.y(), guess.x());
  LocalForce best, force;
  bool found = false;
  Vec2 s;
  double before = deviation(W, q, mu, first, s, force);
  for (int k = 1; k <= directions && !found; ++k) {
    // Alternately to both sides of the guess, nearest first.
    const double width = 2 * std::numbers::pi / directions;
    const int ring = (k + 1) / 2;
    const double from = first + (k % 2 == 1 ? (ring - 1) * width : -(ring - 1) * width);
    const double to = from + (k % 2 == 1 ? width : -width);
    double low = from, high = to;
    double f_low = k <= 2 ? before : deviation(W, q, mu, low, s, force);
    const double f_high = deviation(W, q, mu, high, s, force);
    if (f_low * f_high > 0) continue;
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      const double f = deviation(W, q, mu, middle, s, force);
      if (f_low * f <= 0) {
        high = middle;
      } else {
        low = middle;
        f_low = f;
      }
    }
    deviation(W, q, mu, 0.5 * (low + high), s, force);
    if (force.jammed || (q + W * force.F).tail<2>().dot(s) >= 0) {
      best = force;
      found = true;
    }
  }
  if (!found) best = sliding_force(W, q, mu, guess);
  return best;
}

LocalForce local_force(const ForceContact& contact, const Mat3& W, const Mat3& inverse, const Vec3& q) {
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
  return beginning_slip(W, q, contact.mu, tangential > 0 ? Vec2(-held.tail<2>() / tangential) : Vec2(Vec2::UnitX()));
}

}  // namespace

namespace {

/// The forces of the modes that the sweeps have come to, as one linear system: the smallest change of F that satisfies
/// it. Nothing where these forces contradict the modes.
std::optional<VecX> forces_of_modes(const ForceProblem& problem, const ForceAnswer& now) {
  const std::size_t m = problem.contacts.size();
  const At rows = problem.b.size();
  // F = D x: of sliding contacts x is the normal force, of others it is F.
  MatX D = MatX::Zero(rows, rows);
  std::vector<At> kept;  // accelerations that vanish
  At unknowns = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(rows) / 3; ++k) {
    const At at = static_cast<At>(3 * k);
    const ContactMode mode = k < m ? now.modes[k] : ContactMode::stick;
    if (mode == ContactMode::open) continue;
    if (mode == ContactMode::slide) {
      D.col(unknowns++).segment<3>(at) << 1, -problem.contacts[k].mu * now.s[k].x(),
          -problem.contacts[k].mu * now.s[k].y();
      kept.push_back(at);
      continue;
    }
    for (At i = 0; i < 3; ++i) {
      D(at + i, unknowns++) = 1;
      kept.push_back(at + i);
    }
  }
  const MatX directions = D.leftCols(unknowns), response = problem.W * directions;
  MatX A(unknowns, unknowns);
  VecX left(unknowns);
  // From what the modes allow of the present forces.
  const VecX start = directions * directions.completeOrthogonalDecomposition().solve(now.F);
  const VecX a = problem.W * start + problem.b;
  for (At r = 0; r < unknowns; ++r) {
    A.row(r) = response.row(kept[static_cast<std::size_t>(r)]);
    left(r) = -a(kept[static_cast<std::size_t>(r)]);
  }
  Eigen::CompleteOrthogonalDecomposition<MatX> solver;
  solver.setThreshold(1e-11);
  solver.compute(A);
  const VecX F = start + directions * solver.solve(left), end = problem.W * F + problem.b;
  const double size = problem.b.cwiseAbs().maxCoeff();
  for (const At row : kept)
    if (!(std::abs(end(row)) <= 1e-11 * size)) return std::nullopt;
  for (std::size_t k = 0; k < m; ++k) {
    const ForceContact& c = problem.contacts[k];
    const At at = static_cast<At>(3 * k);
    const Vec3 own = F.segment<3>(at), rate = end.segment<3>(at);
    switch (now.modes[k]) {
      case ContactMode::open:
        if (!(rate(0) >= -1e-11 * size)) return std::nullopt;
        break;
      case ContactMode::stick:
        if (!(own(0) >= 0) || !(own.tail<2>().norm() <= c.mu_s * own(0))) return std::nullopt;
        break;
      case ContactMode::slide:
        if (!(own(0) >= 0)) return std::nullopt;
        if (!c.slides && !(rate.tail<2>().dot(now.s[k]) >= (1 - 1e-9) * rate.tail<2>().norm())) return std::nullopt;
        break;
    }
  }
  return F;
}

ForceAnswer solve_forces(const ForceProblem& problem) {
  const std::size_t m = problem.contacts.size();
  const At rows = problem.b.size();
  const std::size_t blocks = static_cast<std::size_t>(rows) / 3;
  ForceAnswer out;
  out.F = problem.guess.size() == rows ? problem.guess : VecX(VecX::Zero(rows));
  out.modes.assign(m, ContactMode::open);
  out.s.assign(m, Vec2::Zero());
  out.ambiguous.assign(m, false);
  if (rows == 0) return out;
  const double size = problem.b.cwiseAbs().maxCoeff();
  VecX a = problem.W * out.F + problem.b;
  // W of a block may be singular: a direction in which nothing can move carries no force.
  std::vector<Mat3> inverse;
  for (std::size_t k = 0; k < blocks; ++k) {
    const At at = static_cast<At>(3 * k);
    inverse.emplace_back(Mat3(problem.W.block<3, 3>(at, at)).completeOrthogonalDecomposition().pseudoInverse());
  }
  constexpr int most_sweeps = 8000;
  bool converged = false;
  for (int sweep = 0; sweep < most_sweeps && !converged; ++sweep) {
    double change = 0;
    const double share = sweep < 300    ? 1
                         : sweep < 1500 ? 0.6
                                        : 0.25;  // modes that alternate settle at a part of the way
    for (std::size_t k = 0; k < blocks; ++k) {
      const At at = static_cast<At>(3 * k);
      const Mat3 W = problem.W.block<3, 3>(at, at);
      const Vec3 F = out.F.segment<3>(at), q = a.segment<3>(at) - W * F;
      Vec3 next;
      if (k < m) {
        const LocalForce force = local_force(problem.contacts[k], W, inverse[k], q);
        if (force.jammed) {
          out.status = ForceAnswer::Status::jammed;
          out.jammed_contact = k;
          out.a = a;
          return out;
        }
        next = force.F;
        out.modes[k] = force.mode;
        out.s[k] = force.s;
      } else {
        next = -inverse[k] * q;
      }
      const Vec3 difference = share * (next - F);
      if (difference.isZero(0)) continue;
      const VecX moved = problem.W.middleCols<3>(at) * difference;
      a += moved;
      out.F.segment<3>(at) += difference;
      change = std::max(change, moved.cwiseAbs().maxCoeff());
    }
    converged = change <= 1e-14 * size || blocks == 1;
    if (sweep % 64 == 63) a = problem.W * out.F + problem.b;  // what rounding has added is removed
    // Modes that no longer change have their forces at once.
    if (!converged && sweep % 50 == 49)
      if (const auto exact = forces_of_modes(problem, out)) {
        out.F = *exact;
        converged = true;
      }
    // Slow convergence ends where forces no longer decide anything.
    if (sweep > 2000 && change <= 1e-10 * size) converged = true;
  }
  out.a = problem.W * out.F + problem.b;
  if (!converged) out.status = ForceAnswer::Status::not_converged;
  for (std::size_t k = 0; k < m; ++k) {
    const ForceContact& c = problem.contacts[k];
    const At at = static_cast<At>(3 * k);
    const Vec3 direction(1, -c.mu * c.s.x(), -c.mu * c.s.y());
    out.ambiguous[k] = c.slides && !(problem.W.block<1, 3>(at, at).dot(direction.transpose()) > 0);
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
