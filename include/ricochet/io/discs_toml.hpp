#pragma once
/// Discs and wheels as TOML, docs/command-line.md.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ricochet/io/fault.hpp"
#include "ricochet/scene/disc_scene.hpp"

namespace ricochet {

/// `settings` replace numbers of the top level, or of the wheel.
[[nodiscard]] Read<DiscScene> read_discs(std::string_view text,
                                         const std::vector<std::pair<std::string, double>>& settings);

}  // namespace ricochet
