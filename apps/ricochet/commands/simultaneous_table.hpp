#pragma once
/// What `ricochet simultaneous` found, for display.

#include <string>

#include "ricochet/scene/scene_result.hpp"

namespace ricochet::app {

[[nodiscard]] std::string simultaneous_table(const SceneResult& result);

}  // namespace ricochet::app
