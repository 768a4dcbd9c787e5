#pragma once
/// A scene of many contacts by the name of a file or of a bundled scene.

#include <optional>
#include <string>

#include "bodies_scene.hpp"

namespace ricochet::app {

/// Whether a bundled scene goes by that name, "cradle" or "cradle:7", and no file does.
[[nodiscard]] bool is_bundled_scene(const std::string& name);

/// A fault is printed to stderr, and nothing returned.
[[nodiscard]] std::optional<BodiesScene> open_bodies_scene(const std::string& name);

/// Where in its file a fault of a scene stands, "contact 3 law"; 0 where that is not known.
[[nodiscard]] long long line_of(const BodiesScene& scene, const Error& error);

}  // namespace ricochet::app
