#pragma once
/// The parameters of a law as they are used, those by default included.

#include <string_view>
#include <utility>
#include <vector>

#include "ricochet/law/registry.hpp"

namespace ricochet {

/// Name and value of each parameter that the law's entry in the table lists; of a composite law also the
/// parameters of its two parts.
[[nodiscard]] std::vector<std::pair<std::string_view, Value>> parameter_values(const Law& law);

}  // namespace ricochet
