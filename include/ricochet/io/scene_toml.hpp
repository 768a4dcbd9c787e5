#pragma once
/// A scene of bodies, contacts and hinges as TOML, docs/command-line.md.

#include <string>
#include <string_view>

#include "ricochet/io/collision_toml.hpp"
#include "ricochet/scene/scene.hpp"

namespace ricochet {

/// The largest scene that is read [bytes].
constexpr std::size_t scene_limit = std::size_t{1} << 28U;

/// Validated as a whole: the result can be assembled.
[[nodiscard]] Read<Scene> read_scene(std::string_view text);

/// A document that `read_scene` takes for the same scene, bit for bit.
[[nodiscard]] std::string write_toml(const Scene& scene);

}  // namespace ricochet
