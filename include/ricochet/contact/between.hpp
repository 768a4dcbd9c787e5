#pragma once
/// From two bodies to contact space, and the impulse back to the bodies.

#include <string_view>

#include "ricochet/body/rigid_body.hpp"
#include "ricochet/contact/contact.hpp"

namespace ricochet {

/// Names of the parts of a two-body contact in errors. A reader of files passes "body[1]", "body[2]" and so on.
struct ContactPaths {
  std::string_view A = "A", B = "B";
  std::string_view contact = {};  ///< of the parent of point and normal, W and V
  std::string_view normal = "n";
};

/// W = W_A + W_B at `point` (CR98b Eq. 0.3), V = velocity of B's point − velocity of A's, n from A to B. Two fixed
/// bodies are an error.
[[nodiscard]] Expected<Contact> contact_between(const RigidBody& A, const RigidBody& B, const Vec3& point,
                                                const Vec3& n, const ContactPaths& paths = {});

struct BodyPair {
  RigidBody A, B;
};

/// Both bodies after the contact impulse: P acts on B, −P on A, both at `point`.
[[nodiscard]] Expected<BodyPair> apply_impulse(const RigidBody& A, const RigidBody& B, const Vec3& point,
                                               const Vec3& P);

}  // namespace ricochet
