#pragma once
/// Law parameters as text, "mu=0.3", that override those of a file: the --set option.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ricochet/scene/collision.hpp"

namespace ricochet {

using Assignments = std::vector<std::pair<std::string, Value>>;

/// "mu=0.3", "mu=inf", "restitution=newton", "target=[0,0,1]". An alias is replaced by its name. Unknown names and
/// wrong types are errors.
[[nodiscard]] Expected<Assignments> read_assignments(const std::vector<std::string>& texts);

/// Overrides parameters; errors in overridden ones no longer refer to lines of the file.
void override_parameters(const Assignments& assignments, Collision& collision);

}  // namespace ricochet
