#include "motion/impulse_sweeps.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "ricochet/law/friction_at_given_normal.hpp"

namespace ricochet::motion {
namespace {

void push(const SweepContact& c, SweepState& state, const Vec3& dP) {
  const Vec3 P = c.axes * dP;
  SweepBody &a = state.bodies[c.a], &b = state.bodies[c.b];
  if (b.inverse_mass > 0) {
    b.v += b.inverse_mass * P;
    b.w += b.inverse_inertia * c.r_b.cross(P);
  }
  if (a.inverse_mass > 0) {
    a.v -= a.inverse_mass * P;
    a.w -= a.inverse_inertia * c.r_a.cross(P);
  }
  for (const SweepLink& link : c.links) state.speeds[link.mechanism].noalias() += link.L * dP;
}

/// The impulse with which this contact alone would satisfy its conditions, the others being as they are.
Vec3 own_impulse(SweepContact& c, const Vec3& U) {
  Vec3 next = c.P;
  switch (c.kind) {
    case SweepKind::joint: {
      // Of a planar mechanism W is singular across the plane.
      if (c.links.empty()) return c.P - c.W.inverse() * U;
      return c.P - c.W.completeOrthogonalDecomposition().solve(U);
    }
    case SweepKind::stop: next(0) = std::max(0.0, c.P(0) - U(0) / c.W(0, 0)); return next;
    case SweepKind::dry:
      next(0) = std::clamp(c.P(0) - U(0) / c.W(0, 0), -c.limit, c.limit);
      c.sticks = std::abs(next(0)) < c.limit;
      return next;
    case SweepKind::contact: break;
  }
  next(0) = std::max(0.0, c.P(0) - U(0) / c.W(0, 0));
  const Vec3 moved = U + c.W.col(0) * (next(0) - c.P(0));
  const Mat2 W_tt = c.W.block<2, 2>(1, 1);
  const Vec2 g = moved.tail<2>() - W_tt * c.P.tail<2>();
  const auto friction = friction_at_given_normal<double>(W_tt, g, next(0) > 0 ? c.mu * next(0) : 0.0);
  c.sticks = friction.sticks;
  next.tail<2>() = friction.q;
  return next;
}

}  // namespace

Vec3 contact_velocity(const SweepContact& c, const SweepState& state) {
  const SweepBody &a = state.bodies[c.a], &b = state.bodies[c.b];
  Vec3 V = Vec3::Zero();
  if (c.kind == SweepKind::contact || c.kind == SweepKind::joint)
    V = c.axes.transpose() * (b.v + b.w.cross(c.r_b) - a.v - a.w.cross(c.r_a));
  for (const SweepLink& link : c.links) V.noalias() += link.J * state.speeds[link.mechanism];
  return V;
}

SweptVelocities::SweptVelocities(std::span<const SweepContact> contacts, std::span<const std::uint32_t> members,
                                 const SweepState& state) {
  for (const std::uint32_t k : members) {
    bodies_.insert(bodies_.end(), {contacts[k].a, contacts[k].b});
    for (const SweepLink& link : contacts[k].links) mechanisms_.push_back(link.mechanism);
  }
  for (auto* list : {&bodies_, &mechanisms_}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  for (const std::uint32_t i : bodies_) of_bodies_.push_back(state.bodies[i]);
  for (const std::uint32_t m : mechanisms_) of_mechanisms_.push_back(state.speeds[m]);
}

void SweptVelocities::restore(SweepState& state) const {
  for (std::size_t i = 0; i < bodies_.size(); ++i) state.bodies[bodies_[i]] = of_bodies_[i];
  for (std::size_t i = 0; i < mechanisms_.size(); ++i) state.speeds[mechanisms_[i]] = of_mechanisms_[i];
}

void prepare(std::span<SweepContact> contacts, const SweepState& state) {
  for (SweepContact& c : contacts) {
    Mat3 W = Mat3::Zero();
    if (c.kind == SweepKind::contact || c.kind == SweepKind::joint)
      for (const bool second : {false, true}) {
        const SweepBody& body = state.bodies[second ? c.b : c.a];
        const Mat3 S = cross_matrix<double>(second ? c.r_b : c.r_a);
        W += body.inverse_mass * Mat3::Identity() + S * body.inverse_inertia * S.transpose();
      }
    c.W = c.axes.transpose() * W * c.axes;
    for (const SweepLink& link : c.links) c.W += link.J * link.L;
  }
}

SweepOutcome sweep_impulses(std::span<SweepContact> contacts, SweepState& state, std::span<const std::uint32_t> members,
                            double tolerance, std::uint32_t most_sweeps) {
  const SweptVelocities free(contacts, members, state);
  for (const std::uint32_t k : members) push(contacts[k], state, contacts[k].P);
  SweepOutcome out;
  while (out.sweeps < most_sweeps) {
    double change = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      SweepContact& c = contacts[members[out.sweeps % 2 == 0 ? i : members.size() - 1 - i]];
      const Vec3 next = own_impulse(c, contact_velocity(c, state) + c.offset);
      const Vec3 dP = next - c.P;
      if (dP.isZero(0)) continue;
      push(c, state, dP);
      c.P = next;
      change = std::max(change, (c.W * dP).cwiseAbs().maxCoeff());
    }
    ++out.sweeps;
    out.residual = change;
    if (change <= tolerance) break;
  }
  // Once more without what rounding has added in many sweeps.
  free.restore(state);
  for (const std::uint32_t k : members) push(contacts[k], state, contacts[k].P);
  return out;
}

}  // namespace ricochet::motion
