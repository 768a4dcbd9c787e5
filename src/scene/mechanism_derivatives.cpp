#include "ricochet/scene/mechanism_derivatives.hpp"

#include <cmath>

namespace ricochet {
namespace {

/// How much farther than now contacts are searched at configurations nearby [m].
constexpr double farther = 0.05;

/// q with one entry changed, quaternions of unit length.
VecX with_entry(const MechanismImpact& impact, int k, double step) {
  VecX q = impact.q;
  q(k) += step;
  for (const Coordinate& c : impact.machine->coordinates())
    if (c.positions == c.speeds + 1) q.segment<4>(c.position + c.positions - 4).normalize();
  return q;
}

}  // namespace

bool moves_with_q(const MechanismImpact& impact) {
  const RobotDescription* robot = impact.machine->description();
  return !impact.tap && (robot == nullptr || robot->loops.empty());
}

Expected<ImpactDerivatives> differentiate(const MechanismImpact& impact, const Law& law, bool with_q) {
  const ContactPoint& at = impact.contacts[impact.chosen].at;
  if (!with_q) return impact_derivatives(law, at, impact.response);
  const LeverageNearby nearby = [&](int k, double step) -> Expected<ContactLeverage> {
    MechanismImpact moved = impact;
    if (const auto placed = place(moved, with_entry(impact, k, step), impact.u, false); !placed)
      return tl::unexpected(placed.error());
    if (const auto found = find_contacts(moved, std::abs(at.gap) + farther); !found)
      return tl::unexpected(found.error());
    const ContactPoint* same = nullptr;
    for (const CandidateContact& c : moved.contacts)
      if (c.at.first == at.first && c.at.second == at.second &&
          (same == nullptr || (c.at.point - at.point).norm() < (same->point - at.point).norm()))
        same = &c.at;
    if (same == nullptr) return fail(ErrorCode::missing, "contact", "", "is not found at a configuration nearby");
    return ContactLeverage{same->J, moved.machine->solver()(same->J.transpose()), same->n};
  };
  auto out = impact_derivatives(law, at, impact.response, static_cast<int>(impact.q.size()), nearby);
  if (const auto back = impact.machine->place(impact.q, impact.u); !back) return tl::unexpected(back.error());
  return out;
}

}  // namespace ricochet
