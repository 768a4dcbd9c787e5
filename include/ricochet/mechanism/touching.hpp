#pragma once
/// From where two shapes touch to a contact of their bodies.

#include "ricochet/geometry/half_space_contact.hpp"
#include "ricochet/mechanism/response.hpp"

namespace ricochet {

/// Struck at one point, in the middle between the two surfaces. Names and J are the caller's.
[[nodiscard]] inline ContactPoint touching(const Touch& touch) {
  ContactPoint at;
  at.point = 0.5 * (touch.on_A + touch.on_B);
  at.on_first = touch.on_A;
  at.on_second = touch.on_B;
  at.n = touch.n;
  at.gap = touch.gap;
  at.patch = touch.patch;
  return at;
}

}  // namespace ricochet
