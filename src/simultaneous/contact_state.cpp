#include "contact_state.hpp"

namespace ricochet {

ContactState initial_state(const Problem& problem, const ProblemContact& contact) {
  ContactState state;
  state.V = contact.contact.V;
  state.n = contact.contact.n;
  state.drift = contact.drift;
  state.sides = contact.side_count;
  state.hinge = contact.hinge;
  state.inert = contact.inert;
  for (std::size_t s = 0; s < static_cast<std::size_t>(contact.side_count); ++s) {
    const ContactSide& side = contact.sides[s];
    const DynamicSystem& system = problem.systems()[side.system];
    state.first[s] = static_cast<std::uint32_t>(system.first);
    state.sign[s] = *problem.J(side);  // J = ±[I, −S(r)]
    if (system.body < 0) {
      state.rigid = false;
    } else {
      state.arm[s] = contact.point - problem.bodies()[static_cast<std::size_t>(system.body)].position;
    }
  }
  return state;
}

}  // namespace ricochet
