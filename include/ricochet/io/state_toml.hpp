#pragma once
/// The state of a mechanism as TOML, docs/command-line.md.

#include <string>
#include <string_view>

#include "ricochet/io/fault.hpp"
#include "ricochet/scene/mechanism_state.hpp"

namespace ricochet {

[[nodiscard]] Read<MechanismState> read_state(std::string_view text);

/// A document that `read_state` takes for the same state.
[[nodiscard]] std::string write_toml(const MechanismState& state);

/// "FIRST:SECOND@x,y,z/nx,ny,nz"; n may have any length but zero.
[[nodiscard]] Expected<StatedContact> read_contact(std::string_view text);

/// "knee=0.3" or "root=0,0,1,1,0,0,0", with or without brackets.
[[nodiscard]] Expected<NamedNumbers> read_named_numbers(std::string_view text);

}  // namespace ricochet
