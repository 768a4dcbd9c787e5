#pragma once
/// Fits of laws as one HTML page: parameters with intervals, and what each law misses.

#include <span>
#include <string>

#include "ricochet/fit/fit_law.hpp"

namespace ricochet::app {

/// Of the fits in order, the first with figures. `remark` says which rows were used. Fails where a figure cannot be
/// drawn.
[[nodiscard]] Expected<std::string> fits_page(std::span<const LawFit> fits, std::span<const ReducedImpact> rows,
                                              const std::string& source, const std::string& remark);

}  // namespace ricochet::app
