#pragma once
/// Laws and parameters of a scene's contacts, changed after the scene was read.

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "ricochet/scene/scene.hpp"

namespace ricochet {

/// Every contact by this law, with its own parameters. Errors name the contact, "contact[3].mu".
[[nodiscard]] Expected<BodyScene> by_law(const Scene& scene, std::string_view law);

/// Sets parameters of every contact and makes its law again.
[[nodiscard]] Expected<void> set_parameters(Scene& scene, std::span<const std::pair<std::string, Value>> assignments);

}  // namespace ricochet
