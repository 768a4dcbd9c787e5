#include "ricochet/complementarity/joint_outcome.hpp"

#include <algorithm>
#include <cmath>

namespace ricochet {

std::string_view name(Chosen chosen) {
  switch (chosen) {
    case Chosen::only: return "only";
    case Chosen::minimal_norm: return "minimal-norm";
    case Chosen::vertex: return "vertex";
    case Chosen::iterate: return "iterate";
  }
  return "unknown";
}

std::string_view describe(Chosen chosen) {
  switch (chosen) {
    case Chosen::only: return "no other impulses would do";
    case Chosen::minimal_norm: return "of several sets of impulses the one with the least sum of squares";
    case Chosen::vertex: return "of possibly several sets of impulses the one where the pivots ended";
    case Chosen::iterate: return "of possibly several sets of impulses the one that the iteration led to";
  }
  return "unknown";
}

JointOutcome joint_outcome(const Problem& problem, const ContactSpace& space, const VecX& G) {
  const auto& contacts = problem.contacts();
  JointOutcome out;
  out.u = problem.u();
  out.G.assign(contacts.size(), Vec3::Zero());
  for (std::size_t k = 0; k < space.size(); ++k) {
    const std::uint32_t i = space.contacts[k];
    out.G[i] = space.axes[k] * G.segment<3>(static_cast<Eigen::Index>(3 * k));
    problem.apply(i, out.G[i], out.u);
  }
  double size = 0;
  double moving = 0;  // energy of the fastest contact: pivots leave impulses that are nothing beside it
  for (std::uint32_t i = 0; i < contacts.size(); ++i) {
    const Contact& before = contacts[i].contact;
    out.V.push_back(problem.velocity(i, out.u));
    out.energy_change += 0.5 * out.G[i].dot(before.V + out.V[i]);
    size += out.G[i].norm() * (before.V.norm() + out.V[i].norm());
    moving = std::max(moving, before.V.squaredNorm() / before.W.trace());
    if (!contacts[i].inert) out.remaining = std::max(out.remaining, -before.n.dot(out.V[i]));
  }
  out.gains_energy = out.energy_change > 1e-10 * size && out.energy_change > 1e-15 * moving;
  out.singular = singular(problem, space);
  return out;
}

}  // namespace ricochet
