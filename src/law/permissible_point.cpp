#include "ricochet/law/permissible_point.hpp"

#include "ricochet/law/collide.hpp"
#include "ricochet/law/permissible_point_kernel.hpp"

namespace ricochet {

Expected<Outcome> collide(const PermissiblePoint& law, const Contact& contact) {
  const auto outcome = collide_by(law, contact, law.mu);
  if (!outcome && is_failure_to_solve(outcome.error().code) && !region_of(localize<double>(contact), law.mu).bounded)
    return fail(ErrorCode::invalid, "W", "",
                "leaves the permissible region unbounded: a direction in which the contact cannot move lies in the "
                "friction cone, so that the region has no centroid to refer to");
  return outcome;
}

}  // namespace ricochet
