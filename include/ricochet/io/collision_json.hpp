#pragma once
/// One line of JSON Lines, docs/command-line.md: {"M":[[…],[…],[…]],"V":[…],"n":[…],"law":"routh","mu":0.3,"e":0.5}.

#include <string>
#include <string_view>

#include "ricochet/scene/collision.hpp"

namespace ricochet {

/// Fills `collision` up to the first error: its id is set even if a later field is invalid.
[[nodiscard]] Expected<void> read_json_line(std::string_view line, Collision& collision);

/// A line that `read_json_line` takes for the same contact, law and parameters, bit for bit. JSON Lines have no bodies
/// and no title.
[[nodiscard]] std::string write_json_line(const Collision& collision);

}  // namespace ricochet
