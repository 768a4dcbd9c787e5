#include "ricochet/law/bilinear.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "answer.hpp"
#include "ricochet/base/parameter.hpp"
#include "ricochet/law/bilinear_kernel.hpp"

namespace ricochet {

namespace {

/// For an M that couples the axes of the contact frame; names the entries above the tolerance, or else those that do
/// most.
[[gnu::noinline, gnu::cold]] Error coupled(const Bilinear& law, const Local<double>& c) {
  const double nt = c.M(0, 1), nb = c.M(0, 2), tb = c.V(1) != 0 ? c.M(1, 2) : 0;
  const double shown =
      std::min(0.5 * std::max({std::abs(nt), std::abs(nb), std::abs(tb)}), law.tolerance * c.M.cwiseAbs().maxCoeff());
  std::string entries;
  const auto list = [&](const char* entry, double value) {
    if (std::abs(value) >= shown && value != 0)
      entries += fmt::format("{}{} = {}", entries.empty() ? "" : ", ", entry, to_text(value));
  };
  list("M_12", nt);
  list("M_13", nb);
  list("M_23", tb);
  return {ErrorCode::invalid, "M", "",
          fmt::format("must be diagonal in the contact frame (normal, slip, across) to {} of its largest entry, "
                      "as for spheres and disks, but has {}; chatterjee-ruina is the same law for any M",
                      to_text(law.tolerance), entries)};
}

[[gnu::noinline, gnu::cold]] Expected<Outcome> collide_local(const Bilinear& law, const Contact& contact) {
  const Local<double> local = localize<double>(contact);
  if (!(local.V(0) < 0)) return no_collision(contact);
  if (!impulse(law, ContactView<double>(local)).served) return tl::unexpected(coupled(law, local));
  return solve_and_certify(law, local, law.mu);
}

}  // namespace

[[gnu::flatten]] Expected<Outcome> collide(const Bilinear& law, const Contact& contact) {
  const Expected<void> fine =
      check_parameters(law).and_then([&] { return in_range("tolerance", law.tolerance, between(0, 1)); });
  if (!fine) return tl::unexpected(fine.error());
  if (contact.immovable) return collide_local(law, contact);
  return answer_detail::collide_in_vectors(law, contact, law.mu,
                                           [&] { return coupled(law, localize<double>(contact)); });
}

}  // namespace ricochet
