#include "ricochet/law/permissible_point.hpp"

#include <limits>
#include <numbers>

#include "ricochet/law/collide.hpp"

namespace ricochet {

Expected<Outcome> collide(const PermissiblePoint& law, const Contact& contact) {
  const auto outcome = collide_by(law, contact, law.mu, [](const PermissiblePoint& l) -> Expected<void> {
    return in_range("psi_1", l.psi_1, 0, std::numbers::pi)
        .and_then([&] { return in_range("psi_2", l.psi_2, 0, 2 * std::numbers::pi); })
        .and_then([&] { return in_range("rho", l.rho, 0, 1); })
        .and_then([&] { return in_range("mu", l.mu, 0, std::numeric_limits<double>::infinity()); });
  });
  if (!outcome && outcome.error().field == "law" && !region_of(localize<double>(contact), law.mu).bounded)
    return fail("W", "",
                "leaves the permissible region unbounded: a direction in which the contact cannot move lies in the "
                "friction cone, so that the region has no centroid to refer to");
  return outcome;
}

}  // namespace ricochet
