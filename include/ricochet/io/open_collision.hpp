#pragma once
/// One collision from a file: TOML, or JSON Lines with a single line.

#include <optional>
#include <string>
#include <string_view>

#include "ricochet/io/fault.hpp"
#include "ricochet/io/input.hpp"
#include "ricochet/scene/collision.hpp"

namespace ricochet {

/// scenes/default.toml, compiled in: the default for an empty path.
extern const std::string_view default_scene;
constexpr std::string_view default_scene_name = "default collision";

/// The largest TOML file of one collision that is read [bytes].
constexpr std::size_t toml_limit = 1 << 20;

/// Whether `path` holds TOML or JSON Lines: by its extension, or else by its first line. A line that TOML cannot begin
/// with counts as JSON Lines, so that an invalid first line of a stream does not affect the others.
enum class FileKind { toml, json_lines };
[[nodiscard]] Expected<FileKind> kind_of(std::string_view path, Input& input);

/// Contents of a path: one collision of JSON Lines, or unparsed TOML.
struct CollisionFile {
  std::string name;  ///< for messages
  std::optional<Collision> collision;
  std::string toml;
};
[[nodiscard]] Read<CollisionFile> open_collision_file(const std::string& path, std::size_t limit);

/// The collision in `path`, or the default one for an empty path.
[[nodiscard]] Read<Collision> open_collision(const std::string& path);

}  // namespace ricochet
