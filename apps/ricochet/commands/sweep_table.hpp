#pragma once
/// Statistics of a sweep as tables.

#include <string>

#include "ricochet/sweep/sweep.hpp"

namespace ricochet::app {

[[nodiscard]] std::string sweep_table(const sweep::Sweep& sweep, const sweep::Statistics& total);

}  // namespace ricochet::app
