#include "sequence_state.hpp"

#include "ricochet/simultaneous/plane.hpp"

namespace ricochet {

SequenceState::SequenceState(const Problem& problem, const VecX& u)
    : problem_(problem), u_(u), speed_(problem.speed()), across_(across_plane(problem)) {
  const bool own = u_ == problem.u();
  for (std::uint32_t i = 0; i < problem.contacts().size(); ++i) {
    contacts_.push_back(initial_state(problem, problem.contacts()[i]));
    if (!own) update(i);
    terms_ = std::max(terms_, problem.velocity_terms(i, u_));
  }
}

double SequenceState::terms_of(std::uint32_t i) const {
  const ContactState& contact = contacts_[i];
  if (!contact.rigid) return problem_.velocity_terms(i, u_);
  double terms = contact.drift.lpNorm<1>();
  for (std::size_t s = 0; s < static_cast<std::size_t>(contact.sides); ++s) {
    const Eigen::Map<const Vec3> v(u_.data() + contact.first[s]);
    const Eigen::Map<const Vec3> omega(u_.data() + contact.first[s] + 3);
    terms += v.lpNorm<1>() + omega.lpNorm<1>() * contact.arm[s].lpNorm<1>();
  }
  return terms;
}

Expected<std::pair<Vec3, Mode>> SequenceState::ask(std::uint32_t i) const {
  const ProblemContact& stated = problem_.contacts()[i];
  if (stated.hinge) return std::pair{Vec3(-(stated.contact.M * contacts_[i].V)), Mode::stick};
  Contact contact = stated.contact;
  // A planar law takes the plane from V, and the remaining slip may be rounding across it.
  contact.V = started_ ? in_plane(contacts_[i].V, across_) : contacts_[i].V;
  const ContactState& state = contacts_[i];
  if (started_ && state.rigid)
    for (std::size_t s = 0; s < static_cast<std::size_t>(state.sides); ++s) {
      const auto at = static_cast<Eigen::Index>(state.first[s]) + 3;
      contact.spin += state.sign[s] * (u_.segment<3>(at) - problem_.u().segment<3>(at));
    }
  const Expected<Outcome> outcome = collide(stated.law, contact);
  if (!outcome) return tl::unexpected(outcome.error());
  return std::pair{outcome->P, outcome->mode};
}

SequenceState::Snapshot SequenceState::snapshot(const std::vector<std::uint32_t>& struck) const {
  Snapshot out;
  for (const std::uint32_t i : struck) neighbours(i, [&](std::uint32_t j) { out.contacts.push_back(j); });
  std::sort(out.contacts.begin(), out.contacts.end());
  out.contacts.erase(std::unique(out.contacts.begin(), out.contacts.end()), out.contacts.end());
  for (const std::uint32_t j : out.contacts) out.V.push_back(contacts_[j].V);
  for (const std::uint32_t i : struck) {
    const ProblemContact& contact = problem_.contacts()[i];
    for (int s = 0; s < contact.side_count; ++s) {
      const DynamicSystem& system = problem_.systems()[contact.sides[static_cast<std::size_t>(s)].system];
      for (int k = 0; k < system.dof; ++k) {
        const auto at = static_cast<std::uint32_t>(system.first) + static_cast<std::uint32_t>(k);
        out.speeds.emplace_back(at, u_(at));
      }
    }
  }
  return out;
}

void SequenceState::restore(const Snapshot& snapshot) {
  for (const auto& [at, value] : snapshot.speeds) u_(at) = value;
  for (std::size_t k = 0; k < snapshot.contacts.size(); ++k) contacts_[snapshot.contacts[k]].V = snapshot.V[k];
}

}  // namespace ricochet
