#pragma once
/// Contacts of a mechanism that were resolved together, for display.

#include <string>

#include "ricochet/scene/strike_together.hpp"

namespace ricochet::app {

[[nodiscard]] std::string together_table(const MechanismImpact& impact, const Together& together);

}  // namespace ricochet::app
