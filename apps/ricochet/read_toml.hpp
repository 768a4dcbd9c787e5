#pragma once
/// One collision as TOML, docs/command-line.md.

#include <string_view>

#include "collision.hpp"
#include "ricochet/body/rigid_body.hpp"

namespace ricochet::app {

/// An error and the line it stands on; 0 where it belongs to no line, as something missing does.
struct Fault {
  Error error;
  long long line = 0;
};

[[nodiscard]] tl::expected<Collision, Fault> read_toml(std::string_view text);

}  // namespace ricochet::app
