#pragma once
/// One line of JSON Lines, docs/command-line.md: {"M":[[…],[…],[…]],"V":[…],"n":[…],"law":"routh","mu":0.3,"e":0.5}.

#include <string_view>

#include "collision.hpp"

namespace ricochet::app {

/// Fills `collision` as far as the line is good: its id is there even where a later field is refused.
[[nodiscard]] Expected<void> read_json_line(std::string_view line, Collision& collision);

}  // namespace ricochet::app
