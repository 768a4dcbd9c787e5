#include "ricochet/complementarity/plastic.hpp"

#include "ricochet/complementarity/lcp.hpp"

namespace ricochet {

Expected<JointOutcome> resolve_plastic(const Problem& problem) {
  const auto space = contact_space(problem);
  if (!space) return tl::unexpected(space.error());
  const auto W = dense(*space, 2000, "lcp");
  if (!W) return tl::unexpected(W.error());
  const auto normals = Eigen::seq(0, Eigen::last, 3);
  if (space->size() == 0) return joint_outcome(problem, *space, space->U, 0);
  const auto found = solve_least_lcp((*W)(normals, normals), space->U(normals));
  if (!found) return tl::unexpected(found.error());
  VecX G = VecX::Zero(space->U.size());
  G(normals) = found->answer.z;
  JointOutcome out = joint_outcome(problem, *space, G, found->answer.residual);
  out.solver = found->answer.solver;
  out.chosen = found->unique ? Chosen::only : found->least ? Chosen::minimal_norm : Chosen::vertex;
  return out;
}

}  // namespace ricochet
