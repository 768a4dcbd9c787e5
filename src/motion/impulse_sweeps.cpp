#include "motion/impulse_sweeps.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "ricochet/law/friction_at_given_normal.hpp"

namespace ricochet::motion {
namespace {

void push_bodies(const SweepContact& c, std::span<SweepBody> bodies, const Vec3& dP) {
  const Vec3 P = c.axes * dP;
  SweepBody &a = bodies[c.a], &b = bodies[c.b];
  if (b.inverse_mass > 0) {
    b.v += b.inverse_mass * P;
    b.w += b.inverse_inertia * c.r_b.cross(P);
  }
  if (a.inverse_mass > 0) {
    a.v -= a.inverse_mass * P;
    a.w -= a.inverse_inertia * c.r_a.cross(P);
  }
}

/// The impulse with which this contact alone would satisfy its conditions, the others being as they are.
Vec3 own_impulse(SweepContact& c, const Vec3& U) {
  if (c.joint) return c.P - c.W.inverse() * U;
  Vec3 next = c.P;
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

Vec3 contact_velocity(const SweepContact& c, std::span<const SweepBody> bodies) {
  const SweepBody &a = bodies[c.a], &b = bodies[c.b];
  return c.axes.transpose() * (b.v + b.w.cross(c.r_b) - a.v - a.w.cross(c.r_a));
}

void prepare(std::span<SweepContact> contacts, std::span<const SweepBody> bodies) {
  for (SweepContact& c : contacts) {
    Mat3 W = Mat3::Zero();
    for (const bool second : {false, true}) {
      const SweepBody& body = bodies[second ? c.b : c.a];
      const Mat3 S = cross_matrix<double>(second ? c.r_b : c.r_a);
      W += body.inverse_mass * Mat3::Identity() + S * body.inverse_inertia * S.transpose();
    }
    c.W = c.axes.transpose() * W * c.axes;
  }
}

SweepOutcome sweep_impulses(std::span<SweepContact> contacts, std::span<SweepBody> bodies,
                            std::span<const std::uint32_t> members, double tolerance, std::uint32_t most_sweeps) {
  std::vector<std::uint32_t> touched;
  for (const std::uint32_t k : members) touched.insert(touched.end(), {contacts[k].a, contacts[k].b});
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  std::vector<SweepBody> free;
  free.reserve(touched.size());
  for (const std::uint32_t i : touched) free.push_back(bodies[i]);
  for (const std::uint32_t k : members) push_bodies(contacts[k], bodies, contacts[k].P);
  SweepOutcome out;
  while (out.sweeps < most_sweeps) {
    double change = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      SweepContact& c = contacts[members[out.sweeps % 2 == 0 ? i : members.size() - 1 - i]];
      const Vec3 next = own_impulse(c, contact_velocity(c, bodies) + c.offset);
      const Vec3 dP = next - c.P;
      if (dP.isZero(0)) continue;
      push_bodies(c, bodies, dP);
      c.P = next;
      change = std::max(change, (c.W * dP).cwiseAbs().maxCoeff());
    }
    ++out.sweeps;
    out.residual = change;
    if (change <= tolerance) break;
  }
  // Once more without what rounding has added in many sweeps.
  for (std::size_t i = 0; i < touched.size(); ++i) bodies[touched[i]] = free[i];
  for (const std::uint32_t k : members) push_bodies(contacts[k], bodies, contacts[k].P);
  return out;
}

}  // namespace ricochet::motion
