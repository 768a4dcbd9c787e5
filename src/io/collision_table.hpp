#pragma once
/// One collision that is a table of a larger TOML document.

#include "io/toml.hpp"
#include "ricochet/io/fault.hpp"
#include "ricochet/scene/collision.hpp"

namespace ricochet {

/// Paths of errors are those within the table.
[[nodiscard]] Read<Collision> read_collision_table(const toml::table& table);

}  // namespace ricochet
