#pragma once
/// A law from its name and parameters.

#include <string_view>

#include "ricochet/law/law.hpp"
#include "ricochet/law/law_parameters.hpp"

namespace ricochet {

/// Fails on an unknown law, on a parameter that the law needs and that is not set (ErrorCode::missing), and on one out
/// of range.
[[nodiscard]] Expected<Law> make_law(std::string_view name, const LawParameters& settings);

}  // namespace ricochet
