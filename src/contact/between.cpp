#include "ricochet/contact/between.hpp"

namespace ricochet {

Expected<Contact> contact_between(const RigidBody& A, const RigidBody& B, const Vec3& point, const Vec3& n) {
  const auto W_A = mobility(A, point, "A.");
  if (!W_A) return tl::unexpected(W_A.error());
  const auto W_B = mobility(B, point, "B.");
  if (!W_B) return tl::unexpected(W_B.error());
  if (A.fixed && B.fixed)
    return fail("A.fixed, B.fixed", "true, true", "at least one of two colliding bodies must be able to move");
  return contact_from_mobility(*W_A + *W_B, velocity_at(B, point) - velocity_at(A, point), n);
}

Expected<BodyPair> apply_impulse(const RigidBody& A, const RigidBody& B, const Vec3& point, const Vec3& P) {
  const auto A_after = apply_impulse(A, point, -P, "A.");
  if (!A_after) return tl::unexpected(A_after.error());
  const auto B_after = apply_impulse(B, point, P, "B.");
  if (!B_after) return tl::unexpected(B_after.error());
  return BodyPair{*A_after, *B_after};
}

}  // namespace ricochet
