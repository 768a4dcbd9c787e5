#include "ricochet/contact/between.hpp"

#include <utility>

#include "ricochet/base/error_path.hpp"
#include "ricochet/base/text.hpp"

namespace ricochet {

Expected<Contact> contact_between(const RigidBody& A, const RigidBody& B, const Vec3& point, const Vec3& n,
                                  const ContactPaths& paths) {
  // The contact is validated here, so any remaining error belongs to a body.
  if (!point.allFinite())
    return fail(ErrorCode::out_of_range, join_path(paths.contact, "point"), to_text(point),
                "every component must be finite");
  if (const auto fine = check_normal(n, join_path(paths.contact, paths.normal)); !fine)
    return tl::unexpected(fine.error());
  const auto W_A = mobility(A, point, paths.A);
  if (!W_A) return tl::unexpected(W_A.error());
  const auto W_B = mobility(B, point, paths.B);
  if (!W_B) return tl::unexpected(W_B.error());
  if (A.fixed && B.fixed)
    return fail(ErrorCode::conflict, join_path(paths.B, "fixed"), "true",
                "at least one of two colliding bodies must be able to move");
  auto contact = contact_from_mobility(*W_A + *W_B, velocity_at(B, point) - velocity_at(A, point), n);
  if (!contact) return tl::unexpected(under(paths.contact, std::move(contact.error())));
  contact->spin = B.angular_velocity - A.angular_velocity;
  return contact;
}

Expected<BodyPair> apply_impulse(const RigidBody& A, const RigidBody& B, const Vec3& point, const Vec3& P) {
  const auto A_after = apply_impulse(A, point, -P, "A");
  if (!A_after) return tl::unexpected(A_after.error());
  const auto B_after = apply_impulse(B, point, P, "B");
  if (!B_after) return tl::unexpected(B_after.error());
  return BodyPair{*A_after, *B_after};
}

}  // namespace ricochet
