#pragma once
/// A ranking of laws as one HTML page with figures.

#include <string>

#include "ricochet/fit/rank_laws.hpp"

namespace ricochet::app {

/// `remark` says which rows were used. Fails where a figure cannot be drawn.
[[nodiscard]] Expected<std::string> ranking_page(const Ranking& ranking, const std::string& source,
                                                 const std::string& remark);

}  // namespace ricochet::app
