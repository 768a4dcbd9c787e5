#include "ricochet/law/projected.hpp"

#include <fmt/format.h>

#include <limits>

#include "ricochet/law/collide.hpp"

namespace ricochet {

Expected<Outcome> collide(const Projected& law, const Contact& contact) {
  const auto outcome = collide_by(law, contact, law.mu, [](const Projected& l) -> Expected<void> {
    if (!l.wish.allFinite())
      return fail("wish", fmt::format("[{}, {}, {}]", to_text(l.wish.x()), to_text(l.wish.y()), to_text(l.wish.z())),
                  "every component must be finite");
    return in_range("mu", l.mu, 0, std::numeric_limits<double>::infinity());
  });
  if (!outcome && outcome.error().field == "law" && !region_of(localize<double>(contact), law.mu).bounded)
    return fail("W", "",
                "leaves the permissible region unbounded: a direction in which the contact cannot move lies in the "
                "friction cone, so that the region has no centroid to refer to");
  return outcome;
}

}  // namespace ricochet
