#pragma once
/// Compliant contact followed through time, docs/laws/spring-sledge.md. The process itself is in compliant/; here it
/// is a law among laws.

#include "ricochet/compliant/spring_sledge.hpp"
#include "ricochet/law/outcome.hpp"

namespace ricochet {

[[nodiscard]] Expected<Outcome> collide(const SpringSledge& law, const Contact& contact);

}  // namespace ricochet
