#include "ricochet/compliant/sledge_problem.hpp"

#include <fmt/format.h>

namespace ricochet {

Expected<void> check(const SpringSledge& law) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (!(law.kappa > 0) || law.kappa == infinity)
    return fail("kappa", to_text(law.kappa), "must be above 0 and finite; routh is the limit of a rigid surface");
  if (!(law.mu >= 0)) return fail("mu", to_text(law.mu), "must be at least 0, or inf");
  const bool viscous = law.damper != compliant::Damper::hysteretic;
  if (law.e >= (viscous ? compliant::least_viscous_e : 0) && law.e <= 1) return {};
  return fail("e", to_text(law.e),
              viscous
                  ? fmt::format("must be between {} and 1 with a viscous damper: none returns 0, and what returns less "
                                "freezes the contact; the hysteretic one takes every e",
                                compliant::least_viscous_e)
                  : "must be between 0 and 1");
}

}  // namespace ricochet
