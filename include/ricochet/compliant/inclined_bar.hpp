#pragma once
/// The inclined bar of REG, the standard example of a rough oblique impact, docs/laws/spring-sledge.md (L4).

#include "ricochet/contact/contact.hpp"

namespace ricochet::compliant {

/// A bar of the given mass hits the ground with one end. `slenderness` is half its length over its radius of gyration
/// (√3 where it is homogeneous), `angle` that between bar and normal, leaning so that a foot which slips along −x
/// drives it into the ground. n = x-axis of the contact (up), the surface runs along its y-axis, and `V` = (V_n, V_t)
/// is the velocity of the foot.
[[nodiscard]] Expected<Contact> inclined_bar(double mass, double slenderness, double angle, const Vec2& V);

}  // namespace ricochet::compliant
