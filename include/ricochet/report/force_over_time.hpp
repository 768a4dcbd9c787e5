#pragma once
/// The forces of a compliant impact over time (docs/laws/spring-sledge.md): normal, against the initial slip, and
/// across it if nonzero.

#include "ricochet/compliant/process.hpp"
#include "ricochet/report/plot.hpp"

namespace ricochet {

/// Points mark where phases change.
[[nodiscard]] Plot force_over_time(const compliant::Process& process);

}  // namespace ricochet
