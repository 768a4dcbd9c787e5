#pragma once
/// From two bodies to contact space, and the impulse back to the bodies.

#include "ricochet/body/rigid_body.hpp"
#include "ricochet/contact/contact.hpp"

namespace ricochet {

/// W = W_A + W_B at `point` (CR98b Eq. 0.3), V = velocity of B's point − velocity of A's, n from A to B.
/// Errors name fields as `A.mass`, `B.inertia`; two fixed bodies cannot collide and are refused.
[[nodiscard]] Expected<Contact> contact_between(const RigidBody& A, const RigidBody& B, const Vec3& point,
                                                const Vec3& n);

struct BodyPair {
  RigidBody A, B;
};

/// Both bodies after the contact impulse: P acts on B, −P on A, both at `point`.
[[nodiscard]] Expected<BodyPair> apply_impulse(const RigidBody& A, const RigidBody& B, const Vec3& point,
                                               const Vec3& P);

}  // namespace ricochet
