#pragma once
/// A scene of bodies, contacts and hinges as TOML, docs/command-line.md.

#include <string_view>

#include "bodies_scene.hpp"
#include "read_toml.hpp"

namespace ricochet::app {

/// The largest scene that is read [bytes].
constexpr std::size_t scene_limit = std::size_t{1} << 28U;

/// Checked as a whole: what comes back can be assembled.
[[nodiscard]] tl::expected<BodiesScene, Fault> read_bodies_scene(std::string_view text);

}  // namespace ricochet::app
