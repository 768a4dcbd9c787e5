#include "ricochet/law/pfeiffer_glocker.hpp"

#include <fmt/format.h>

#include "answer.hpp"
#include "ricochet/base/parameter.hpp"
#include "ricochet/law/pfeiffer_glocker_kernel.hpp"

namespace ricochet {
namespace {

/// For a contact that is not planar.
[[gnu::noinline, gnu::cold]] Error not_planar(const PfeifferGlocker& law, const ContactView<double>& c) {
  const ImpactPlane<double> plane = impact_plane(c, law.tolerance);
  return {ErrorCode::invalid, "M", "",
          fmt::format("must be planar for this law: the inverse of M couples the plane of n and {} to the "
                      "direction across it with {:.3g} of its largest entry, where {} is allowed",
                      plane.slips ? "V" : "the driven tangent", plane.across / plane.largest, law.tolerance)};
}

[[gnu::noinline, gnu::cold]] Expected<Outcome> collide_local(const PfeifferGlocker& law, const Contact& contact) {
  const Local<double> local = localize<double>(contact);
  if (!(local.V(0) < 0)) return no_collision(contact);
  const ContactView<double> c(local);
  if (!impulse(law, c).served) return tl::unexpected(not_planar(law, c));
  return solve_and_certify(law, local, law.mu);
}

}  // namespace

[[gnu::flatten]] Expected<Outcome> collide(const PfeifferGlocker& law, const Contact& contact) {
  const Expected<void> fine =
      check_parameters(law).and_then([&] { return in_range("tolerance", law.tolerance, between(0, 1)); });
  if (!fine) return tl::unexpected(fine.error());
  if (contact.immovable) return collide_local(law, contact);
  return answer_detail::collide_in_vectors(law, contact, law.mu, [&] {
    return not_planar(law, ContactView<double>(contact.M, contact.W, contact.V, contact.n));
  });
}

}  // namespace ricochet
