#include "ricochet/complementarity/joint_outcome.hpp"

#include <algorithm>

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
    case Chosen::only: return "the impulses are unique";
    case Chosen::minimal_norm: return "of several solutions the impulses with the least sum of squares";
    case Chosen::vertex: return "of possibly several solutions the one at which pivoting ended";
    case Chosen::iterate: return "of possibly several solutions the one to which the iteration converged";
  }
  return "unknown";
}

JointOutcome joint_outcome(const Problem& problem, const ContactSpace& space, const VecX& G, double residual) {
  const auto& contacts = problem.contacts();
  JointOutcome out;
  out.residual = residual;
  out.u_before = out.u = problem.u();
  out.G.assign(contacts.size(), Vec3::Zero());
  for (std::size_t k = 0; k < space.size(); ++k) {
    const std::uint32_t i = space.contacts[k];
    out.G[i] = space.axes[k] * G.segment<3>(static_cast<Eigen::Index>(3 * k));
    problem.apply(i, out.G[i], out.u);
  }
  for (std::uint32_t i = 0; i < contacts.size(); ++i) {
    const Contact& before = contacts[i].contact;
    out.V.push_back(problem.velocity(i, out.u));
    out.energy_change += 0.5 * out.G[i].dot(before.V + out.V[i]);
    if (!contacts[i].inert) out.remaining = std::max(out.remaining, -before.n.dot(out.V[i]));
  }
  out.certificate =
      certify(problem, out, {.summands = contacts.size(), .error = std::max(residual, judgement_rounding<double>)});
  out.singular = singular(problem, space);
  return out;
}

}  // namespace ricochet
