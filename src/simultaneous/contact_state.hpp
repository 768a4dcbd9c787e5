#pragma once
/// Compact data for the approach speed of a contact, which every collision of a neighbour changes.

#include <array>
#include <cstdint>

#include "ricochet/simultaneous/problem.hpp"

namespace ricochet {

struct ContactState {
  Vec3 V;
  Vec3 n;
  Vec3 drift;
  std::array<Vec3, 2> arm;             ///< of rigid bodies
  std::array<std::uint32_t, 2> first;  ///< place of their speeds in u
  std::array<double, 2> sign;
  int sides = 0;
  bool rigid = true;  ///< sides are rigid bodies; else the problem's J is used
  bool hinge = false;
  bool inert = false;

  /// Priority: the approach speed or, for a hinge, the whole speed.
  [[nodiscard]] double approach() const { return inert ? 0 : hinge ? V.norm() : -n.dot(V); }
};

/// Before the impact, as the problem states the contact.
[[nodiscard]] ContactState initial_state(const Problem& problem, const ProblemContact& contact);

}  // namespace ricochet
