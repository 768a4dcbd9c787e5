#include "ricochet/simultaneous/certificate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/law/law_table.hpp"
#include "ricochet/simultaneous/system_impact.hpp"

namespace ricochet {
namespace {

/// Magnitudes that the speeds after are sums of: |u| + Σ |L| |G|.
VecX magnitudes_of_speeds(const Problem& problem, const SystemImpact& impact) {
  VecX out = impact.u_before.cwiseAbs();
  for (std::size_t i = 0; i < problem.contacts().size(); ++i) {
    const ProblemContact& contact = problem.contacts()[i];
    for (int s = 0; s < contact.side_count; ++s) {
      const ContactSide& side = contact.sides[static_cast<std::size_t>(s)];
      const DynamicSystem& system = problem.systems()[side.system];
      const double* L = problem.L(side);
      for (int k = 0; k < system.dof; ++k, L += 3)
        for (int r = 0; r < 3; ++r) out(static_cast<Eigen::Index>(system.first) + k) += std::abs(L[r] * impact.G[i](r));
    }
  }
  return out;
}

}  // namespace

SystemCertificate certify(const Problem& problem, const SystemImpact& impact, const AnswerAccuracy& accuracy) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double rounding =
      judgement_rounding<double> + static_cast<double>(accuracy.summands) * std::numeric_limits<double>::epsilon();
  const double stated = accuracy.error / rounding;  // in units of what is allowed for rounding
  const auto& contacts = problem.contacts();
  const VecX speeds = magnitudes_of_speeds(problem, impact);
  std::vector<double> terms;
  double fastest = 0;
  double strongest = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    terms.push_back(problem.velocity_terms(i, speeds));
    fastest = std::max(fastest, terms[i]);
    // An impulse that could end the contact's motion: impulses of contacts that need none are errors of this size.
    const Contact& before = contacts[i].contact;
    strongest = std::max({strongest, impact.G[i].norm(), before.V.norm() / before.W.trace()});
  }

  SystemCertificate out;
  out.margins = {-impact.energy_change, infinity, infinity, infinity};
  double energy = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ProblemContact& contact = contacts[i];
    const Vec3& G = impact.G[i];
    energy += G.norm() * (terms[i] + stated * fastest) + stated * strongest * terms[i];
    Certificate c;
    c.margins.energy = -0.5 * G.dot(problem.velocity(i, impact.u_before) + impact.V[i]);
    c.permissible = true;
    if (!contact.hinge) {
      const Vec3& n = contact.contact.n;
      const double G_n = n.dot(G);
      const double mu = cone_friction(contact.law);
      // Nothing done at an inert contact changes its normal velocity.
      c.margins.separation = contact.inert ? 0 : n.dot(impact.V[i]);
      c.margins.compression = G_n;
      c.margins.friction = friction_margin(mu, G_n, (G - G_n * n).norm());
      // Rounding of a velocity spreads through the bodies that the contacts share.
      const MarginScale scale{infinity, (1 + stated) * fastest, G.norm() + stated * strongest};
      c.violated = judge(c.margins, scale, mu, rounding);
      c.permissible = c.violated.empty();
      if (mu == infinity && !c.violated.contains(Condition::friction)) c.margins.friction = mu;
      if (!contact.inert) out.margins.separation = std::min(out.margins.separation, c.margins.separation);
      out.margins.compression = std::min(out.margins.compression, c.margins.compression);
      out.margins.friction = std::min(out.margins.friction, c.margins.friction);
      for (const Condition condition : conditions)
        if (c.violated.contains(condition)) out.violated.insert(condition);
    }
    out.contacts.push_back(c);
  }
  const Margins whole{.energy = out.margins.energy};
  if (judge(whole, {.energy = energy}, 0, rounding).contains(Condition::energy)) out.violated.insert(Condition::energy);
  if (out.margins.separation == infinity) out.margins.separation = 0;
  if (out.margins.compression == infinity) out.margins.compression = out.margins.friction = 0;
  out.permissible = out.violated.empty();
  return out;
}

}  // namespace ricochet
