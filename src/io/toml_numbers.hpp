#pragma once
/// Finite numbers of joints, sizes and vectors in TOML.

#include <string_view>
#include <vector>

#include "io/toml.hpp"
#include "ricochet/io/fault.hpp"
#include "ricochet/scene/mechanism_state.hpp"

namespace ricochet {

/// One number, or a list of them.
[[nodiscard]] Read<std::vector<double>> toml_numbers(std::string_view field, const toml::node& node);

/// A table of joints, or one list for all of them.
[[nodiscard]] Read<std::vector<NamedNumbers>> toml_named_numbers(std::string_view field, const toml::node& node);

}  // namespace ricochet
