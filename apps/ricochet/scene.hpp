#pragma once
/// One collision from a file, for the commands that look at a single one.

#include <optional>
#include <string>
#include <string_view>

#include "collision.hpp"
#include "input.hpp"

namespace ricochet::app {

/// scenes/default.toml, compiled in.
extern const std::string_view default_scene;
constexpr std::string_view default_scene_name = "default collision";

/// The largest TOML file that is read.
constexpr std::size_t toml_limit = 1 << 20;

/// Whether `path` holds one collision in TOML or JSON Lines: by its extension, or else by its first line. A line that
/// TOML cannot begin with counts as JSON Lines, so that a bad first line of a stream does not cost the others.
enum class Kind { toml, jsonl };
[[nodiscard]] Expected<Kind> kind_of(std::string_view path, Input& input);

/// What a path holds: the one collision of JSON Lines, or TOML that is still to be read.
struct SceneFile {
  std::string name;  ///< for messages
  std::optional<Collision> collision;
  std::string toml;
};
/// The default collision for an empty path. A fault is printed to stderr, and nothing returned.
[[nodiscard]] std::optional<SceneFile> open_scene_file(const std::string& path, std::size_t limit);

/// The collision in `path` (TOML, or JSON Lines with one line), or the default one for an empty path. A fault is
/// printed to stderr, and nothing returned.
[[nodiscard]] std::optional<Collision> read_scene(const std::string& path);

}  // namespace ricochet::app
