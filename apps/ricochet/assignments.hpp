#pragma once
/// The --set option: parameters on the command line that override those of the file.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collision.hpp"

namespace ricochet::app {

/// All of `text` as a number, blanks around it aside.
[[nodiscard]] std::optional<double> read_number(std::string_view text);

using Assignments = std::vector<std::pair<std::string, Value>>;

/// "mu=0.3", "mu=inf", "restitution=newton", "wish=[0,0,1]". Unknown names and wrong types are refused here.
[[nodiscard]] Expected<Assignments> read_assignments(const std::vector<std::string>& texts);

/// Overrides; lines of the file are no longer to blame for what was overridden.
void apply(const Assignments& assignments, Collision& collision);

/// A fault of a parameter is the fault of the line it stands on, or of the --set that overrode it. Prints it, and
/// returns the exit code for bad input.
int blame(std::string_view file, const Collision& collision, const Assignments& assignments, const Error& error);

}  // namespace ricochet::app
