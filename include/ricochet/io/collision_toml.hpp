#pragma once
/// One collision as TOML, docs/command-line.md.

#include <string>
#include <string_view>

#include "ricochet/io/fault.hpp"
#include "ricochet/scene/collision.hpp"

namespace ricochet {

[[nodiscard]] Read<Collision> read_toml(std::string_view text);

/// A document that `read_toml` takes for the same collision, bit for bit: by its bodies where it has them, else by M or
/// W, whichever was given. Only the id of JSON Lines has no place in it.
[[nodiscard]] std::string write_toml(const Collision& collision);

/// What a TOML document describes, told by its keys: [[contact]], [[hinge]] or a table [law] make a scene of many
/// contacts; q, u or size the state of a mechanism; everything else is taken for one collision.
enum class TomlContent { collision, scene, mechanism_state };
struct TomlContentKey {
  TomlContent content = TomlContent::collision;
  std::string key = {};  ///< the key that told, and its line
  long long line = 0;
};
/// A document that cannot be parsed counts as a collision, whose reader then says what is wrong.
[[nodiscard]] TomlContentKey toml_content(std::string_view text);

}  // namespace ricochet
