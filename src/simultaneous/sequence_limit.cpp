#include "sequence_limit.hpp"

#include "ricochet/law/law_table.hpp"

namespace ricochet {
namespace {

/// Whether one period of true collisions, started from a state to come, goes through the pattern: the same contacts in
/// the same order and the same modes, with no other contact intervening. Leaves the state disturbed.
bool holds_after(SequenceState& state, const Settling& pattern, const std::vector<Vec3>& received,
                 const SequenceState::Snapshot& disturbed, const TieGrid& grid) {
  for (std::size_t k = 0; k < pattern.contacts().size(); ++k) state.apply(pattern.contacts()[k], received[k]);
  ApproachQueue ahead(state.size());
  const auto look = [&](std::uint32_t j) {
    state.update(j);
    if (state.approaches(j)) {
      ahead.set(j, grid(state.approach(j)), 0);
    } else {
      ahead.remove(j);
    }
  };
  for (const std::uint32_t j : disturbed.contacts) look(j);
  const std::vector<std::uint32_t> order = pattern.pattern();
  for (std::size_t step = 0; step < order.size(); ++step) {
    const std::uint32_t i = order[step];
    if (!ahead.contains(i) || ahead.key(i) < ahead.key(ahead.top())) return false;
    const auto asked = state.ask(i);
    if (!asked || asked->second != pattern.mode(step)) return false;
    state.apply(i, asked->first);
    state.neighbours(i, look);
  }
  return true;
}

/// Whether impulses that are the rest of a pattern are ones that the laws of its contacts could have given.
bool in_cones(const SequenceState& state, const Settling& pattern, std::span<const Vec3> G) {
  const std::vector<std::uint32_t>& contacts = pattern.contacts();
  double largest = 0;  // the rest is predicted to an accuracy relative to all impulses of the pattern
  for (std::size_t k = 0; k < contacts.size(); ++k)
    largest = std::max(largest, pattern.tail()[k].norm() + G[contacts[k]].norm());
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const ProblemContact& contact = state.problem().contacts()[contacts[k]];
    if (contact.hinge) continue;
    const Vec3& n = contact.contact.n;
    const Vec3& P = pattern.tail()[k];
    const double P_n = n.dot(P);
    const double mu = cone_friction(contact.law);
    Margins margins;
    margins.compression = P_n;
    margins.friction = friction_margin(mu, P_n, (P - P_n * n).norm());
    if (!judge(margins, {.impulse = largest}, mu).empty()) return false;
  }
  return true;
}

bool all_promise_energy(const SequenceState& state, const Settling& pattern) {
  return std::all_of(pattern.contacts().begin(), pattern.contacts().end(), [&](std::uint32_t i) {
    const ProblemContact& contact = state.problem().contacts()[i];
    return contact.hinge || guarantees(contact.law).energy;
  });
}

}  // namespace

std::optional<std::vector<std::uint32_t>> step_to_limit(SequenceState& state, const Settling& pattern,
                                                        const LimitContext& context) {
  const std::vector<std::uint32_t>& struck = pattern.contacts();
  const std::vector<Vec3>& tail = pattern.tail();
  const SequenceState::Snapshot before = state.snapshot(struck);
  // A contact farther off that waits its turn will have it when the pattern has become slower than it, and will then
  // intervene by way of others.
  const bool others_wait = context.queue.any([&](std::uint32_t j) {
    return context.connected_set[j] == context.connected_set[struck[0]] && state.approach(j) > context.tolerance &&
           !std::binary_search(before.contacts.begin(), before.contacts.end(), j);
  });
  if (others_wait || !in_cones(state, pattern, context.G)) return std::nullopt;
  for (const std::vector<Vec3>& received : pattern.ahead()) {
    const bool holds = holds_after(state, pattern, received, before, context.grid);
    state.restore(before);
    if (!holds) return std::nullopt;
  }
  double work = 0;
  double size = 0;
  for (std::size_t k = 0; k < struck.size(); ++k) {
    work += 0.5 * tail[k].dot(state.contact(struck[k]).V);
    size += tail[k].norm() * state.terms();
    state.apply(struck[k], tail[k]);
  }
  bool ends = true;
  for (const std::uint32_t j : before.contacts) {
    state.update(j);
    ends = ends && (state.approach(j) <= context.tolerance || !state.approaches(j));
  }
  for (std::size_t k = 0; k < struck.size(); ++k) work += 0.5 * tail[k].dot(state.contact(struck[k]).V);
  const bool gains = !judge({.energy = -work}, {.energy = size}, 0).empty();
  if (!ends || (gains && all_promise_energy(state, pattern))) {
    state.restore(before);
    return std::nullopt;
  }
  return before.contacts;
}

}  // namespace ricochet
