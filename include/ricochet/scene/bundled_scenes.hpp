#pragma once
/// The collisions of scenes/, compiled in, so that they are available wherever the program runs.

#include <span>
#include <string_view>

namespace ricochet {

struct BundledScene {
  std::string_view name;  ///< of its file, without ".toml"
  std::string_view text;
};

[[nodiscard]] std::span<const BundledScene> bundled_scenes();
[[nodiscard]] const BundledScene* find_bundled_scene(std::string_view name);

/// Those of scenes/motion/, for `simulate`.
[[nodiscard]] std::span<const BundledScene> bundled_motions();

}  // namespace ricochet
